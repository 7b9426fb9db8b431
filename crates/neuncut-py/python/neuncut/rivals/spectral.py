"""Spectral clustering of all rows: labels, and no model."""

from __future__ import annotations

import json
from typing import Any

from .. import _core
from .._clusterer import Clusterer
from .._settings import OnGraph, Rounded, settings

__all__ = ["NSC", "MinMaxCut", "Ncut", "Rcut", "Rotation"]


class SpectralMethod(Clusterer):
    """Spectral clustering of all rows: labels, and no model."""

    _least_rows = 2

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        self.graph_ = json.loads(findings or "{}")


@settings
class _GivenAffinity(OnGraph, Rounded, SpectralMethod):
    """By eigenvectors of the graph of an affinity."""


class Ncut(_GivenAffinity):
    """Spectral clustering by the normalised Laplacian of a sparse graph.

    Parameters
    ----------
    n_clusters : int, "auto" or range, default=8
        Number of clusters; "auto", or a range such as "5..40", has it chosen without labels (``n_clusters_``).
    eigenvectors : int or "auto", default="auto"
        How many are used; as many as clusters unless given.
    rounding : {"k-means", "cluster-qr", "discretize", "rotation"}, default="k-means"
        How they become labels.
    row_norm : {"auto", "unit", "none"}, default="auto"
        How their rows are scaled first.
    affinity, features, image_shape, neighbors, sigma, ridge, senet_size, senet_layers, senet_steps, senet_block, representation, \
restarts, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
        The cluster of each row of X.
    graph_ : dict
        What was seen of the graph: its weights, pieces, eigenvalues and cut.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import Ncut
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))])
    >>> labels = Ncut(n_clusters=2, random_state=0).fit_predict(rows)
    >>> len(set(labels[:30])), len(set(labels[30:]))
    (1, 1)
    """

    _method = "ncut"


class Rcut(_GivenAffinity):
    """Spectral clustering by the unnormalised Laplacian; otherwise as :class:`Ncut`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import Rcut, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, Rcut(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "rcut"


class MinMaxCut(_GivenAffinity):
    """The min-max cut (Ding et al. 2001): spectral clustering, then linkage refinement; otherwise as :class:`Ncut`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import MinMaxCut, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, MinMaxCut(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "min-max-cut"


@settings
class NSC(_GivenAffinity):
    """Nonnegative spectral clustering (Ding, Li and Jordan 2008); otherwise as :class:`Ncut`.

    Parameters
    ----------
    nonnegative_start : {"labels", "nndsvd", "random"}, default="labels"
        Where the updates begin: at the labels of spectral clustering, at nonnegative parts of the eigenvectors, or at random.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import NSC, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, NSC(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "nsc"

    nonnegative_start: str = "labels"


@settings
class Rotation(OnGraph, SpectralMethod):
    """Spectral rotation: eigenvectors are rotated to indicators of clusters, without k-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    rotation : {"improved", "discretize"}, default="improved"
        What the rotated eigenvectors come near to: indicators scaled by the volumes of clusters (Chen et al. 2017), or plain ones, from rows
        made unit (Yu and Shi 2003).
    affinity, features, image_shape, neighbors, sigma, ridge, senet_size, senet_layers, senet_steps, senet_block, representation, \
device, random_state, verbose, callback
        As those of :class:`Ncut`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import Rotation, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, Rotation(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "rotation"

    rotation: str = "improved"
