"""The estimators behave as scikit-learn's own."""

from __future__ import annotations

import inspect
import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import neuncut
from neuncut import _core
from neuncut.features import Features

NETWORK = {"hidden": (16,), "epochs": 5}

# the rows by which weights are checked are four different ones, and more clusters than those are refused
ESTIMATORS = [
    neuncut.NeuNcut(n_clusters=4, **NETWORK),
    neuncut.NeuNcut(n_clusters=3, objective="rcut", features="standardize", init="overcluster", **NETWORK),
    neuncut.KMeans(n_clusters=4),
    neuncut.SpectralNet(**NETWORK),
    neuncut.SpecNet2(**NETWORK),
    neuncut.Leiden(),
    neuncut.Ward(n_clusters=4),
    neuncut.LSC(),
    neuncut.Nystrom(),
    neuncut.RESKM(),
    neuncut.USPEC(),
    neuncut.USENC(),
    neuncut.Bipartite(),
    neuncut.AutoSC(),
    neuncut.ESC(),
    neuncut.BaSiS(**NETWORK),
    neuncut.ICon(),
    neuncut.TEMI(hidden=(64, 32)),
    neuncut.SCAN(),
    neuncut.TURTLE(),
    neuncut.CNC(affinity="heat", **NETWORK),
    neuncut.EDESC(pretrain_epochs=5, **NETWORK),
    neuncut.DEPICT(pretrain_epochs=5, **NETWORK),
    neuncut.VaDE(pretrain_epochs=5, **NETWORK),
    neuncut.Ncut(),
    neuncut.Rcut(),
    neuncut.NSC(),
    neuncut.MinMaxCut(),
    neuncut.Rotation(),
    neuncut.EnSC(),
    neuncut.SenetSC(senet_layers=(64, 32), senet_steps=100),
    Features("standardize,unit"),
]


def not_kept(estimator) -> dict[str, str]:
    """Checks that estimators with weights fail, as those of scikit-learn that draw random numbers do."""
    if "sample_weight" not in inspect.signature(estimator.fit).parameters:
        return {}
    why = "random numbers are drawn for other rows where rows are repeated or left out"
    return {"check_sample_weight_equivalence_on_dense_data": why}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=not_kept)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def not_kept_by_defaults(estimator) -> dict[str, str]:
    """The same with eight clusters, more than these rows have different ones."""
    why = "four different rows cannot be eight clusters, which is refused"
    return not_kept(estimator) | dict.fromkeys(["check_sample_weights_shape", "check_sample_weights_not_overwritten"], why)


@parametrize_with_checks([neuncut.NeuNcut()], expected_failed_checks=not_kept_by_defaults)
def test_scikit_learns_own_checks_with_all_defaults(estimator, check):
    check(estimator)


ALONE = [  # labels and no model
    neuncut.Ensemble,
    neuncut.Ncut,
    neuncut.Rcut,
    neuncut.EnSC,
    neuncut.SenetSC,
    neuncut.NSC,
    neuncut.MinMaxCut,
    neuncut.Rotation,
]


def test_keywords_and_defaults_are_the_settings_of_each_method():
    names = {"n_clusters": "clusters", "random_state": "seed"}
    by_anchors = [neuncut.LSC, neuncut.Nystrom, neuncut.RESKM, neuncut.USPEC, neuncut.USENC, neuncut.Bipartite, neuncut.AutoSC]
    heads = [neuncut.ICon, neuncut.TEMI, neuncut.SCAN, neuncut.TURTLE]
    networks = [neuncut.NeuNcut, neuncut.SpectralNet, neuncut.SpecNet2, neuncut.BaSiS, *heads]
    deep = [neuncut.CNC, neuncut.EDESC, neuncut.DEPICT, neuncut.VaDE]
    kinds = [*networks, neuncut.KMeans, neuncut.Leiden, neuncut.Ward, neuncut.ESC, *by_anchors, *deep, *ALONE]
    assert {kind._method for kind in kinds} == set(_core.methods()) - {"neurcut"}  # which is NeuNcut(objective="rcut")
    for kind in kinds:
        defaults = json.loads(_core.default_config(kind._method))
        keywords = inspect.signature(kind).parameters
        settings = {names.get(name, name).replace("_", "-") for name in keywords}
        expected = set(defaults) - {"method"} - ({"train-rows"} if kind in ALONE else set())
        assert settings - {"verbose", "callback", "image-shape"} == expected, kind
        for name, parameter in keywords.items():
            if name in ("n_clusters", "random_state", "verbose", "callback", "image_shape", "ensemble"):
                continue
            given = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
            assert given == pytest.approx(defaults[name.replace("_", "-")]), (kind, name)


