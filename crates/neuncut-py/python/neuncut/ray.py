"""Any number of rows on Ray Data: draw rows to fit, label a dataset with a model. Needs ``pip install neuncut[ray]``.

>>> import neuncut.ray  # doctest: +SKIP
>>> rows = ray.data.read_parquet("embeddings/")  # doctest: +SKIP
>>> model = NeuNcut(n_clusters=20).fit(neuncut.ray.sample_for_fit(rows, column="embedding"))  # doctest: +SKIP
>>> neuncut.ray.predict(rows, model, column="embedding").write_parquet("labelled/")  # doctest: +SKIP
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from ._labelling import Labeller, check_columns, check_names, columns_of, model_bytes

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset

__all__ = ["predict", "sample_for_fit"]


class BatchLabeller(Labeller):
    """What an actor does: it has the model, and labels batches."""

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The batch with its new columns."""
        for name, values in self.label(batch):
            batch = batch.append_column(name, values)
        return batch


def predict(
    dataset: Dataset,
    model: Any,
    *,
    column: str | list[str] | None = None,
    memberships: bool = False,
    batch_size: int = 16_384,
    concurrency: int | tuple[int, int] | None = None,
) -> Dataset:
    """Label the rows of a dataset, lazily; they keep their other columns.

    Parameters
    ----------
    dataset : ray.data.Dataset
        The rows.
    model : estimator, str or path
        A fitted estimator that predicts, or a model file.
    column : str or list of str, default=None
        The column of lists, or the columns of numbers, that are the features; all columns unless given.
    memberships : bool, default=False
        Whether the membership in each cluster is added as well.
    batch_size : int, default=16384
        Rows that an actor labels at a time; labels do not depend on it.
    concurrency : int or tuple of int, default=None
        Actors, or the least and most of them; up to one less than the cluster has CPUs unless given. Each has one CPU and one
        thread, and reads the model once. Leave a CPU to the tasks that read the data: without one, they wait for ever.

    Returns
    -------
    ray.data.Dataset
        With the new columns ``label`` (int32), ``confidence`` (float32, the membership in that cluster), and ``memberships``
        where asked for. Labels are those of ``model.predict`` to the bit.
    """
    columns = columns_of(column)
    names = dataset.schema().names
    check_columns(names, columns)
    check_names(names, memberships)
    return run(dataset, BatchLabeller, model_bytes(model), columns, memberships, batch_size, concurrency)


def run(
    dataset: Dataset,
    labeller: type[BatchLabeller],
    model: bytes,
    columns: list[str] | None,
    memberships: bool,
    batch_size: int,
    concurrency: int | tuple[int, int] | None,
) -> Dataset:
    """Map batches over actors of this class."""
    import ray
    from ray.data import ActorPoolStrategy

    cpus = int(ray.cluster_resources().get("CPU", 1))
    least, most = concurrency if isinstance(concurrency, tuple) else (concurrency or 1, concurrency or max(1, cpus - 1))
    return dataset.map_batches(
        labeller,
        fn_constructor_args=(model, columns, memberships),
        batch_format="pyarrow",
        batch_size=batch_size,
        num_cpus=1 if cpus > 1 else 0,
        compute=ActorPoolStrategy(min_size=least, max_size=most),
        zero_copy_batch=True,
    )


def sample_for_fit(
    dataset: Dataset, *, column: str | list[str] | None = None, n: int = 20_000, seed: int = 0
) -> pyarrow.Table:
    """Draw rows of a dataset to fit, at random without replacement: a table of the feature columns alone.

    Parameters
    ----------
    dataset : ray.data.Dataset
        The rows.
    column : str or list of str, default=None
        The column of lists, or the columns of numbers, that are the features; all columns unless given.
    n : int, default=20000
        How many rows; all where there are no more.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    pyarrow.Table
        What ``fit`` takes.
    """
    import pyarrow as pa

    from ._sampling import draw, share_for

    columns = columns_of(column)
    if columns is not None:
        check_columns(dataset.schema().names, columns)
        dataset = dataset.select_columns(columns)
    total = dataset.count()
    share = share_for(n, total)
    if share < 1:
        dataset = dataset.random_sample(share, seed=seed)
    batches = list(dataset.iter_batches(batch_format="pyarrow", batch_size=None))
    return draw(pa.concat_tables(batches), n, seed)
