"""Spectral clustering by the affinities of rows to anchors. All label new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._inductive import InductiveClusterer
from .._rows import to_rows
from .._settings import Anchored, Sampled, settings

__all__ = ["LSC", "RESKM", "USENC", "USPEC", "AutoSC", "Bipartite", "Nystrom"]


@settings
class _ByAnchors(Anchored, Sampled, InductiveClusterer):
    """An embedding by the affinities of rows to anchors, then k-means."""

    restarts: int | str = "auto"

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


@settings
class _AnchorGraph(_ByAnchors):
    """A graph between rows and their nearest anchors."""

    nearest: int | str = "auto"
    bandwidth: float | str = "auto"


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


@settings
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

    bandwidth: float | str = "auto"


@settings
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

    nearest: int | str = "auto"
    placement: str = "network"


@settings
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

    nearest: int | str = "auto"
    layers: int = 2


@settings
class USENC(Anchored, Sampled, InductiveClusterer):
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

    nearest: int | str = "auto"
    bandwidth: float | str = "auto"
    members: int = 20
    restarts: int | str = "auto"