def test_pipeline(blobs):
    rows, classes = blobs
    pipeline = make_pipeline(StandardScaler(), neuncut.NeuNcut(n_clusters=3, random_state=0, **NETWORK))
    labels = pipeline.fit_predict(rows)
    assert neuncut.metrics.accuracy(classes, labels) == 1.0
    assert (pipeline.predict(rows) == labels).all()


def test_grid_search_prefers_the_network_that_cuts_less(blobs):
    rows, _ = blobs
    search = GridSearchCV(
        neuncut.NeuNcut(n_clusters=3, random_state=0, **NETWORK), {"init": ["spectral", "k-means"], "gamma": [20, 80.0]}, cv=2
    )
    search.fit(rows)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert -0.2 < search.best_score_ <= 0


def test_score_is_minus_the_cut_and_ignores_classes(blobs, fitted):
    rows, classes = blobs
    assert fitted.score(rows) == fitted.score(rows, classes)
    assert fitted.score(rows) > -0.01
    worse = neuncut.NeuNcut(n_clusters=6, random_state=0, **NETWORK).fit(rows)
    assert worse.score(rows) < fitted.score(rows) - 0.1


def test_set_output(blobs):
    rows, _ = blobs
    model = neuncut.NeuNcut(n_clusters=3, random_state=0, **NETWORK).set_output(transform="pandas")
    frame = model.fit_transform(rows)
    assert list(frame.columns) == ["neuncut0", "neuncut1", "neuncut2"]
    assert np.allclose(frame.sum(axis=1), 1, atol=1e-5)


def test_memberships(blobs, fitted):
    rows, _ = blobs
    memberships = fitted.predict_proba(rows)
    assert memberships.dtype == np.float32 and memberships.shape == (600, 3)
    assert (memberships.argmax(axis=1) == fitted.predict(rows)).all()
    assert (fitted.predict(rows) == fitted.labels_).all() and fitted.labels_.dtype == np.int32


def test_history(fitted):
    stages = [curve["stage"] for curve in fitted.history_]
    assert "warm start" in stages and stages[-1] == "neural cut"
    curve = fitted.history_[-1]
    assert len(curve["epoch"]) == len(curve["learning_rate"]) == 10
    assert all(np.isfinite(values).all() for name, values in curve.items() if name != "stage")


def test_the_same_seed_gives_the_same_model_and_others_another(blobs):
    rows, _ = blobs
    model = neuncut.NeuNcut(n_clusters=3, random_state=4, **NETWORK)
    first, second = clone(model).fit(rows).predict_proba(rows), clone(model).fit(rows).predict_proba(rows)
    assert (first == second).all()
    assert (clone(model).set_params(random_state=5).fit(rows).predict_proba(rows) != first).any()


def test_pickles_predict_the_same(blobs, fitted):
    rows, _ = blobs
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict_proba(rows) == fitted.predict_proba(rows)).all()
    assert (again.labels_ == fitted.labels_).all()


def test_a_sample_is_fitted_and_all_rows_are_labelled(blobs):
    rows, classes = blobs
    model = neuncut.NeuNcut(n_clusters=3, train_rows=150, random_state=0, **NETWORK).fit(rows)
    assert json.loads(model._model.record())["trained_rows"] == 150
    assert len(model.labels_) == 600 and (model.labels_ == model.predict(rows)).all()
    assert neuncut.metrics.accuracy(classes, model.labels_) > 0.99


