"""A table of ids, texts and embeddings, as the libraries that people use write it: labels and the columns that come along."""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from conftest import small

import neuncut
from neuncut import KMeans

ROWS, WIDTH = 300, 6


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(ROWS, WIDTH)) + 9 * (np.arange(ROWS) % 3)[:, None]).astype(np.float32)


def neuncut_command(*words, cwd, stdin=None):
    run = subprocess.run([sys.executable, "-m", "neuncut", *words], cwd=cwd, capture_output=True, text=True, stdin=stdin)
    assert run.returncode == 0, run.stderr
    return run


@pytest.fixture(scope="module")
def model(vectors, tmp_path_factory):
    """A model of the embeddings as such, which takes them from any column of lists, and its labels."""
    folder = tmp_path_factory.mktemp("model")
    fitted = KMeans(n_clusters=3, random_state=0).fit(vectors)
    fitted.save(folder / "model.safetensors")
    return folder / "model.safetensors", fitted.labels_


def arrow_table(vectors, kind):
    values = pa.array(vectors.ravel())
    offsets = np.arange(0, vectors.size + 1, WIDTH)
    lists = {
        "fixed": lambda: pa.FixedSizeListArray.from_arrays(values, WIDTH),
        "list": lambda: pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values),
        "large": lambda: pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values),
        "double": lambda: pa.array(vectors.astype(np.float64).tolist(), pa.list_(pa.float64())),
        "half": lambda: pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype(np.float16).ravel()), WIDTH),
    }
    texts = [f"text, {i}" for i in range(ROWS)]
    return pa.table({"id": np.arange(ROWS) + 1000, "text": texts, "embedding": lists[kind]()})


def frame(vectors):
    return pd.DataFrame({"id": np.arange(ROWS) + 1000, "text": [f"text, {i}" for i in range(ROWS)], "embedding": list(vectors)})


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=70)


