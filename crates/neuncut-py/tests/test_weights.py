"""Rows that weigh more or less than others."""

import numpy as np
import pytest

from neuncut import Ensemble, KMeans, Leiden, NeuNcut

KINDS = [
    NeuNcut(n_clusters=2, hidden=(64,), epochs=20, random_state=0),
    KMeans(n_clusters=2, random_state=0),
    Ensemble(n_clusters=2, random_state=0),
]


def three_groups() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(centre, 0.5, (60, 2)) for centre in (0, 6, 30)]).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_equal_change_nothing(kind) -> None:
    rows = three_groups()
    without = kind.fit(rows).labels_.copy()
    assert (kind.fit(rows, sample_weight=np.full(len(rows), 2.5)).labels_ == without).all()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_weight_are_no_cluster_of_their_own(kind) -> None:
    rows = three_groups()
    weights = np.repeat([1.0, 1.0, 0.0], 60)
    labels = kind.fit(rows, sample_weight=weights).labels_
    assert len(set(labels[:60])) == len(set(labels[60:120])) == 1 and labels[0] != labels[60]


def test_shares_are_by_weight_and_samples_take_heavy_rows() -> None:
    rows = three_groups()
    weights = np.repeat([8.0, 1.0, 1.0], 60)
    model = KMeans(n_clusters=3, random_state=0, train_rows=90).fit(rows, sample_weight=weights)
    shares = [np.mean(model.labels_[start : start + 60] == model.labels_[start]) for start in (0, 60, 120)]
    assert min(shares) == 1.0 and len(set(model.labels_)) == 3


def test_weights_that_cannot_be_are_named() -> None:
    rows, model = three_groups(), KMeans(n_clusters=2)
    bad = np.ones(len(rows))
    bad[7] = -1
    for weights, said in [(bad, r"sample_weight\[7\] is -1"), (bad * np.nan, "finite"), (bad[:5], "shape"), (0 * bad, "zero")]:
        with pytest.raises(ValueError, match=said):
            model.fit(rows, sample_weight=weights)
    with pytest.raises(TypeError):
        Leiden(n_clusters=2).fit(rows, sample_weight=np.ones(len(rows)))
