"""Bad input: the exception that users of scikit-learn expect, in one sentence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from conftest import small

import neuncut

NAN = np.array([[0.0, 1], [np.nan, 2], [3, 4]])
TINY = np.array([[row, 1e-300 * (row % 3 + 1)] for row in range(8)])
LISTS = pa.array([[1.0, 2.0], [3.0, 4.0], [5.0]])


@pytest.mark.parametrize(
    ("rows", "error", "text"),
    [
        (NAN, ValueError, "contains NaN"),
        (np.array([[0.0, np.inf], [1, 2]]), ValueError, "contains infinity"),
        (pl.DataFrame(np.repeat(NAN, 2, axis=0)), ValueError, r"contains NaN: row 3, column 1 \(both counted from 1\) is NaN"),
        (pl.DataFrame({"a": [1.0, None, 2, 3, 4], "b": [1.0] * 5}), ValueError, "row 2, column 1 .* is null"),
        (pl.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), ValueError, "column a holds text, which are not numbers"),
        (np.array([["x", "y"], ["z", "w"]]), ValueError, "could not convert string to float"),
        (pl.DataFrame({"a": [], "b": []}, schema={"a": pl.Float32, "b": pl.Float32}), ValueError, r"0 sample\(s\)"),
        (np.zeros((0, 3)), ValueError, r"0 sample\(s\)"),
        (pa.table({}), ValueError, r"0 (sample|feature)\(s\)"),
        (pa.array([1.0, 2.0]), ValueError, "Expected 2D array, got 1D array"),
        (np.array([1.0, 2.0]), ValueError, "Expected 2D array, got 1D array"),
        (LISTS, ValueError, "the list in row 3 has 1 values, but those before it have 2: all lists must be equally long"),
        (pa.table({"v": LISTS}), ValueError, "the list in row 3"),
        (pa.table({"v": LISTS, "w": LISTS}), ValueError, r"several columns hold lists of numbers \(v, w\)"),
        (pa.array([[1.0], None]), ValueError, "the list in row 2 is null"),
        (pa.array([["a"], ["b"]]), ValueError, "holds lists of text, which are not numbers"),
        (np.ones((4, 2)), ValueError, "n_samples=4 should be >= n_clusters=5"),
        (np.ones((8, 2)), ValueError, "all rows are equal"),
        (None, ValueError, "Expected 2D array, got scalar array"),
        (TINY, ValueError, "column 2 of X holds only numbers too small for single precision .*: scale the column up"),
        (pl.DataFrame(TINY, schema=["a", "b"]), ValueError, "column b holds only numbers too small for single precision"),
        (pa.array(TINY.tolist()), ValueError, "column 2 holds only numbers too small for single precision"),
    ],
)
def test_rows_that_cannot_be_fitted(rows, error, text):
    with pytest.raises(error, match=text) as raised:
        small(n_clusters=5, random_state=0).fit(rows)
    if rows is not None and not isinstance(rows, np.ndarray):  # what is reported about arrays are scikit-learn's own words
        assert "\n" not in str(raised.value)


def test_nan_in_an_object_column_of_pandas():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="the list in row 2 has 1 values"):
        small(n_clusters=2).fit(pd.DataFrame({"v": [[1.0, 2.0], [3.0]]}))


def test_series_of_vectors_that_differ_in_length():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="the list in row 2 has 1 values, but those before it have 2"):
        small(n_clusters=2).fit(pd.Series([[1.0, 2.0], [3.0]]))


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(TypeError, match=r"LazyFrame of polars, which has no rows yet: pass X.collect\(\)"):
        small(n_clusters=2).fit(pl.DataFrame({"a": [1.0, 2.0]}).lazy())


def test_rows_that_cannot_be_labelled(fitted):
    with pytest.raises(ValueError, match="X has 3 features, but NeuNcut is expecting 8 features as input"):
        fitted.predict(np.zeros((5, 3)))
    with pytest.raises(ValueError, match="X has 3 features, but NeuNcut is expecting 8 features as input"):
        fitted.predict(pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(15)), 3))
    rows = np.zeros((300_000, 8), dtype=np.float32)
    rows[299_999, 2] = np.nan
    with pytest.raises(ValueError, match="row 300000, column 3"):
        fitted.predict(pl.Series(rows))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"n_clusters": 0}, "n_clusters is 0, but must be at least 1"),
        ({"n_clusters": "three"}, "n_clusters is"),
        ({"gamma": "many"}, "gamma is .*neither a number nor `auto` nor `search`"),
        ({"gamma": -1}, "gamma is -1"),
        ({"affinity": "head"}, "affinity is .*heat"),
        ({"objective": "cut"}, 'objective is "cut", but must be one of auto, ncut, rcut, log, min-max, mutual-information$'),
        ({"hidden": (0,)}, "hidden is 0"),
        ({"hidden": "x"}, 'hidden is "x", but must be .*neither `auto` nor a list of widths$'),
        ({"weight_decay": "a"}, 'weight_decay is "a", but must be a number$'),
        ({"ensemble": {"nix": 1}}, "but must be without `nix`: what can be set is graph-neighbors, "),
        ({"train_rows": 1}, "train_rows is 1"),
        ({"label_smoothing": 2.0}, "label_smoothing is 2"),
        ({"features": "pca"}, "features is"),
        ({"random_state": -1}, "random_state is -1"),
        ({"init": [0, 1]}, "init has the shape"),
        ({"device": "cuda"}, "device"),
        ({"image_shape": (2,)}, "image_shape is"),
    ],
)
def test_settings_that_cannot_be_used(settings, text):
    rows = np.random.default_rng(0).normal(size=(20, 4))
    with pytest.raises((ValueError, RuntimeError), match=text):
        neuncut.NeuNcut(**{"n_clusters": 2, **settings}).fit(rows)


def test_an_affinity_that_is_none():
    with pytest.raises(TypeError, match="affinity is a list"):
        neuncut.NeuNcut(n_clusters=2, affinity=[1]).fit(np.random.default_rng(0).normal(size=(20, 4)))


def test_files(tmp_path, fitted):
    with pytest.raises(FileNotFoundError, match="check the path"):
        neuncut.load(tmp_path / "none.safetensors")
    with pytest.raises(FileNotFoundError):
        fitted.save(tmp_path / "no" / "such" / "folder.safetensors")
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"no model")
    with pytest.raises(ValueError, match="is not a neuncut model"):
        neuncut.load(other)
    fitted.save(other)
    with pytest.raises(ValueError, match="holds a model of NeuNcut, not of KMeans"):
        neuncut.KMeans.load(other)
