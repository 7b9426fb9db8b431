"""The number of clusters chosen by the fit, and fits that go on from an earlier one."""

import numpy as np
import pytest

from neuncut import KMeans, Leiden, NeuNcut


def groups(centres, each: int, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(scale=0.3, size=(each * len(centres), 2))
    return (np.tile(np.asarray(centres, dtype=float), (each, 1)) + noise).astype(np.float32)


CENTRES = [(0, 0), (5, 0), (0, 5), (5, 5), (10, 0)]


def test_the_number_of_clusters_is_chosen() -> None:
    rows = groups(CENTRES, 60)
    for kind in [KMeans, Leiden]:
        model = kind(n_clusters="auto", random_state=0).fit(rows)
        assert model.n_clusters_ == 5 and model.n_clusters == "auto"
    count = KMeans(n_clusters="3..8", random_state=0).fit(rows).cluster_count_
    assert count["recommended"][0] == 5
    assert [evidence["clusters"] for evidence in count["evidence"]] == [3, 4, 5, 6, 7, 8]
    assert KMeans(n_clusters=4, random_state=0).fit(rows).cluster_count_ is None
    with pytest.raises(ValueError, match="is not a number, `auto` or a range"):
        KMeans(n_clusters="many").fit(rows)
    with pytest.raises(ValueError, match="the number of labels that init holds"):
        NeuNcut(n_clusters="auto", init=np.zeros(len(rows), dtype=int)).fit(rows)


def test_coarser_labels_are_the_labels_merged() -> None:
    rows = groups(CENTRES, 60)
    model = KMeans(n_clusters=5, random_state=0).fit(rows)
    fine, coarse = model.predict(rows), model.predict(rows, levels=[5, 2, 1])
    assert coarse.shape == (300, 3) and coarse.dtype == np.int32
    assert (coarse[:, 0] == fine).all() and (coarse[:, 2] == 0).all()
    assert (coarse[:, 1] == model.predict(rows, levels=2)).all() and len(np.unique(coarse[:, 1])) == 2
    assert all(len(np.unique(coarse[fine == cluster, 1])) == 1 for cluster in range(5))
    for levels in [[], "5", 2.5, -1, [2, 0], [[2]]]:
        with pytest.raises(ValueError, match="must be a number of clusters such as 5"):
            model.predict(rows, levels=levels)
    with pytest.raises(ValueError, match="level is 6, but must be 1 to 5"):
        model.predict(rows, levels=[2, 6])


def test_few_labels_may_be_of_fewer_clusters() -> None:
    rows = groups(CENTRES, 60)
    init = np.full(len(rows), -1)
    init[[0, 1, 2]] = [10, 20, 30]
    model = NeuNcut(n_clusters=5, init=init, epochs=2, hidden=(32,), random_state=0).fit(rows)
    assert len(np.unique(model.labels_)) == 5 and model.labels_[:3].tolist() == [0, 1, 2]
    assert model.cluster_names_.tolist() == [10, 20, 30, 31, 32]
    with pytest.raises(ValueError, match="init holds 3 labels other than -1, but n_clusters is 2"):
        NeuNcut(n_clusters=2, init=init).fit(rows)


def test_clusters_keep_their_numbers() -> None:
    earlier = KMeans(n_clusters=5, random_state=0).fit(groups(CENTRES, 60))
    rows = groups(CENTRES, 60, seed=1)
    later = KMeans(n_clusters=5, random_state=7).fit(rows, like=earlier)
    assert (later.labels_ == earlier.predict(rows)).mean() > 0.98
    assert (later.predict(rows) == later.labels_).all()
