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


def test_clusters_keep_their_numbers() -> None:
    earlier = KMeans(n_clusters=5, random_state=0).fit(groups(CENTRES, 60))
    rows = groups(CENTRES, 60, seed=1)
    later = KMeans(n_clusters=5, random_state=7).fit(rows, like=earlier)
    assert (later.labels_ == earlier.predict(rows)).mean() > 0.98
    assert (later.predict(rows) == later.labels_).all()
