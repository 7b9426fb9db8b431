"""Spark: a cluster of two executors in processes of their own, or two threads where such a cluster cannot start."""

from __future__ import annotations

import os
import shutil
import sys
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import small

import neuncut

pyspark = pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs `java`, which is not installed"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    work = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_WORKER_DIR"] = str(work / "workers")
    for master in ("local-cluster[2,1,700]", "local[2]"):
        builder = SparkSession.builder.master(master).appName("neuncut").config("spark.ui.enabled", "false")
        builder = builder.config("spark.executor.memory", "600m").config("spark.driver.memory", "700m")
        builder = builder.config("spark.sql.warehouse.dir", str(work / "warehouse")).config("spark.log.level", "ERROR")
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        builder = builder.config("spark.executorEnv.PYSPARK_PYTHON", sys.executable)
        try:
            session = builder.getOrCreate()
            session.range(2).repartition(2).count()
            break
        except Exception as error:
            warnings.warn(f"Spark cannot start as {master}: {error}", stacklevel=1)
            if SparkSession.getActiveSession() is not None:
                SparkSession.getActiveSession().stop()
    else:
        pytest.fail("Spark cannot start")
    print(f"\nSpark runs as {session.sparkContext.master}")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    centres = np.array([[0.0] * 8, [6.0] * 8, [-6.0, 6.0] * 4])
    return (centres[rng.integers(3, size=20_000)] + 1.5 * rng.normal(size=(20_000, 8))).astype(np.float32)


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for part, values in enumerate(np.split(rows, 4)):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), 8).cast(pa.list_(pa.float32()))
        pq.write_table(pa.table({"id": np.arange(5_000) + 5_000 * part, "embedding": lists}), folder / f"{part}.parquet")
    return folder


def test_sample_fit_predict_write(spark, folder, rows, tmp_path):
    frame = spark.read.parquet(str(folder))
    sample = neuncut.spark.sample_for_fit(frame, column="embedding", n=2_000, seed=3)
    assert sample.num_rows == 2_000 and sample.column_names == ["embedding"]
    model = small(n_clusters=3, random_state=0).fit(sample)
    labelled = neuncut.spark.predict(frame, model, column="embedding", memberships=True)
    labelled.write.parquet(str(tmp_path / "labelled"))
    table = pq.read_table(tmp_path / "labelled").sort_by("id")
    assert table.column_names == ["id", "embedding", "label", "confidence", "memberships"]
    assert (table["label"].to_numpy() == model.predict(rows)).all()
    memberships = model.predict_proba(rows)
    assert (table["confidence"].to_numpy() == memberships.max(axis=1)).all()
    assert (np.stack(table["memberships"].to_numpy()) == memberships).all()


def test_columns_of_numbers_and_a_model_file(spark, rows, fitted, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    names = [f"c{j}" for j in range(8)]
    frame = spark.createDataFrame(pa.table({"id": range(1_000), **{n: rows[:1_000, j] for j, n in enumerate(names)}}))
    table = neuncut.spark.predict(frame, tmp_path / "model.safetensors", column=names).toArrow().sort_by("id")
    assert (table["label"].to_numpy() == fitted.predict(rows[:1_000])).all()
    assert neuncut.spark.sample_for_fit(frame, column=names, n=5_000).num_rows == 1_000


def test_what_cannot_be_labelled(spark, folder, fitted):
    frame = spark.read.parquet(str(folder))
    with pytest.raises(KeyError, match="there is no column 'embeding'"):
        neuncut.spark.predict(frame, fitted, column="embeding")
    with pytest.raises(ValueError, match="has a column 'label' already"):
        neuncut.spark.predict(frame.withColumnRenamed("id", "label"), fitted, column="embedding")
