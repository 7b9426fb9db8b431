"""k-means."""

from __future__ import annotations

from typing import Any, Self

from .._inductive import InductiveClusterer
from .._settings import Sampled, settings

__all__ = ["KMeans"]


@settings
class KMeans(Sampled, InductiveClusterer):
    """k-means++ and Lloyd's iterations, the best of some restarts; mini-batches above 250,000 fitted rows.

    ``predict_proba`` is the membership in equal round Gaussians at the centres.

    Parameters
    ----------
    n_clusters : int, "auto" or range, default=8
        Number of clusters; "auto", or a range such as "5..40", has it chosen without labels (``n_clusters_``).
    restarts : int or "auto", default="auto"
        Restarts; 10 unless given.
    train_rows : int or "auto", default="auto"
        Most rows that are fitted, a uniform sample where X has more.
    features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import KMeans
    >>> rows = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8]])
    >>> labels = KMeans(n_clusters=2, random_state=0).fit_predict(rows)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _method = "kmeans"

    restarts: int | str = "auto"

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, like: InductiveClusterer | None = None
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
        like : fitted estimator, default=None
            One that was fitted before: clusters that are still there keep their numbers.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> from neuncut import KMeans
        >>> model = KMeans(n_clusters=2, random_state=0).fit([[0.0], [1.0], [9.0], [900.0]], sample_weight=[1, 1, 1, 0])
        >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
        True
        """
        return self._fit(X, sample_weight=sample_weight, like=like)
