"""Pairs of rows that belong together or apart."""

import numpy as np
import pytest

from neuncut import Ensemble, KMeans, NeuNcut

NETWORK = {"hidden": (64,), "epochs": 20}


def two_groups() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(7, 1, (60, 2))]).astype(np.float32)


@pytest.mark.parametrize("kind", [NeuNcut(n_clusters=2, random_state=0, **NETWORK), Ensemble(n_clusters=2, random_state=0)])
def test_labels_obey_links_where_they_can(kind) -> None:
    rows = two_groups()
    fitted = kind.fit(rows, must_link=[(0, 1), (1, 2)], cannot_link=[(3, 100)])
    labels = fitted.labels_
    assert labels[0] == labels[1] == labels[2] and labels[3] != labels[100]
    assert fitted.links_ == {"held": 3, "broken": []}
    torn = kind.fit(rows, cannot_link=[(0, 60), (60, 1), (0, 1)])  # three rows apart in two clusters
    assert torn.links_["held"] == 2 and torn.links_["broken"][0]["link"] == "cannot"
    assert not hasattr(kind.fit(rows), "links_")


def test_links_that_cannot_be_are_named() -> None:
    model, rows = NeuNcut(n_clusters=2, random_state=0, **NETWORK), two_groups()
    with pytest.raises(ValueError, match="rows 0 and 2 cannot be together"):
        model.fit(rows, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(ValueError, match="leads out of the 120 rows"):
        model.fit(rows, must_link=[(0, 120)])
    with pytest.raises(ValueError, match="pair of row 4 and itself"):
        model.fit(rows, cannot_link=[(4, 4)])
    with pytest.raises(ValueError, match="shape"):
        model.fit(rows, cannot_link=[1, 2, 3])
    with pytest.raises(ValueError, match="shape"):
        model.fit(rows, must_link=[(0.5, 1.5)])


def test_links_are_no_matter_of_other_methods() -> None:
    with pytest.raises(TypeError):
        KMeans(n_clusters=2).fit(two_groups(), must_link=[(0, 1)])
