"""Any number of rows on Spark: draw rows to fit, label a frame with a model. Needs ``pip install neuncut[spark]`` and Java.

>>> import neuncut.spark  # doctest: +SKIP
>>> rows = spark.read.parquet("embeddings/")  # doctest: +SKIP
>>> model = NeuNcut(n_clusters=20).fit(neuncut.spark.sample_for_fit(rows, column="embedding"))  # doctest: +SKIP
>>> neuncut.spark.predict(rows, model, column="embedding").write.parquet("labelled/")  # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._labelling import CONFIDENCE, LABEL, MEMBERSHIPS, Labeller, check_columns, check_names, columns_of, model_bytes

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

__all__ = ["predict", "sample_for_fit"]

# The labellers of this Python worker, which Spark uses for one task after another: each model is read once.
_LABELLERS: dict[tuple[str, tuple[str, ...] | None, bool], Labeller] = {}


def predict(
    df: DataFrame, model: Any, *, column: str | list[str] | None = None, memberships: bool = False
) -> DataFrame:
    """Label the rows of a frame, lazily and without a shuffle; they keep their other columns.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows.
    model : estimator, str or path
        A fitted estimator that predicts, or a model file, which the driver reads.
    column : str or list of str, default=None
        The column of arrays, or the columns of numbers, that are the features; all columns unless given.
    memberships : bool, default=False
        Whether the membership in each cluster is added as well.

    Returns
    -------
    pyspark.sql.DataFrame
        With the new columns ``label`` (int), ``confidence`` (float, the membership in that cluster), and ``memberships``
        where asked for. Labels are those of ``model.predict`` to the bit.
    """
    from pyspark.sql.types import ArrayType, FloatType, IntegerType, StructField, StructType

    columns = columns_of(column)
    check_columns(df.columns, columns)
    check_names(df.columns, memberships)
    added = [StructField(LABEL, IntegerType()), StructField(CONFIDENCE, FloatType())]
    if memberships:
        added.append(StructField(MEMBERSHIPS, ArrayType(FloatType())))
    schema = StructType([*df.schema.fields, *added])
    return df.mapInArrow(_labelling(df, model_bytes(model), columns, memberships), schema)


def _labelling(
    df: DataFrame, model: bytes, columns: list[str] | None, memberships: bool
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """What each task does; the model travels once to each executor where there is a Spark context."""
    fingerprint = hashlib.sha256(model).hexdigest()
    try:
        shared = df.sparkSession.sparkContext.broadcast(model)
    except Exception:  # Spark Connect has no context: the model travels with the task
        shared = None
    carried = model if shared is None else None

    def label_batches(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow as pa

        data = carried if shared is None else shared.value
        assert data is not None
        labeller = _labeller(fingerprint, data, columns, memberships)
        for batch in batches:
            found = labeller.label(batch)
            names = [*batch.schema.names, *(name for name, _ in found)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *(values for _, values in found)], names=names)

    return label_batches


def _labeller(fingerprint: str, model: bytes, columns: list[str] | None, memberships: bool) -> Labeller:
    key = (fingerprint, None if columns is None else tuple(columns), memberships)
    if key not in _LABELLERS:
        _LABELLERS[key] = Labeller(model, columns, memberships)
    return _LABELLERS[key]


def sample_for_fit(
    df: DataFrame, *, column: str | list[str] | None = None, n: int = 20_000, seed: int = 0
) -> pyarrow.Table:
    """Draw rows of a frame to fit, at random without replacement: a table of the feature columns alone.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows.
    column : str or list of str, default=None
        The column of arrays, or the columns of numbers, that are the features; all columns unless given.
    n : int, default=20000
        How many rows; all where there are no more.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    pyarrow.Table
        What ``fit`` takes.
    """
    from ._sampling import draw, share_for

    columns = columns_of(column)
    if columns is not None:
        check_columns(df.columns, columns)
        df = df.select(*columns)
    share = share_for(n, df.count())
    if share < 1:
        df = df.sample(fraction=share, seed=seed)
    return draw(df.toArrow(), n, seed)
