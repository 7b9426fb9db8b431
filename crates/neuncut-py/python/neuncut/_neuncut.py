"""NeuNcut, the method of this package."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ._inductive import InductiveClusterer
from ._settings import OnGraph, Sampled, Trained, settings


@settings
class NeuNcut(OnGraph, Trained, Sampled, InductiveClusterer):
    """Neural normalized cut.

    A small network learns which cluster a row belongs to by minimising a relaxed normalized cut of the graph of similar rows.
    Clusters follow the shape of the data, and the network labels rows it has never seen.

    Parameters
    ----------
    n_clusters : int, "auto" or range, default=8
        Number of clusters; "auto", or a range such as "5..40", has it chosen without labels (``n_clusters_``).
    objective : {"auto", "ncut", "rcut", "log", "min-max", "mutual-information"}, default="auto"
        Normalized cut, ratio cut (NeuRcut), log cut, min-max cut, or the mutual information of the clusters at the two ends of an edge;
        "auto" is the first up to 15 columns and the last above. Only the first two have a gamma.
    affinity : str or sparse matrix, default="heat"
        What joins rows: ``heat``, ``self-expressive``, ``elastic-net``, ``siamese``, ``senet``, ``graph:FILE``, or a sparse
        matrix of scipy over the rows of X, which are then all fitted.
    gamma : float, "auto" or "search", default="auto"
        Weight of the orthogonality penalty; "auto" is 80 for the normed form, 100 for the squared one; "search" looks for it without
        labels, which takes some ten times as long.
    features : str, default=""
        Feature steps before anything else, such as ``scattering,pca=500``; the model holds them.
    image_shape : tuple, default=None
        (height, width) or (height, width, channels) of the images that rows are, for ``features``.
    graph : {"auto", "batch", "global", "pairs"}, default="auto"
        Whether neighbours are looked for in a batch or among all fitted rows.
    neighbors : int, "auto" or "all", default="auto"
        Affinities kept per row.
    sigma : float or "auto", default="auto"
        Bandwidth of the heat kernel; automatic is scaled around each row.
    ridge : float, default=0.01
        Ridge of the self-expressive affinity.
    senet_size : {"small", "paper"}, default="small"
        Sizes of SENet.
    senet_layers : tuple of int, default=()
        Widths of its layers in place of those of its size.
    senet_steps, senet_block : int or "auto", default="auto"
        Its training steps, and keys in a step.
    keep_affinity : bool, default=False
        Whether a trained Siamese network or SENet is saved with the model.
    penalty : {"normed", "squared"}, default="normed"
        Form of the orthogonality penalty.
    volumes : {"flow", "held"}, default="flow"
        Whether gradients flow through the volumes.
    representation : str, default="auto"
        ``auto``, ``raw``, ``standard``, ``unit`` or ``ridge=LAM``.
    init : str or array-like of shape (n_samples,), default="spectral"
        Where training starts: ``spectral``, ``overcluster``, ``k-means``, ``random``, or the labels of another clustering, which
        is given a ``predict`` that way (-1 for none). There may be more clusters than labels where fewer than half of the rows
        have one.
    landmarks : int or "auto", default="auto"
        Most rows in the start.
    ensemble : dict, default=None
        Constants of the start that are to differ from their defaults, such as ``{"row-restarts": 5}``.
    guard : bool, default=True
        Whether training on the cut may be undone where it made the held-out cut worse.
    train_rows : int or "auto", default="auto"
        Most rows that are fitted, a uniform sample where X has more; automatic is 20,000, or 100 per cluster if that is more. All
        rows are labelled.
    batch : int or "auto", default="auto"
        Rows per batch; "auto" is 1000, and 500 for training on information.
    epochs : int or "auto", default="auto"
        Passes over the fitted rows.
    hidden : tuple of int or "auto", default="auto"
        Widths of the hidden layers; "auto" is (64, 64) where rows have at most 15 columns and that is enough to learn the
        start, else (512, 512).
    lr : float or "auto", default="auto"
        Initial learning rate.
    weight_decay : float, default=0.0001
        Coupled weight decay.
    label_smoothing : float, default=0.1
        Share of each target of the warm start that is spread over all clusters.
    stability : int, default=0
        Fits with other seeds whose agreement is measured (``diagnostics_["stability"]``), at least two; none unless given.
    device : {"cpu", "cuda", "wgpu"}, default="cpu"
        Where training runs; the wheels have the CPU alone.
    random_state : int, RandomState instance or None, default=None
        Seed. The same number gives the same model as ``neuncut fit --seed``, on any number of threads.
    verbose : int or bool, default=0
        Whether a progress bar is drawn on standard error.
    callback : callable, default=None
        Called with a :class:`neuncut.Progress` after each epoch. An exception that it raises ends the fit.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
        The cluster of each row of X.
    history_ : list of dict
        Learning curves of each stage.
    diagnostics_ : dict
        What the fit found out about the data and about itself.
    n_clusters_ : int
        Number of clusters, also where ``n_clusters`` is "auto" or a range.
    cluster_count_ : dict or None
        The evidence for each number of clusters, where it was chosen.
    cluster_names_ : ndarray
        Which label of ``init`` each cluster has, where labels were given; clusters beyond these have numbers that no label has.
    links_ : dict
        How many links hold (``held``) and which do not (``broken``); only after a fit with links.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where they have some; a loaded model has them too.
    n_iter_ : int
        Passes over the rows, of all stages of training.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import NeuNcut
    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rows = np.concatenate([ring, 3 * ring]).astype(np.float32)  # one ring inside another
    >>> model = NeuNcut(n_clusters=2, hidden=(64, 64), random_state=0).fit(rows)
    >>> inner, outer = model.predict(np.array([[0, 1], [0, -3]], dtype=np.float32))
    >>> bool((model.labels_[:200] == inner).all() and (model.labels_[200:] == outer).all())
    True
    """

    _method = "neuncut"

    objective: str = "auto"
    gamma: float | str = "auto"
    graph: str = "auto"
    keep_affinity: bool = False
    penalty: str = "normed"
    volumes: str = "flow"
    init: Any = "spectral"
    landmarks: int | str = "auto"
    ensemble: dict[str, Any] | None = None
    guard: bool = True
    label_smoothing: float = 0.1
    stability: int = 0

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        like: InductiveClusterer | None = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As every estimator of this package takes it.
        y : ignored
            Present for scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row weighs, zero or positive: in the start, in the sample that is fitted, and in the shares of clusters.
        like : fitted estimator, default=None
            One that was fitted before: clusters that are still there keep their numbers, and the fit starts from its labels where
            they still hold.
        must_link, cannot_link : array-like of int of shape (n_links, 2), default=None
            Pairs of rows of X, counted from 0, that belong in one cluster or in two. The fit keeps as many as it can, and
            ``links_`` says which are broken.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import NeuNcut
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = NeuNcut(n_clusters=2, hidden=(16,), epochs=5, random_state=0).fit(rows, must_link=[(0, 1), (1, 2)])
        >>> len({int(model.labels_[row]) for row in (0, 1, 2)}), model.links_
        (1, {'held': 2, 'broken': []})
        """
        return self._fit(X, sample_weight=sample_weight, like=like, must_link=must_link, cannot_link=cannot_link)

    def _put_start(self, settings: dict[str, Any], more: dict[str, Any], rows: int) -> None:
        """Labels in memory go beside the settings; a cluster is a label other than -1."""
        self.__dict__.pop("cluster_names_", None)
        if isinstance(self.init, str):
            return
        given = np.asarray(self.init)
        if given.shape != (rows,):
            raise ValueError(f"init has the shape {given.shape}, but must be a name or one label for each of {rows} rows")
        known = given != -1
        names, codes = np.unique(given[known], return_inverse=True)
        if isinstance(self.n_clusters, str):
            raise ValueError(f"n_clusters is {self.n_clusters!r}, but must be {len(names)}, the number of labels that init holds")
        more_clusters = len(names) < self.n_clusters and 2 * known.sum() < rows  # of most rows nothing is known
        if len(names) != self.n_clusters and not more_clusters:
            raise ValueError(f"init holds {len(names)} labels other than -1, but n_clusters is {self.n_clusters}")
        start = np.full(rows, -1, dtype=np.int64)
        start[known] = codes
        settings["init"] = "labels"
        more["start"] = start
        self.cluster_names_ = _with_others(names, self.n_clusters)


def _with_others(names: np.ndarray, count: int) -> np.ndarray:
    """Labels, and what clusters without one are called: the next whole numbers, or their own where labels are no numbers."""
    others = np.arange(len(names), count)
    if np.issubdtype(names.dtype, np.integer):
        return np.concatenate([names, others - len(names) + names.max() + 1])
    return np.concatenate([names, others.astype(str)]) if len(others) else names
