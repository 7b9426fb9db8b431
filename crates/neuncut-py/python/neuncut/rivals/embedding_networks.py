"""Networks that learn the spectral embedding, then k-means. All label new rows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._inductive import InductiveClusterer
from .._rows import to_rows
from .._settings import Anchored, OnGraph, Sampled, Trained, settings

__all__ = ["BaSiS", "SpecNet2", "SpectralNet"]


@settings
class _EmbeddingNetwork(OnGraph, Trained, Sampled, InductiveClusterer):
    """A network that learns the spectral embedding, then k-means."""

    _least_rows = 2

    eigenvectors: int | str = "auto"
    restarts: int | str = "auto"

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


@settings
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

    keep_affinity: bool = False


@settings
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

    keep_affinity: bool = False


@settings
class BaSiS(Anchored, _EmbeddingNetwork):
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
