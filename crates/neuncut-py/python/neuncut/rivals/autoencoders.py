"""Autoencoders that are trained with the clusters of their codes. All label new rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._inductive import InductiveClusterer
from .._rows import to_rows
from .._settings import Sampled, Trained, settings

__all__ = ["DEPICT", "EDESC", "VaDE"]


@settings
class _Autoencoder(Trained, Sampled, InductiveClusterer):
    """Codes of an autoencoder that is trained with the clusters."""

    _least_rows = 2

    weight_decay: float = 0.0
    batch: int = 256
    pretrain_epochs: int = 30
    first_clusters: str = "k-means"
    restarts: int | str = "auto"

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


@settings
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

    hidden: Sequence[int] | str = (500, 500, 1000)
    subspace_dimensions: int = 5
    subspace_smoothing: float = 5.0
    subspace_weight: float = 0.1

    @property
    def _n_features_out(self) -> int:
        return self._model.n_clusters * json.loads(self._model.config())["subspace-dimensions"]


@settings
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

    hidden: Sequence[int] | str = (500, 500)
    batch: int = 100
    dropout: float = 0.1
    layer_weight: float = 0.1

    @property
    def _n_features_out(self) -> int:
        return self._model.n_clusters


@settings
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

    hidden: Sequence[int] | str = (500, 500, 2000)
    code: int = 10
    reconstruction_weight: float = 1.0

    @property
    def _n_features_out(self) -> int:
        return json.loads(self._model.config())["code"]
