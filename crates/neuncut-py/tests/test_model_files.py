"""One model everywhere: files of the command, ONNX."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from conftest import small

import neuncut
from neuncut._inductive import InductiveClusterer


def command(*words, **options):
    return subprocess.run([sys.executable, "-m", "neuncut", *map(str, words)], check=True, capture_output=True, **options)


def test_python_and_the_command_fit_the_same_model(tmp_path, blobs):
    rows, _ = blobs
    np.save(tmp_path / "rows.npy", rows)
    settings = ["-k", 3, "--hidden", "16,16", "--epochs", 10, "--seed", 3, "--train-rows", 200]
    command("fit", tmp_path / "rows.npy", *settings, "-o", tmp_path / "a.safetensors", "--labels-out", tmp_path / "l.npy")
    model = small(n_clusters=3, random_state=3, train_rows=200).fit(rows)
    loaded = neuncut.load(tmp_path / "a.safetensors")
    assert (loaded.predict_proba(rows) == model.predict_proba(rows)).all()
    assert (np.load(tmp_path / "l.npy") == model.labels_).all()
    assert loaded.get_params()["hidden"] == (16, 16) and loaded.random_state == 3 and loaded.n_features_in_ == 8


def leaves_a_model(name):
    kind = getattr(neuncut, name)
    return inspect.isclass(kind) and issubclass(kind, InductiveClusterer)


@pytest.mark.parametrize("name", [name for name in neuncut.__all__ if leaves_a_model(name)])
def test_models_of_every_method_can_be_loaded(name, tmp_path, blobs):
    rows, kind = blobs[0][:120], getattr(neuncut, name)
    quick = {"epochs": 2, "hidden": (8,), "pretrain_epochs": 1, "heads": 1, "anchors": 30, "members": 3, "affinity": "heat"}
    known = {key: value for key, value in quick.items() if key in kind().get_params()}
    model = kind(n_clusters=3, random_state=0, **known).fit(rows)
    model.save(tmp_path / "model.safetensors")
    loaded = neuncut.load(tmp_path / "model.safetensors")
    assert type(loaded) is kind and (loaded.predict(rows) == model.predict(rows)).all()
    assert loaded.labels_.dtype == np.int32 and (loaded.labels_ == model.labels_).all()


def test_labels_are_kept_beside_the_model(tmp_path, blobs, fitted):
    rows, _ = blobs
    fitted.save(tmp_path / "with.safetensors")
    fitted.save(tmp_path / "without.safetensors", labels=False)
    assert (neuncut.load(tmp_path / "with.safetensors").labels_ == fitted.labels_).all()
    without = neuncut.load(tmp_path / "without.safetensors")
    assert not hasattr(without, "labels_")
    with pytest.raises(AttributeError, match=r"the file of this model has no labels_ .*predict\(X\)"):
        without.labels_
    with pytest.raises(AttributeError, match="this KMeans has no labels_: fit it first"):
        neuncut.KMeans().labels_
    # what edits the model drops them, and what is saved again has them still
    np.save(tmp_path / "rows.npy", rows)
    command("edit", tmp_path / "with.safetensors", "--merge", "0,1", "-o", tmp_path / "edited.safetensors")
    assert not hasattr(neuncut.load(tmp_path / "edited.safetensors"), "labels_")
    neuncut.load(tmp_path / "with.safetensors").save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "with.safetensors").read_bytes()


def test_the_command_reads_what_python_writes(tmp_path, blobs, fitted):
    np.save(tmp_path / "rows.npy", blobs[0])
    fitted.save(tmp_path / "model.safetensors")
    command("predict", tmp_path / "model.safetensors", tmp_path / "rows.npy", "-o", tmp_path / "labels.npy")
    assert (np.load(tmp_path / "labels.npy") == fitted.labels_).all()
    found = json.loads(command("inspect", tmp_path / "model.safetensors", "--json").stdout)
    assert found["config"]["clusters"] == 3


def test_feature_files(tmp_path, blobs):
    rows, _ = blobs
    np.save(tmp_path / "rows.npy", rows)
    steps = tmp_path / "steps.safetensors"
    features = neuncut.features.Features("standardize,pca=3").fit(rows)
    features.save(steps)
    command("features", "--load", steps, tmp_path / "rows.npy", "-o", tmp_path / "features.npy")
    assert (np.load(tmp_path / "features.npy") == features.transform(rows)).all()
    assert (neuncut.features.Features.load(steps).transform(rows) == features.transform(rows)).all()


@pytest.mark.parametrize(
    ("columns", "settings"),
    [
        (2, {}),
        (8, {"representation": "standard"}),
        (20, {"representation": "ridge=0.01", "features": "pca=12"}),
        (20, {"representation": "unit", "features": "standardize,autoencoder=6"}),
    ],
)
def test_onnx_in_onnxruntime(tmp_path, columns, settings):
    rng = np.random.default_rng(0)
    centres = 5 * rng.normal(size=(4, columns))
    rows = (centres[np.arange(400) % 4] + rng.normal(size=(400, columns))).astype(np.float32)
    model = small(n_clusters=4, random_state=0, **settings).fit(rows)
    model.export_onnx(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    others = np.concatenate([rows, np.zeros((1, columns), np.float32), (3 * rng.normal(size=(200, columns))).astype(np.float32)])
    for batch in (others, others[:1]):
        memberships, labels = session.run(["memberships", "labels"], {"rows": batch})
        assert labels.dtype == np.int64 and labels.shape == (len(batch),)
        np.testing.assert_allclose(memberships, model.predict_proba(batch), atol=1e-4)
        sure = np.sort(model.predict_proba(batch))[:, -2:] @ [-1, 1] > 1e-4
        assert sure.mean() > 0.9 and (labels == model.predict(batch))[sure].all()


def test_onnx_of_rivals_and_by_the_command(tmp_path, blobs):
    rows, _ = blobs
    model = neuncut.SpectralNet(n_clusters=3, hidden=(16,), epochs=20, random_state=0).fit(rows)
    model.save(tmp_path / "model.safetensors")
    command("export", tmp_path / "model.safetensors", "-o", tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    assert (session.run(["labels"], {"rows": rows})[0] == model.labels_).all()
    model.export_onnx(tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == (tmp_path / "model.onnx").read_bytes()


def test_onnx_cannot_hold_scattering(tmp_path):
    images = np.random.default_rng(0).random((40, 64))
    model = small(n_clusters=2, features="scattering=2,4,pca=5", image_shape=(8, 8)).fit(images)
    with pytest.raises(ValueError, match="feature step is scattering"):
        model.export_onnx(tmp_path / "model.onnx")
    assert not (tmp_path / "model.onnx").exists()