def write_hive(table, folder):
    days = pa.array(["monday", "tuesday"] * (ROWS // 2))
    pq.write_to_dataset(table.append_column("day", days), folder, partition_cols=["day"])


def duckdb_copy(table, path, options="FORMAT parquet"):
    connection = duckdb.connect()
    connection.register("given", table)
    connection.sql(f"COPY (SELECT * FROM given) TO '{path}' ({options})")


LAYOUTS = {
    "pandas.parquet": lambda v, path: frame(v).to_parquet(path),
    "pandas.jsonl": lambda v, path: frame(v).to_json(path, orient="records", lines=True, double_precision=15),
    "pandas.feather": lambda v, path: frame(v).to_feather(path),
    "polars-array.parquet": lambda v, path: pl.from_arrow(arrow_table(v, "fixed")).write_parquet(path),
    "polars-list.arrow": lambda v, path: pl.from_arrow(arrow_table(v, "list")).write_ipc(path, compression="zstd"),
    "polars.ndjson": lambda v, path: pl.from_arrow(arrow_table(v, "list")).write_ndjson(path),
    "fixed.parquet": lambda v, path: pq.write_table(arrow_table(v, "fixed"), path, row_group_size=70),
    "list.parquet": lambda v, path: pq.write_table(arrow_table(v, "list"), path, data_page_version="2.0"),
    "large.parquet": lambda v, path: pq.write_table(arrow_table(v, "large"), path, compression="zstd"),
    "double.parquet": lambda v, path: pq.write_table(arrow_table(v, "double"), path, compression="none"),
    "half.arrow": lambda v, path: pa.feather.write_feather(arrow_table(v, "half"), path),
    "stream.arrow": lambda v, path: write_stream(arrow_table(v, "list"), path),
    "lines.jsonl": lambda v, path: write_json_lines(arrow_table(v, "list"), path),
    "duckdb.parquet": lambda v, path: duckdb_copy(arrow_table(v, "list"), path),
    "duckdb.json": lambda v, path: duckdb_copy(arrow_table(v, "list"), path, "FORMAT json"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_labels_and_columns_of_every_layout(layout, vectors, model, tmp_path):
    path, labels = model
    LAYOUTS[layout](vectors, tmp_path / layout)
    neuncut_command("predict", str(path), layout, "-o", "out.parquet", cwd=tmp_path)
    out = pq.read_table(tmp_path / "out.parquet")
    assert out["id"].to_pylist() == list(range(1000, 1000 + ROWS))
    assert out["text"].to_pylist() == [f"text, {i}" for i in range(ROWS)]
    assert out["label"].to_pylist() == labels.tolist()
    assert "embedding" not in out.column_names
    neuncut_command("predict", str(path), layout, "--keep", "all", "-o", "all.parquet", cwd=tmp_path)
    kept = np.array(pq.read_table(tmp_path / "all.parquet")["embedding"].to_pylist(), dtype=np.float32)
    np.testing.assert_allclose(kept, vectors, rtol=2e-3 if "half" in layout else 1e-6, atol=1e-2 if "half" in layout else 0)


def test_a_hive_partitioned_folder(vectors, model, tmp_path):
    path, labels = model
    write_hive(arrow_table(vectors, "list"), tmp_path / "in")
    neuncut_command("predict", str(path), "in", "-o", "out.parquet", cwd=tmp_path)
    out = pq.read_table(tmp_path / "out.parquet").to_pandas().sort_values("id")
    assert out["label"].tolist() == labels.tolist()
    assert out["day"].tolist() == ["monday", "tuesday"] * (ROWS // 2)


def test_a_folder_of_hugging_face(vectors, model, tmp_path):
    datasets = pytest.importorskip("datasets")
    path, labels = model
    datasets.Dataset(arrow_table(vectors, "list")).save_to_disk(str(tmp_path / "in"))
    neuncut_command("predict", str(path), "in", "-o", "out.parquet", cwd=tmp_path)
    out = pq.read_table(tmp_path / "out.parquet")
    assert out["label"].to_pylist() == labels.tolist() and out["id"].to_pylist() == list(range(1000, 1000 + ROWS))


def test_columns_in_reverse_order(vectors, tmp_path):
    names = [f"x{j}" for j in range(WIDTH)]
    columns = pd.DataFrame(vectors, columns=names)
    columns.to_csv(tmp_path / "rows.csv", index=False)
    columns[names[::-1]].to_parquet(tmp_path / "turned.parquet")
    neuncut_command("fit", "rows.csv", "-k", "3", "--method", "kmeans", cwd=tmp_path)
    for name in ("rows.csv", "turned.parquet"):
        neuncut_command("predict", "model.safetensors", name, "-o", name + ".npy", cwd=tmp_path)
    np.testing.assert_array_equal(np.load(tmp_path / "rows.csv.npy"), np.load(tmp_path / "turned.parquet.npy"))
    loaded = neuncut.load(tmp_path / "model.safetensors")
    assert list(loaded.feature_names_in_) == names
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(columns[names[::-1]])


def test_names_after_save_and_load(vectors, tmp_path):
    names = [f"x{j}" for j in range(WIDTH)]
    for X in (pd.DataFrame(vectors, columns=names), pl.DataFrame(vectors, schema=names)):
        fitted = KMeans(n_clusters=3, random_state=0).fit(X)
        fitted.save(tmp_path / "model.safetensors")
        loaded = KMeans.load(tmp_path / "model.safetensors")
        assert list(loaded.feature_names_in_) == names
        assert (loaded.labels_ == fitted.labels_).all()


def test_vectors_of_pandas_and_polars(vectors):
    expected = KMeans(n_clusters=3, random_state=0).fit(vectors)
    frames = [
        frame(vectors),
        frame(vectors)["embedding"],
        pl.from_arrow(arrow_table(vectors, "list")),
        pl.from_arrow(arrow_table(vectors, "fixed"))["embedding"],
        arrow_table(vectors, "large"),
    ]
    for X in frames:
        np.testing.assert_array_equal(expected.predict(X), expected.labels_)
        np.testing.assert_array_equal(KMeans(n_clusters=3, random_state=0).fit(X).labels_, expected.labels_)
    two = frame(vectors).assign(other=list(vectors))
    with pytest.raises(ValueError, match=r"several columns hold lists of numbers \(embedding, other\)"):
        expected.predict(two)


def test_sparse_matrices_are_refused_in_a_sentence(vectors):
    scipy = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="toarray"):
        KMeans(n_clusters=3).fit(scipy.csr_matrix(vectors))


def test_a_page_and_iterations(vectors, tmp_path):
    fitted = small(n_clusters=3).fit(vectors)
    fitted.report(tmp_path / "page.html", frame(vectors))
    assert "<html" in (tmp_path / "page.html").read_text()
    assert fitted.n_iter_ >= 1


def test_errors_have_no_words_of_rust(vectors):
    with pytest.raises(ValueError, match="column text holds text, which are not numbers"):
        KMeans(n_clusters=3).fit(arrow_table(vectors, "list").select(["id", "text"]))
    with pytest.raises(ValueError, match="column text does not hold numbers"):
        KMeans(n_clusters=3).fit(frame(vectors)[["id", "text"]])