def test_labels_to_start_from(blobs):
    rows, classes = blobs
    start = np.where(np.arange(600) % 10 == 0, 10 * (classes + 1), -1)
    model = neuncut.NeuNcut(n_clusters=3, init=start, random_state=0, **NETWORK).fit(rows)
    assert list(model.cluster_names_) == [10, 20, 30]
    assert (model.cluster_names_[model.labels_] == 10 * (classes + 1)).all()
    # labels of few rows may leave clusters without any
    assert list(model.set_params(n_clusters=4).fit(rows).cluster_names_) == [10, 20, 30, 31]
    for clusters, init in [(2, start), (4, classes)]:
        with pytest.raises(ValueError, match=f"init holds 3 labels other than -1, but n_clusters is {clusters}"):
            model.set_params(n_clusters=clusters, init=init).fit(rows)


def test_a_graph_in_memory(blobs):
    from sklearn.neighbors import kneighbors_graph

    rows, classes = blobs
    graph = kneighbors_graph(rows, 10)
    model = neuncut.NeuNcut(n_clusters=3, affinity=graph, random_state=0, **NETWORK).fit(rows)
    assert neuncut.metrics.accuracy(classes, model.labels_) == 1.0
    labels = neuncut.Ncut(n_clusters=3, affinity=graph, random_state=0).fit_predict(rows)
    assert neuncut.metrics.accuracy(classes, labels) == 1.0
    with pytest.raises(ValueError, match=r"must be \(600, 600\)"):
        neuncut.Ncut(n_clusters=3, affinity=graph[:5, :5]).fit(rows)
    graph.data[3] = -1
    with pytest.raises(ValueError, match="affinity is a matrix with the weight -1 between rows 0 and"):
        neuncut.Ncut(n_clusters=3, affinity=graph).fit(rows)


def test_images(blobs):
    images = np.random.default_rng(0).random((60, 256)).astype(np.float32)
    model = neuncut.NeuNcut(n_clusters=2, features="scattering=2,4,pca=6", image_shape=(16, 16), **NETWORK).fit(images)
    assert model.predict(images).shape == (60,)
    with pytest.raises(ValueError, match="image_shape is"):
        neuncut.NeuNcut(n_clusters=2, features="scattering", image_shape=(9, 9)).fit(images)
    with pytest.raises(ValueError, match="that are not images"):
        neuncut.NeuNcut(n_clusters=2, features="scattering").fit(images)


def test_spectral_methods_tell_of_their_graph(blobs):
    rows, classes = blobs
    model = neuncut.Ncut(n_clusters=3, random_state=0).fit(rows)
    assert neuncut.metrics.accuracy(classes, model.labels_) == 1.0
    assert len(model.graph_["eigenvalues"]) >= 3 and model.graph_["cut"] < 0.01
    assert not hasattr(model, "predict")


def test_warnings_speak_of_keywords():
    rows = np.random.default_rng(0).normal(size=(400, 20))
    with pytest.warns(UserWarning, match="compare other n_clusters"):
        neuncut.NeuNcut(n_clusters=5, random_state=0, **NETWORK).fit(rows)


@pytest.mark.parametrize("method", [neuncut.KMeans, neuncut.Ncut, neuncut.Ensemble])
def test_every_method_warns_of_a_column_that_dominates(method):
    rows = np.random.default_rng(0).normal(size=(60, 3)) * [1e6, 1, 1]
    with pytest.warns(UserWarning, match=r"column 1 has 100.0% .*\(features standardize\) or leave it out \(exclude 1\)"):
        method(n_clusters=2, random_state=0).fit(rows)


def test_what_is_not_fitted_says_so(blobs):
    for use in ("predict", "predict_proba", "transform", "score"):
        with pytest.raises(NotFittedError):
            getattr(neuncut.NeuNcut(), use)(blobs[0])


def test_metrics():
    truth, found = [0, 0, 1, 1, 2, 2], [5, 5, 1, 1, 1, 0]
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    scores = neuncut.metrics.scores(truth, found)
    assert scores.accuracy == pytest.approx(5 / 6)
    assert scores.ari == pytest.approx(adjusted_rand_score(truth, found))
    assert scores.nmi == pytest.approx(normalized_mutual_info_score(truth, found, average_method="geometric"))
    with pytest.raises(ValueError):
        neuncut.metrics.accuracy([0, 1], [0])
