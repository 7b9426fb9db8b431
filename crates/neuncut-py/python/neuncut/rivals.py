"""The methods that the paper compares itself with, on the same features and affinities.

k-means, SpectralNet, SpecNet2, BaSiS, ESC, Leiden, the methods by anchors and the deep ones (CNC, EDESC, DEPICT, VaDE) label new rows; the spectral methods know only the rows that they were fitted on, all of them.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._estimator import Callback, Clusterer, InductiveClusterer, links
from ._rows import to_rows

__all__ = [
    "ESC",
    "CNC",
    "DEPICT",
    "EDESC",
    "LSC",
    "NSC",
    "RESKM",
    "USENC",
    "USPEC",
    "AutoSC",
    "BaSiS",
    "Bipartite",
    "EnSC",
    "Ensemble",
    "KMeans",
    "Leiden",
    "MinMaxCut",
    "Ncut",
    "Nystrom",
    "Rcut",
    "Rotation",
    "SenetSC",
    "SpecNet2",
    "SpectralNet",
    "VaDE",
]


class KMeans(InductiveClusterer):
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

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

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
        if like is None:
            return self._fit(X, sample_weight=sample_weight)
        check_is_fitted(like, "_model")
        return self._fit(X, sample_weight=sample_weight, earlier=like._model)


class _EmbeddingNetwork(InductiveClusterer):
    """A network that learns the spectral embedding, then k-means."""

    _least_rows = 2

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        affinity: str = "heat",
        eigenvectors: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        keep_affinity: bool = False,
        representation: str = "auto",
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        batch: int = 1000,
        epochs: int | str = "auto",
        hidden: Sequence[int] | str = "auto",
        lr: float | str = "auto",
        weight_decay: float = 1e-4,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.eigenvectors = eigenvectors
        self.features = features
        self.image_shape = image_shape
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.keep_affinity = keep_affinity
        self.representation = representation
        self.restarts = restarts
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def transform(self, X: Any) -> np.ndarray:
        """The spectral embedding: approximate eigenfunctions of the graph's random walk, leading first.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import SpectralNet
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> SpectralNet(n_clusters=2, hidden=(8,), epochs=5, random_state=0).fit(rows).transform(rows).shape
        (60, 2)
        """
        check_is_fitted(self, "_model")
        return self._model.embedding(to_rows(self, X, reset=False))

    @property
    def _n_features_out(self) -> int:
        eigenvectors = json.loads(self._model.config())["eigenvectors"]
        return self._model.n_clusters if eigenvectors == "auto" else eigenvectors


class SpectralNet(_EmbeddingNetwork):
    """SpectralNet: a network learns the spectral embedding behind an orthogonalisation, then k-means.

    Parameters are those of :class:`neuncut.NeuNcut`, with ``eigenvectors`` for the outputs of the network and ``restarts`` for
    those of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import SpectralNet
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> SpectralNet(n_clusters=3, hidden=(8,), epochs=5, random_state=0).fit_transform(rows).shape
    (60, 3)
    """

    _method = "spectralnet"


class SpecNet2(_EmbeddingNetwork):
    """SpecNet2: the same by an objective without orthogonalisation.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import SpecNet2, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, SpecNet2(n_clusters=2, hidden=(16,), epochs=20, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "specnet2"


class BaSiS(_EmbeddingNetwork):
    """BaSiS (Streicher et al. 2023): a network learns eigenvectors of batches, which anchors bring into the same coordinates, then k-means.

    Parameters
    ----------
    anchors : int or "auto", default="auto"
        Rows that are in the graph of every batch; 500 or a tenth of the rows, whichever is less, and at least 5 per cluster, unless given.
    anchor_choice : {"auto", "k-means", "random", "k-means++", "leverage"}, default="auto"
        How anchors are chosen; at random unless given.
    others
        As those of :class:`SpectralNet`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import BaSiS, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, BaSiS(n_clusters=2, hidden=(16,), epochs=20, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "basis"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        anchors: int | str = "auto",
        anchor_choice: str = "auto",
        affinity: str = "heat",
        eigenvectors: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        representation: str = "auto",
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        batch: int = 1000,
        epochs: int | str = "auto",
        hidden: Sequence[int] | str = "auto",
        lr: float | str = "auto",
        weight_decay: float = 1e-4,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.anchors = anchors
        self.anchor_choice = anchor_choice
        self.affinity = affinity
        self.eigenvectors = eigenvectors
        self.features = features
        self.image_shape = image_shape
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.representation = representation
        self.restarts = restarts
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class ESC(InductiveClusterer):
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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        exemplars: int | str = "auto",
        error_weight: float = 150.0,
        coefficient_neighbors: int = 3,
        eigenvectors: int | str = "auto",
        rounding: str = "k-means",
        row_norm: str = "auto",
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.exemplars = exemplars
        self.error_weight = error_weight
        self.coefficient_neighbors = coefficient_neighbors
        self.eigenvectors = eigenvectors
        self.rounding = rounding
        self.row_norm = row_norm
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class Leiden(InductiveClusterer):
    """Leiden communities of the graph of nearest neighbours; rows that were not fitted follow their nearest.

    The model holds the rows that it was fitted on.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; the most, where a resolution is given.
    resolution : float or "auto", default="auto"
        Resolution of the modularity; searched for until there are ``n_clusters`` communities unless given.
    neighbors : int or "auto", default="auto"
        Neighbours per row of the graph; 15 unless given.
    affinity, features, image_shape, sigma, ridge, senet_size, senet_layers, senet_steps, senet_block, representation, train_rows, \
device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import Leiden
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))])
    >>> model = Leiden(n_clusters=2, random_state=0).fit(rows)
    >>> bool((model.predict([[0, 0], [9, 9]]) == model.labels_[[0, -1]]).all())
    True
    """

    _method = "leiden"
    _least_rows = 2

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        affinity: Any = "heat",
        resolution: float | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        representation: str = "auto",
        train_rows: int | str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.resolution = resolution
        self.features = features
        self.image_shape = image_shape
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.representation = representation
        self.train_rows = train_rows
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class _ByAnchors(InductiveClusterer):
    """An embedding by the affinities of rows to anchors, then k-means."""

    def transform(self, X: Any) -> np.ndarray:
        """The spectral embedding, rows of length one.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import LSC
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> LSC(n_clusters=2, random_state=0).fit(rows).transform(rows).shape
        (60, 2)
        """
        check_is_fitted(self, "_model")
        return self._model.embedding(to_rows(self, X, reset=False))


class _AnchorGraph(_ByAnchors):
    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        anchors: int | str = "auto",
        anchor_choice: str = "auto",
        nearest: int | str = "auto",
        bandwidth: float | str = "auto",
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.anchors = anchors
        self.anchor_choice = anchor_choice
        self.nearest = nearest
        self.bandwidth = bandwidth
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class LSC(_AnchorGraph):
    """Landmark-based spectral clustering (Chen and Cai 2011): a heat kernel to the nearest anchors, singular vectors, k-means.

    Parameters
    ----------
    n_clusters : int, "auto" or range, default=8
        Number of clusters; "auto", or a range such as "5..40", has it chosen without labels (``n_clusters_``).
    anchors : int or "auto", default="auto"
        Anchors; 1000 or a tenth of the rows, whichever is less, and at least 5 per cluster, unless given.
    anchor_choice : {"auto", "k-means", "random", "k-means++", "leverage"}, default="auto"
        How anchors are chosen: as the method's authors do, centres of k-means, or rows drawn at random, by k-means++ or by leverage scores.
    nearest : int or "auto", default="auto"
        Nearest anchors that a row is joined to; 5 unless given.
    bandwidth : float or "auto", default="auto"
        Bandwidth of the heat kernel; the mean distance of rows to the anchors they are joined to unless given.
    restarts : int or "auto", default="auto"
        Restarts of k-means; 20 unless given.
    train_rows, features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import LSC
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))])
    >>> model = LSC(n_clusters=2, random_state=0).fit(rows)
    >>> bool((model.predict([[0, 0], [9, 9]]) == model.labels_[[0, -1]]).all())
    True
    """

    _method = "lsc"


class RESKM(_AnchorGraph):
    """RESKM (Yang et al. 2023): k-means of the anchors' eigenvectors alone, two nearest anchors per row; otherwise as :class:`LSC`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import RESKM, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, RESKM(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "reskm"


