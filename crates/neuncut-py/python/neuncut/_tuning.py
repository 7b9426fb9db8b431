"""Gamma without labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._neuncut import NeuNcut
from ._rows import to_rows


@dataclass(frozen=True)
class GammaSearch:
    """What a search for gamma found.

    Attributes
    ----------
    gamma : float
        The value that was chosen: of those whose ``orth`` is within ``bound`` without a gap, the one of lowest ``lap``.
    gammas, lap, orth, live_clusters : ndarray
        Every value that was tried, large to small; the optimum of both loss terms with it; clusters that had rows at the end.
    bound : float
        The most that ``orth`` may be.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import tune_gamma
    >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> found = tune_gamma(rows, 2, gammas=[1000, 80], hidden=(16,), epochs=5, random_state=0)
    >>> found.gamma in found.gammas, found.orth.shape
    (True, (2,))
    """

    gamma: float
    gammas: np.ndarray
    lap: np.ndarray
    orth: np.ndarray
    live_clusters: np.ndarray
    bound: float


def tune_gamma(X: Any, n_clusters: int = 8, *, gammas: Sequence[float] | None = None, **settings: Any) -> GammaSearch:
    """Search for gamma without labels, as ``neuncut tune`` does: one training for each value, from the same start.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        As for ``NeuNcut.fit``.
    n_clusters : int, default=8
        Number of clusters.
    gammas : sequence of float, default=None
        Values to try, from large to small.
    **settings
        Other keywords of ``NeuNcut``.

    Returns
    -------
    GammaSearch
        The value that was chosen, and all that were tried.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import NeuNcut, tune_gamma
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (50, 3)), rng.normal(9, 1, (50, 3))])
    >>> found = tune_gamma(rows, 2, gammas=[1000, 80, 1], hidden=(32,), random_state=0)
    >>> found.gammas.tolist(), found.gamma in found.gammas
    ([1000.0, 80.0, 1.0], True)
    >>> model = NeuNcut(2, gamma=found.gamma, hidden=(32,), random_state=0).fit(rows)
    """
    estimator = NeuNcut(n_clusters, **settings)
    if not isinstance(estimator.init, str) or estimator.init == "labels":
        raise ValueError("init holds labels, but must be a start that the search can find: leave it out")
    rows = to_rows(estimator, X, reset=True)
    values = None if gammas is None else [float(gamma) for gamma in gammas]
    sweep = json.loads(estimator._run(_core.tune_gamma, rows, gammas=values))
    points = sweep["points"]
    columns = {name: np.array([point[name] for point in points]) for name in ("gamma", "lap", "orth", "live_clusters")}
    return GammaSearch(sweep["threshold"], columns.pop("gamma"), bound=sweep["bound"], **columns)
