"""Self-expression: rows that others express alike belong together. ESC labels new rows; the others know all their rows."""

from __future__ import annotations

from .._inductive import InductiveClusterer
from .._settings import Rounded, Sampled, SelfExpressive, settings
from .spectral import SpectralMethod

__all__ = ["ESC", "EnSC", "SenetSC"]


@settings
class ESC(Rounded, Sampled, InductiveClusterer):
    """Exemplar-based subspace clustering (You et al. 2018): rows that a few exemplars express alike belong together.

    Rows that were not fitted follow those of nearest coefficients, which the model holds. Meant for clusters of unequal size.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    exemplars : int or "auto", default="auto"
        Rows by which all others are expressed; 300 or a fifth of the rows, whichever is less, and at least 5 per cluster but no more than half of the rows, unless given.
    error_weight : float, default=150
        What half the squared error of a unit row weighs beside its absolute coefficients.
    coefficient_neighbors : int, default=3
        Rows of nearest coefficients that a row is joined to.
    eigenvectors, rounding, row_norm, restarts
        As those of :class:`Ncut`; rows of eigenvectors are made unit unless told.
    train_rows, features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import ESC
    >>> rng = np.random.default_rng(0)
    >>> along = rng.uniform(1, 2, (60, 1))
    >>> rows = np.concatenate([along[:30] * [1, 0, 0], along[30:] * [0, 1, 0]]) + rng.normal(0, 0.01, (60, 3))
    >>> labels = ESC(n_clusters=2, random_state=0).fit_predict(rows)
    >>> len(set(labels[:30])), len(set(labels[30:]))
    (1, 1)
    """

    _method = "esc"
    _least_rows = 2

    exemplars: int | str = "auto"
    error_weight: float = 150.0
    coefficient_neighbors: int = 3


@settings
class EnSC(Rounded, SpectralMethod):
    """Elastic-net self-expression of all rows, then spectral clustering; otherwise as :class:`Ncut`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import EnSC, metrics
    >>> rows, classes = make_blobs(60, centers=[[9, 0], [0, 9]], random_state=0)
    >>> metrics.accuracy(classes, EnSC(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "ensc"


@settings
class SenetSC(SelfExpressive, Rounded, SpectralMethod):
    """Self-expression that SENet learns on all rows, then spectral clustering; otherwise as :class:`Ncut`.

    Parameters
    ----------
    coefficients : {"senet", "closed-form"}, default="senet"
        What writes each row as a combination of others: a SENet, or ridge regression with ``ridge``.
    coefficient_graph : {"first-order", "second-order"}, default="first-order"
        Which rows coefficients join: a row and those that express it, or rows that are expressed alike, as SENet's authors do.
    senet_size, senet_layers, senet_steps, senet_block
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import SenetSC, metrics
    >>> rows, classes = make_blobs(60, centers=[[9, 0], [0, 9]], random_state=0)
    >>> metrics.accuracy(classes, SenetSC(n_clusters=2, coefficients="closed-form", random_state=0).fit_predict(rows))
    1.0
    """

    _method = "senet-sc"

    coefficients: str = "senet"
    coefficient_graph: str = "first-order"