class USPEC(_AnchorGraph):
    """U-SPEC (Huang et al. 2020): the transfer cut of the graph between rows and anchors; otherwise as :class:`LSC`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import USPEC, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, USPEC(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "uspec"


class Nystrom(_ByAnchors):
    """Spectral clustering of all pairs by a sample of them (Fowlkes et al. 2004); otherwise as :class:`LSC`.

    ``anchors`` are 500 rows drawn at random unless given, and all of them count for each row.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import Nystrom, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, Nystrom(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "nystrom"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        anchors: int | str = "auto",
        anchor_choice: str = "auto",
        bandwidth: float | str = "auto",
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.anchors = anchors
        self.anchor_choice = anchor_choice
        self.bandwidth = bandwidth
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class AutoSC(_ByAnchors):
    """AutoSC (Fan et al. 2022): of several self-expressive affinities of anchors the one of the largest relative eigengap.

    Otherwise as :class:`LSC`. A row gets its place in the embedding by a network that was trained on the anchors, or with
    ``placement="anchors"`` as the mean of its ``nearest`` anchors.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import AutoSC, metrics
    >>> rows, classes = make_blobs(60, centers=[[9, 0], [0, 9]], random_state=0)
    >>> metrics.accuracy(classes, AutoSC(n_clusters=2, random_state=0).fit_predict(rows)) > 0.9
    True
    """

    _method = "autosc"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        anchors: int | str = "auto",
        anchor_choice: str = "auto",
        nearest: int | str = "auto",
        placement: str = "network",
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.anchors = anchors
        self.anchor_choice = anchor_choice
        self.nearest = nearest
        self.placement = placement
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class Bipartite(_ByAnchors):
    """A hierarchical bipartite graph without a bandwidth (Yang et al. 2020); otherwise as :class:`LSC`.

    ``layers`` of anchors, each with half as many as the one before.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import Bipartite, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, Bipartite(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "bipartite"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        anchors: int | str = "auto",
        anchor_choice: str = "auto",
        nearest: int | str = "auto",
        layers: int = 2,
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.anchors = anchors
        self.anchor_choice = anchor_choice
        self.nearest = nearest
        self.layers = layers
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class USENC(InductiveClusterer):
    """U-SENC (Huang et al. 2020): the consensus of many U-SPEC runs; rows that were not fitted follow their nearest.

    ``members`` is how many runs; otherwise as :class:`LSC`. The model holds the rows that it was fitted on.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import USENC, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, USENC(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "usenc"

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        anchors: int | str = "auto",
        anchor_choice: str = "auto",
        nearest: int | str = "auto",
        bandwidth: float | str = "auto",
        members: int = 20,
        restarts: int | str = "auto",
        train_rows: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.anchors = anchors
        self.anchor_choice = anchor_choice
        self.nearest = nearest
        self.bandwidth = bandwidth
        self.members = members
        self.restarts = restarts
        self.train_rows = train_rows
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class _SpectralMethod(Clusterer):
    """Spectral clustering of all rows: labels, and no model."""

    _least_rows = 2

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        self.graph_ = json.loads(findings or "{}")
        for sentence in self.graph_.get("warnings", ()):
            warnings.warn(sentence, UserWarning, stacklevel=3)


class _GivenAffinity(_SpectralMethod):
    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        affinity: Any = "heat",
        eigenvectors: int | str = "auto",
        rounding: str = "k-means",
        row_norm: str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        representation: str = "auto",
        restarts: int | str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.eigenvectors = eigenvectors
        self.rounding = rounding
        self.row_norm = row_norm
        self.features = features
        self.image_shape = image_shape
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.representation = representation
        self.restarts = restarts
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


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

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        nonnegative_start: str = "labels",
        affinity: Any = "heat",
        eigenvectors: int | str = "auto",
        rounding: str = "k-means",
        row_norm: str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        representation: str = "auto",
        restarts: int | str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        super().__init__(
            n_clusters,
            affinity=affinity,
            eigenvectors=eigenvectors,
            rounding=rounding,
            row_norm=row_norm,
            features=features,
            image_shape=image_shape,
            neighbors=neighbors,
            sigma=sigma,
            ridge=ridge,
            senet_size=senet_size,
            senet_layers=senet_layers,
            senet_steps=senet_steps,
            senet_block=senet_block,
            representation=representation,
            restarts=restarts,
            device=device,
            random_state=random_state,
            verbose=verbose,
            callback=callback,
        )
        self.nonnegative_start = nonnegative_start


class Rotation(_SpectralMethod):
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

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: Any = "heat",
        rotation: str = "improved",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.rotation = rotation
        self.features = features
        self.image_shape = image_shape
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class _OwnAffinity(_SpectralMethod):
    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        eigenvectors: int | str = "auto",
        rounding: str = "k-means",
        row_norm: str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        restarts: int | str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.eigenvectors = eigenvectors
        self.rounding = rounding
        self.row_norm = row_norm
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.restarts = restarts
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


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

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        landmarks: int | str = "auto",
        ensemble: dict[str, Any] | None = None,
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.landmarks = landmarks
        self.ensemble = ensemble
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

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
        return self._fit(X, sample_weight=sample_weight, **links(must_link, cannot_link))

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        """There is nothing but labels."""


class EnSC(_OwnAffinity):
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


class SenetSC(_OwnAffinity):
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

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        coefficients: str = "senet",
        coefficient_graph: str = "first-order",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        eigenvectors: int | str = "auto",
        rounding: str = "k-means",
        row_norm: str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        restarts: int | str = "auto",
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        super().__init__(
            n_clusters,
            eigenvectors=eigenvectors,
            rounding=rounding,
            row_norm=row_norm,
            features=features,
            image_shape=image_shape,
            representation=representation,
            restarts=restarts,
            device=device,
            random_state=random_state,
            verbose=verbose,
            callback=callback,
        )
        self.coefficients = coefficients
        self.coefficient_graph = coefficient_graph
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block


class CNC(InductiveClusterer):
    """CNC (Nazi et al. 2019): a network of low expected normalized cut, trained on random assignments.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    balance : float, default=0.01
        Weight of the differences between the sizes of clusters in a batch, which are squared.
    assignment_temperature : float, default=1.5
        Temperature of the random assignments at first; it falls to one.
    affinity, neighbors, sigma, ridge, senet_size, senet_layers, senet_steps, senet_block, features, image_shape, representation, \
train_rows, batch, epochs, hidden, lr, weight_decay, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import CNC
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> CNC(n_clusters=3, affinity="heat", hidden=(8,), epochs=5, random_state=0).fit_predict(rows).shape
    (60,)
    """

    _method = "cnc"
    _least_rows = 2

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        balance: float = 0.01,
        assignment_temperature: float = 1.5,
        affinity: str = "siamese",
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        train_rows: int | str = "auto",
        batch: int = 256,
        epochs: int | str = "auto",
        hidden: Sequence[int] | str = "auto",
        lr: float | str = "auto",
        weight_decay: float = 0.0,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.balance = balance
        self.assignment_temperature = assignment_temperature
        self.affinity = affinity
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback


class _Autoencoder(InductiveClusterer):
    """Codes of an autoencoder that is trained with the clusters."""

    _least_rows = 2

    def transform(self, X: Any) -> np.ndarray:
        """The codes of the rows.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import VaDE
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> VaDE(n_clusters=2, code=3, hidden=(8,), pretrain_epochs=2, epochs=2, random_state=0).fit(rows).transform(rows).shape
        (60, 3)
        """
        check_is_fitted(self, "_model")
        return self._model.embedding(to_rows(self, X, reset=False))


class EDESC(_Autoencoder):
    """EDESC (Cai et al. 2022): codes of an autoencoder in one subspace per cluster.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    subspace_dimensions : int, default=5
        Dimensions of each subspace; codes have as many numbers per cluster.
    subspace_smoothing : float, default=5.0
        Smoothing of the memberships in subspaces.
    subspace_weight : float, default=0.1
        Weight of the divergence of memberships from their own sharper targets.
    pretrain_epochs : int, default=30
        Most passes over the rows in which the autoencoder is trained before there are clusters.
    first_clusters : {"k-means", "ensemble"}, default="k-means"
        The clusters it continues from: k-means of the codes, or those of :class:`Ensemble`.
    restarts : int or "auto", default="auto"
        Restarts of k-means; 20 unless given.
    features, image_shape, representation, train_rows, batch, epochs, hidden, lr, weight_decay, device, random_state, verbose, \
callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import EDESC
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> EDESC(n_clusters=3, hidden=(8,), epochs=5, random_state=0).fit_predict(rows).shape
    (60,)
    """

    _method = "edesc"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        subspace_dimensions: int = 5,
        subspace_smoothing: float = 5.0,
        subspace_weight: float = 0.1,
        pretrain_epochs: int = 30,
        first_clusters: str = "k-means",
        restarts: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        train_rows: int | str = "auto",
        batch: int = 256,
        epochs: int | str = "auto",
        hidden: Sequence[int] = (500, 500, 1000),
        lr: float | str = "auto",
        weight_decay: float = 0.0,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.subspace_dimensions = subspace_dimensions
        self.subspace_smoothing = subspace_smoothing
        self.subspace_weight = subspace_weight
        self.pretrain_epochs = pretrain_epochs
        self.first_clusters = first_clusters
        self.restarts = restarts
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @property
    def _n_features_out(self) -> int:
        return self._model.n_clusters * json.loads(self._model.config())["subspace-dimensions"]


class DEPICT(_Autoencoder):
    """DEPICT (Dizaji et al. 2017): an autoencoder and a softmax layer that sharpen their own memberships.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    dropout : float, default=0.1
        Share of the numbers of a row, and of its first hidden layer, that noise sets to zero.
    layer_weight : float, default=0.1
        Weight of the reconstruction of hidden layers beside that of the row.
    pretrain_epochs : int, default=30
        Most passes over the rows in which the autoencoder is trained before there are clusters.
    first_clusters : {"k-means", "ensemble"}, default="k-means"
        The clusters it continues from: k-means of the codes, or those of :class:`Ensemble`.
    restarts : int or "auto", default="auto"
        Restarts of k-means; 20 unless given.
    features, image_shape, representation, train_rows, batch, epochs, hidden, lr, weight_decay, device, random_state, verbose, \
callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import DEPICT
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> DEPICT(n_clusters=3, hidden=(8,), epochs=5, random_state=0).fit_predict(rows).shape
    (60,)
    """

    _method = "depict"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        dropout: float = 0.1,
        layer_weight: float = 0.1,
        pretrain_epochs: int = 30,
        first_clusters: str = "k-means",
        restarts: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        train_rows: int | str = "auto",
        batch: int = 100,
        epochs: int | str = "auto",
        hidden: Sequence[int] = (500, 500),
        lr: float | str = "auto",
        weight_decay: float = 0.0,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.dropout = dropout
        self.layer_weight = layer_weight
        self.pretrain_epochs = pretrain_epochs
        self.first_clusters = first_clusters
        self.restarts = restarts
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @property
    def _n_features_out(self) -> int:
        return self._model.n_clusters


class VaDE(_Autoencoder):
    """VaDE (Jiang et al. 2017): a variational autoencoder whose codes are drawn from a mixture of Gaussians.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    code : int, default=10
        Numbers in a code.
    reconstruction_weight : float, default=1.0
        Weight of the reconstruction.
    pretrain_epochs : int, default=30
        Most passes over the rows in which the autoencoder is trained before there are clusters.
    first_clusters : {"k-means", "ensemble"}, default="k-means"
        The clusters it continues from: k-means of the codes, or those of :class:`Ensemble`.
    restarts : int or "auto", default="auto"
        Restarts of k-means; 20 unless given.
    features, image_shape, representation, train_rows, batch, epochs, hidden, lr, weight_decay, device, random_state, verbose, \
callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import VaDE
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> VaDE(n_clusters=3, hidden=(8,), epochs=5, random_state=0).fit_predict(rows).shape
    (60,)
    """

    _method = "vade"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        code: int = 10,
        reconstruction_weight: float = 1.0,
        pretrain_epochs: int = 30,
        first_clusters: str = "k-means",
        restarts: int | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        representation: str = "auto",
        train_rows: int | str = "auto",
        batch: int = 256,
        epochs: int | str = "auto",
        hidden: Sequence[int] = (500, 500, 2000),
        lr: float | str = "auto",
        weight_decay: float = 0.0,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.code = code
        self.reconstruction_weight = reconstruction_weight
        self.pretrain_epochs = pretrain_epochs
        self.first_clusters = first_clusters
        self.restarts = restarts
        self.features = features
        self.image_shape = image_shape
        self.representation = representation
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @property
    def _n_features_out(self) -> int:
        return json.loads(self._model.config())["code"]
