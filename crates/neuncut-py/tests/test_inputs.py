"""The same rows in every form give the same labels, without a copy where they lie as float32."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from conftest import small

from neuncut import KMeans, _core


class OnlyDLPack:
    """A tensor that speaks DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyArrowArray:
    """An object with `__arrow_c_array__` alone."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def flat_list(rows, kind="fixed"):
    values, width = pa.array(rows.ravel()), rows.shape[1]
    if kind == "fixed":
        return pa.FixedSizeListArray.from_arrays(values, width)
    offsets = np.arange(0, rows.size + 1, width)
    if kind == "large":
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def forms(rows):
    """Name, object, and whether it is seen without a copy."""
    names = [f"c{j}" for j in range(rows.shape[1])]
    columns = pa.table({name: rows[:, j] for j, name in enumerate(names)})
    halves = pa.chunked_array([flat_list(rows[:200]), flat_list(rows[200:])])
    memory_map = rows.copy()
    memory_map.flags.writeable = False
    yield "numpy", rows, True
    yield "numpy f64", rows.astype(np.float64), None
    yield "numpy Fortran order", np.asfortranarray(rows), None
    yield "numpy read only", memory_map, True
    yield "list", rows.tolist(), None
    yield "dlpack", OnlyDLPack(rows), None
    yield "arrow table of columns", columns, False
    yield "arrow columns of several types", columns.set_column(2, "c2", columns["c2"].cast(pa.float64())), False
    yield "arrow table of lists", pa.table({"v": flat_list(rows)}), True
    yield "arrow fixed-size lists", flat_list(rows), True
    yield "arrow lists", flat_list(rows, "list"), True
    yield "arrow large lists", flat_list(rows, "large"), True
    yield "arrow lists of f64", flat_list(rows.astype(np.float64)), False
    yield "arrow chunks", halves, False
    yield "arrow sliced", flat_list(np.concatenate([rows[:7], rows])).slice(7), True
    yield "arrow array interface", OnlyArrowArray(pa.record_batch({"v": flat_list(rows)})), True
    yield "polars columns", pl.from_arrow(columns), False
    yield "polars lists", pl.DataFrame({"v": pl.Series(rows)}), True
    yield "polars series", pl.Series(rows), True


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_every_form_gives_the_same_model_and_labels(blobs, fitted):
    rows, _ = blobs
    centres = KMeans(n_clusters=3, random_state=1).fit(rows).predict_proba(rows)
    memberships = fitted.predict_proba(rows)
    for name, form, one_view in forms(rows):
        model = KMeans(n_clusters=3, random_state=1).fit(form)
        assert (model.predict_proba(form) == centres).all(), name
        assert (fitted.predict_proba(form) == memberships).all(), name
        assert model.n_features_in_ == 8, name
        if one_view is not None:
            made = _core.Rows.from_numpy(form) if isinstance(form, np.ndarray) else _core.Rows.from_arrow(form)
            assert made.is_one_view == one_view, name


def test_frames_of_pandas(blobs, fitted):
    pd = pytest.importorskip("pandas")
    rows, _ = blobs
    frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(8)])
    model = small(n_clusters=3, random_state=0).fit(frame)
    assert (model.labels_ == fitted.labels_).all()
    assert list(model.feature_names_in_) == list(frame.columns)
    lists = pd.DataFrame({"v": list(rows)})
    assert (fitted.predict(lists) == fitted.labels_).all()


def test_relations_of_duckdb(blobs, fitted):
    duckdb = pytest.importorskip("duckdb")
    vectors = pa.table({"v": flat_list(blobs[0])})
    relation = duckdb.sql("select v from vectors")
    assert vectors.num_rows == 600 and (fitted.predict(relation) == fitted.labels_).all()


def test_tensors_of_torch(blobs, fitted):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(blobs[0]).requires_grad_()
    assert (fitted.predict(tensor) == fitted.labels_).all()


def test_names_of_columns_are_those_of_the_fit(blobs):
    rows, _ = blobs
    table = pl.DataFrame(rows, schema=[f"c{j}" for j in range(8)])
    model = small(n_clusters=3, random_state=0).fit(table)
    assert list(model.feature_names_in_) == table.columns
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table.rename({"c0": "d0"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(rows)


def test_rows_are_not_copied():
    """The compiled part sees the array itself: a change is seen."""
    array = np.zeros((3, 2), dtype=np.float32)
    rows = _core.Rows.from_numpy(array)
    model = small(n_clusters=2, random_state=0).fit(np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32))
    before = model._model.label(rows, memberships=True)[2]
    array += 3
    after = model._model.label(rows, memberships=True)[2]
    assert (before != after).any()
    assert (after == model.predict_proba(array)).all()


def test_peak_memory_of_a_prediction_is_less_than_a_second_matrix(tmp_path, fitted, blobs):
    """Half a gigabyte of rows as one polars column: labels need no second matrix."""
    import subprocess
    import sys

    path = tmp_path / "model.safetensors"
    fitted.save(path)
    program = f"""
import numpy as np, polars as pl, resource
import neuncut
model = neuncut.load({str(path)!r})
values = np.zeros((1_000_000, 8), dtype=np.float32)
values = np.resize(values, (12_000_000, 8)); values[:] = 1
frame = pl.DataFrame({{"v": pl.Series(values)}})
del values
model.predict(frame.head(1000))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
labels = model.predict(frame)
assert len(labels) == 12_000_000
print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 250_000, "kilobytes; the matrix has 384,000, labels and confidence 96,000"
