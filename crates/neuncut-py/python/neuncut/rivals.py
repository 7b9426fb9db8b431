"""The methods that the paper compares itself with, on the same features and affinities.

k-means, SpectralNet and SpecNet2 label new rows; the spectral methods know only the rows that they were fitted on, all of them.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._estimator import Callback, Clusterer, InductiveClusterer
from ._rows import to_rows

__all__ = ["EnSC", "Ensemble", "KMeans", "Ncut", "Rcut", "SenetSC", "SpecNet2", "SpectralNet"]


class KMeans(InductiveClusterer):
    """k-means++ and Lloyd's iterations, the best of some restarts; mini-batches above 250,000 fitted rows.

    ``predict_proba`` is the membership in equal round Gaussians at the centres.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
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
        n_clusters: int = 8,
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


class _EmbeddingNetwork(InductiveClusterer):
    """A network that learns the spectral embedding, then k-means."""

    _least_rows = 2

    def __init__(
        self,
        n_clusters: int = 8,
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
        hidden: Sequence[int] = (512, 512),
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
        """The spectral embedding: approximate eigenfunctions of the graph's random walk, leading first."""
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
    """SpecNet2: the same by an objective without orthogonalisation."""

    _method = "specnet2"


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
        n_clusters: int = 8,
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
    n_clusters : int, default=8
        Number of clusters.
    eigenvectors : int or "auto", default="auto"
        How many are used; as many as clusters unless given.
    rounding : {"k-means", "cluster-qr", "discretize"}, default="k-means"
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
    """Spectral clustering by the unnormalised Laplacian; otherwise as :class:`Ncut`."""

    _method = "rcut"


class _OwnAffinity(_SpectralMethod):
    def __init__(
        self,
        n_clusters: int = 8,
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
    n_clusters : int, default=8
        Number of clusters.
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
        n_clusters: int = 8,
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

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        """There is nothing but labels."""


class EnSC(_OwnAffinity):
    """Elastic-net self-expression of all rows, then spectral clustering; otherwise as :class:`Ncut`."""

    _method = "ensc"


class SenetSC(_OwnAffinity):
    """Self-expression that SENet learns on all rows, then spectral clustering; otherwise as :class:`Ncut`.

    Parameters
    ----------
    senet_size, senet_layers, senet_steps, senet_block
        As those of :class:`neuncut.NeuNcut`.
    """

    _method = "senet-sc"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
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
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
