"""Ray Data on a real local cluster with two workers."""

from __future__ import annotations

import os
import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import small

import neuncut

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.ray


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # a CPU for each of two workers, and one for who reads
    ray.init(num_cpus=3, include_dashboard=False, object_store_memory=300 * 2**20, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(autouse=True)
def patience():
    """A cluster that stands still fails its test in two minutes."""
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("two minutes without an end"))
    signal.alarm(120)
    yield
    signal.alarm(0)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    centres = np.array([[0.0] * 8, [6.0] * 8, [-6.0, 6.0] * 4])
    return (centres[rng.integers(3, size=40_000)] + 1.5 * rng.normal(size=(40_000, 8))).astype(np.float32)


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Eight parquet files with a number and a list in each row."""
    folder = tmp_path_factory.mktemp("parts")
    for part, values in enumerate(np.split(rows, 8)):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), 8).cast(pa.list_(pa.float32()))
        table = pa.table({"id": np.arange(5_000) + 5_000 * part, "embedding": lists})
        pq.write_table(table, folder / f"{part}.parquet")
    return folder


def by_id(dataset):
    table = pa.concat_tables(dataset.iter_batches(batch_format="pyarrow", batch_size=None))
    return table.sort_by("id")


def test_sample_fit_predict_write(folder, rows, tmp_path):
    dataset = ray.data.read_parquet(str(folder))
    sample = neuncut.ray.sample_for_fit(dataset, column="embedding", n=2_000, seed=3)
    assert sample.num_rows == 2_000 and sample.column_names == ["embedding"]
    model = small(n_clusters=3, random_state=0).fit(sample)
    labelled = neuncut.ray.predict(dataset, model, column="embedding", memberships=True, batch_size=3_000)
    labelled.write_parquet(str(tmp_path / "labelled"))
    table = pq.read_table(tmp_path / "labelled").sort_by("id")
    assert table.column_names == ["id", "embedding", "label", "confidence", "memberships"]
    assert (table["label"].to_numpy() == model.predict(rows)).all()
    memberships = model.predict_proba(rows)
    assert (table["confidence"].to_numpy() == memberships.max(axis=1)).all()
    assert (np.stack(table["memberships"].to_numpy()) == memberships).all()


def test_columns_of_numbers_and_a_model_file(rows, fitted, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    names = [f"c{j}" for j in range(8)]
    dataset = ray.data.from_arrow(pa.table({"id": range(1_000), **{n: rows[:1_000, j] for j, n in enumerate(names)}}))
    table = by_id(neuncut.ray.predict(dataset, tmp_path / "model.safetensors", column=names))
    assert (table["label"].to_numpy() == fitted.predict(rows[:1_000])).all()
    assert neuncut.ray.sample_for_fit(dataset, column=names, n=5_000).num_rows == 1_000


def test_a_killed_worker_costs_no_row(folder, rows, fitted, tmp_path):
    from neuncut.ray import BatchLabeller, run

    mark = str(tmp_path / "killed")

    class Mortal(BatchLabeller):
        """Its process is killed in the middle of its third batch, once."""

        done = 0

        def __call__(self, batch):
            self.done += 1
            if self.done == 3:
                try:
                    os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
                    os.kill(os.getpid(), signal.SIGKILL)
                except FileExistsError:
                    pass
            return super().__call__(batch)

    dataset = ray.data.read_parquet(str(folder))
    table = by_id(run(dataset, Mortal, fitted._model.to_bytes(), ["embedding"], False, 1_000, 2))
    assert os.path.exists(mark)
    assert table.num_rows == 40_000 and (table["label"].to_numpy() == fitted.predict(rows)).all()


def test_what_cannot_be_labelled(folder, fitted):
    dataset = ray.data.read_parquet(str(folder))
    with pytest.raises(KeyError, match="there is no column 'embeding'"):
        neuncut.ray.predict(dataset, fitted, column="embeding")
    with pytest.raises(TypeError, match="model is a int"):
        neuncut.ray.predict(dataset, 3, column="embedding")
    with pytest.raises(ValueError, match="has a column 'label' already"):
        neuncut.ray.predict(dataset.rename_columns({"id": "label"}), fitted, column="embedding")
