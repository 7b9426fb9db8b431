"""The start of NeuNcut alone."""

from __future__ import annotations

from typing import Any, Self

from .. import _core
from .._clusterer import Clusterer
from .._settings import settings

__all__ = ["Ensemble"]


@settings
class Ensemble(Clusterer):
    """The start of :class:`neuncut.NeuNcut` alone: partitions of several kinds, chosen without labels.

    Parameters
    ----------
    n_clusters : int, "auto" or range, default=8
        Number of clusters; "auto", or a range such as "5..40", has it chosen without labels (``n_clusters_``).
    landmarks : int or "auto", default="auto"
        Most rows that are clustered; the others follow their nearest of these. 10,000, or 40 per cluster, unless given.
    ensemble : dict, default=None
        Constants that are to differ from their defaults, such as ``{"row-restarts": 5}``.
    features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
        The cluster of each row of X.
    links_ : dict
        How many links hold (``held``) and which do not (``broken``); only after a fit with links.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import Ensemble
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))])
    >>> labels = Ensemble(n_clusters=2, random_state=0).fit_predict(rows)
    >>> len(set(labels[:30])), len(set(labels[30:]))
    (1, 1)
    """

    _method = "ensemble"
    _least_rows = 2

    landmarks: int | str = "auto"
    ensemble: dict[str, Any] | None = None

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, must_link: Any = None, cannot_link: Any = None
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As every estimator of this package takes it.
        y : ignored
            Present for scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row weighs, zero or positive.
        must_link, cannot_link : array-like of int of shape (n_links, 2), default=None
            Pairs of rows of X, counted from 0, that belong in one cluster or in two. As many hold as can, and ``links_`` says
            which are broken.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import Ensemble
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> Ensemble(n_clusters=2, random_state=0).fit(rows, cannot_link=[(0, 1)]).links_
        {'held': 1, 'broken': []}
        """
        return self._fit(X, sample_weight=sample_weight, must_link=must_link, cannot_link=cannot_link)

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        """There is nothing but labels."""
