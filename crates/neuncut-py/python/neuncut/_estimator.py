"""NeuNcut, and what all clusterers of this package share."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._progress import Progress, watcher_for
from ._rows import to_array, to_rows
from ._seeds import seed_of

Callback = Callable[[Progress], Any] | None

# Keywords that are called otherwise in settings, and those that are no settings.
_NAMES = {"n_clusters": "clusters", "random_state": "seed"}
_OTHERS = ("verbose", "callback", "image_shape")


class Clusterer(ClusterMixin, BaseEstimator):
    """What all methods share: settings, fit, labels."""

    _method: ClassVar[str]
    _least_rows: ClassVar[int] = 1
    links_: dict[str, Any]

    @property
    def n_clusters_(self) -> int:
        """Clusters that the fit found, or was asked for: ``n_clusters``, where that is a number."""
        check_is_fitted(self)
        return int(np.max(self.labels_)) + 1

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numpy arrays of float32 in C order, Arrow data and polars frames whose one column holds fixed-size lists of
            float32, and torch tensors are read where they lie. Everything else is converted once.
        y : ignored
            Present for scikit-learn.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> from neuncut import Ncut
        >>> Ncut(n_clusters=2, random_state=0).fit([[0.0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]).n_clusters_
        2
        """
        return self._fit(X)

    def _fit(self, X: Any, *, sample_weight: Any = None, **more: Any) -> Self:
        rows = to_rows(self, X, reset=True)
        if sample_weight is not None:
            more["weights"] = _weights(sample_weight, rows.n_rows)
        if rows.n_rows < self._least_rows:
            raise ValueError(
                f"Found array with {rows.n_rows} sample(s) while a minimum of {self._least_rows} is required by "
                f"{type(self).__name__}."
            )
        model, self.labels_, findings, links = self._run(_core.fit, rows, **more)
        self.__dict__.pop("links_", None)
        if links is not None:
            self.links_ = json.loads(links)
        self._take(model, findings)
        return self

    def _run(self, work: Callable[..., Any], rows: _core.Rows, **more: Any) -> Any:
        """Work of the compiled part on these settings and rows, watched."""
        settings = self._settings()
        if self.image_shape is not None:
            more["images"] = [int(side) for side in self.image_shape]
        self._put_graph(settings, more, rows.n_rows)
        self._put_start(settings, more, rows.n_rows)
        watcher = watcher_for(self.verbose, self.callback)
        try:
            return work(json.dumps(settings, default=_plain), rows, watcher=watcher, **more)
        finally:
            if watcher is not None:
                watcher.finish()

    def _settings(self) -> dict[str, Any]:
        """The settings by their names in configuration files."""
        settings: dict[str, Any] = {"method": self._method}
        for name, value in self.get_params(deep=False).items():
            if name == "ensemble":
                value = {key.replace("_", "-"): constant for key, constant in (value or {}).items()}
            if name not in _OTHERS:
                settings[_NAMES.get(name, name).replace("_", "-")] = value
        settings["seed"] = seed_of(self.random_state)
        return settings

    def _put_graph(self, settings: dict[str, Any], more: dict[str, Any], rows: int) -> None:
        """A graph in memory goes beside the settings, which name it."""
        affinity = settings.get("affinity")
        if affinity is None or isinstance(affinity, str):
            return
        if not hasattr(affinity, "tocsr"):
            raise TypeError(f"affinity is a {type(affinity).__name__}, but must be a name or a sparse matrix of scipy")
        if affinity.shape != (rows, rows):
            raise ValueError(f"affinity has the shape {affinity.shape}, but must be {(rows, rows)}, one row per sample")
        graph = affinity.tocsr()
        more["graph"] = (graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data.astype(np.float32))
        settings["affinity"] = "graph:matrix"

    def _put_start(self, settings: dict[str, Any], more: dict[str, Any], rows: int) -> None:
        """Methods that start from no labels have nothing to put."""

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        """Notes what the fit left beside the labels."""
        raise NotImplementedError


def _weights(given: Any, rows: int) -> np.ndarray:
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {weights.shape}, but must be {(rows,)}, one weight per row")
    bad = np.flatnonzero(~((weights >= 0) & (weights <= np.finfo(np.float32).max)))
    if len(bad):
        raise ValueError(f"sample_weight[{bad[0]}] is {weights[bad[0]]}, but weights must be zero or positive and finite")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row, but at least one row must weigh something")
    return np.ascontiguousarray(weights)


def links(must_link: Any, cannot_link: Any) -> dict[str, Any]:
    """Pairs of rows for the compiled part; nothing where none are given."""
    if must_link is None and cannot_link is None:
        return {}
    return {"links": (_pairs("must_link", must_link), _pairs("cannot_link", cannot_link))}


def _pairs(name: str, given: Any) -> np.ndarray:
    pairs = np.asarray([] if given is None else given)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(f"{name} is an array of {pairs.dtype} of shape {pairs.shape}, but must be row numbers of shape (n_links, 2)")
    return pairs.astype(np.int64)


class _NoLabels:
    """What ``labels_`` is before a fit, and after ``load``: an error that says what to do."""

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        raise AttributeError("labels_ are those of a fit, and no part of a model file: predict(X) gives the labels of X")


class InductiveClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """A method whose model labels rows it has not seen."""

    _model: _core.Model
    labels_: Any = _NoLabels()

    def fit(self, X: Any, y: Any = None, *, like: InductiveClusterer | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As every estimator of this package takes it.
        y : ignored
            Present for scikit-learn.
        like : fitted estimator, default=None
            One that was fitted before: clusters that are still there keep their numbers, and NeuNcut starts from its labels where
            they still hold.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> last_week = KMeans(n_clusters=2, random_state=0).fit(rows[:50])
        >>> this_week = KMeans(n_clusters=2, random_state=1).fit(rows[10:], like=last_week)
        >>> bool((this_week.predict(rows) == last_week.predict(rows)).all())
        True
        """
        if like is None:
            return self._fit(X)
        check_is_fitted(like, "_model")
        return self._fit(X, earlier=like._model)

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        assert model is not None
        self._model = model
        for sentence in model.warnings():
            warnings.warn(sentence, UserWarning, stacklevel=3)

    @property
    def n_clusters_(self) -> int:
        """Clusters of the model: ``n_clusters``, where that is a number."""
        check_is_fitted(self, "_model")
        return self._model.n_clusters

    @property
    def cluster_count_(self) -> dict[str, Any] | None:
        """The evidence for every number of clusters that was compared, and those recommended; None where the number was given.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(300, centers=[[0, 0], [9, 9], [0, 9]], random_state=0)
        >>> model = KMeans(n_clusters="2..6", random_state=0).fit(rows)
        >>> model.n_clusters_, model.cluster_count_["recommended"][0]
        (3, 3)
        """
        check_is_fitted(self, "_model")
        return json.loads(self._model.record()).get("cluster_count")

    def predict(self, X: Any, levels: int | Sequence[int] | None = None) -> np.ndarray:
        """The cluster of each row of X, an array of int32.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As every estimator of this package takes it.
        levels : int or sequence of int, default=None
            Coarser labels in their place: clusters are merged, the closest first, until so many are left. Several numbers give a
            column for each, an array of shape (n_samples, n_levels).

        Returns
        -------
        labels : ndarray of int32
            The cluster of each row, or its group at each level.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> bool((model.predict(rows) == model.labels_).all())
        True
        >>> model.predict([[9, 9], [0, 0]], levels=[2, 1]).shape, model.predict([[9, 9]], levels=1).tolist()
        ((2, 2), [0])
        """
        check_is_fitted(self, "_model")
        labels = self._model.predict(to_rows(self, X, reset=False))
        return labels if levels is None else self._groups(levels)[labels]

    def _groups(self, levels: int | Sequence[int]) -> np.ndarray:
        """The group of each cluster at a level, or at several in columns."""
        wanted = np.asarray(levels)
        if wanted.dtype.kind not in "iu" or wanted.ndim > 1 or wanted.size == 0 or (wanted < 1).any():
            raise ValueError(f"levels is {levels!r}, but must be a number of clusters such as 5, or several such as [5, 12]")
        groups = [self._model.groups(int(count)) for count in wanted.ravel()]
        return groups[0] if wanted.ndim == 0 else np.stack(groups, axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The membership of each row of X in each cluster, an array of float32 of shape (n_samples, n_clusters).

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> memberships = model.predict_proba([[0.0, 0.0], [9.0, 9.0]])
        >>> memberships.shape, memberships.sum(axis=1).round(3).tolist()
        ((2, 2), [1.0, 1.0])
        """
        check_is_fitted(self, "_model")
        memberships = self._model.label(to_rows(self, X, reset=False), memberships=True)[2]
        assert memberships is not None
        return memberships

    def transform(self, X: Any) -> np.ndarray:
        """The memberships of ``predict_proba``, for use as features.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> model.transform(rows).shape, model.get_feature_names_out().tolist()
        ((60, 2), ['kmeans0', 'kmeans1'])
        """
        return self.predict_proba(X)

    def score(self, X: Any, y: Any = None) -> float:
        """How little the predicted clusters of X cut its graph of ten nearest neighbours: minus the cut, at most 0.

        The cut is the normalized one, or the ratio cut where the model was trained on it. ``y`` is ignored: no label takes part
        in a choice. Scores of different numbers of clusters cannot be compared. Of more than 10,000 rows, 10,000 are looked at.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> -2 <= model.score(rows) <= 0
        True
        """
        check_is_fitted(self, "_model")
        return 0.0 - self._model.cut(to_rows(self, X, reset=False))

    @property
    def n_iter_(self) -> int:
        """Passes over the rows, of all stages of training."""
        check_is_fitted(self, "_model")
        return max(1, sum(len(stage["epochs"]) for stage in json.loads(self._model.record())["history"]))

    def report(self, path: str | PathLike[str], X: Any) -> None:
        """Write a page for a browser about the model and the rows of X: clusters, their sizes, a map, confidence, learning curves.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> path = os.path.join(tempfile.mkdtemp(), "page.html")
        >>> model.report(path, rows)
        >>> open(path, encoding="utf-8").read().startswith("<!")
        True
        """
        check_is_fitted(self, "_model")
        to_rows(self, X, reset=False)  # refuses what predict would refuse
        rows = to_array(X)
        with tempfile.TemporaryDirectory() as folder:
            model, data = os.path.join(folder, "model.safetensors"), os.path.join(folder, "rows.npy")
            self._model.save(model)
            np.save(data, rows)
            words = ["neuncut", "report", model, "--data", data, "--output", os.fspath(path), "--quiet"]
            if self.image_shape is not None:
                words += ["--image-shape", "x".join(str(side) for side in self.image_shape)]
            if _core.run_command(words, [sys.executable, "-m", "neuncut"]) != 0:
                raise RuntimeError(f"the page {os.fspath(path)} could not be written: standard error says why")

    @property
    def history_(self) -> list[dict[str, Any]]:
        """Learning curves, a dictionary for each stage: its name, epochs, learning rates and loss terms.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import NeuNcut
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = NeuNcut(n_clusters=2, hidden=(16,), epochs=5, random_state=0).fit(rows)
        >>> model.history_[-1]["stage"], len(model.history_[-1]["epoch"])
        ('neural cut', 5)
        """
        check_is_fitted(self, "_model")
        return [_curve(stage) for stage in json.loads(self._model.record())["history"]]

    @property
    def diagnostics_(self) -> dict[str, Any]:
        """What the fit found out about the data and about itself.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import NeuNcut
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = NeuNcut(n_clusters=2, hidden=(16,), epochs=5, random_state=0).fit(rows)
        >>> model.diagnostics_["representation"]
        'raw'
        """
        check_is_fitted(self, "_model")
        return json.loads(self._model.record())["diagnostics"]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, the same that ``neuncut fit`` writes; ``labels_`` is not part of it.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> model.save(os.path.join(tempfile.mkdtemp(), "model.safetensors"))
        """
        check_is_fitted(self, "_model")
        self._model.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file of ``save`` or of ``neuncut fit``. It has no ``labels_``.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> model.save(path)
        >>> bool((KMeans.load(path).predict(rows) == model.labels_).all())
        True
        """
        loaded = load(path)
        if not isinstance(loaded, cls):
            kind = type(loaded).__name__
            raise ValueError(f"{path} holds a model of {kind}, not of {cls.__name__}: use {kind}.load or neuncut.load")
        return loaded

    def export_onnx(self, path: str | PathLike[str]) -> None:
        """Write the model as an ONNX file (opset 18): ``rows`` in, ``memberships`` and ``labels`` out.

        Feature steps are part of it. A model with the steps ``scattering`` or ``resize`` cannot be written.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> model.export_onnx(os.path.join(tempfile.mkdtemp(), "model.onnx"))
        """
        check_is_fitted(self, "_model")
        self._model.export_onnx(path)

    @property
    def _n_features_out(self) -> int:
        return self._model.n_clusters

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags


class NeuNcut(InductiveClusterer):
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
    batch : int, default=1000
        Rows per batch.
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
    cluster_names_: np.ndarray

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        objective: str = "auto",
        affinity: Any = "heat",
        gamma: float | str = "auto",
        features: str = "",
        image_shape: tuple[int, ...] | None = None,
        graph: str = "auto",
        neighbors: int | str = "auto",
        sigma: float | str = "auto",
        ridge: float = 0.01,
        senet_size: str = "small",
        senet_layers: Sequence[int] = (),
        senet_steps: int | str = "auto",
        senet_block: int | str = "auto",
        keep_affinity: bool = False,
        penalty: str = "normed",
        volumes: str = "flow",
        representation: str = "auto",
        init: Any = "spectral",
        landmarks: int | str = "auto",
        ensemble: dict[str, Any] | None = None,
        guard: bool = True,
        train_rows: int | str = "auto",
        batch: int = 1000,
        epochs: int | str = "auto",
        hidden: Sequence[int] | str = "auto",
        lr: float | str = "auto",
        weight_decay: float = 1e-4,
        label_smoothing: float = 0.1,
        stability: int = 0,
        device: str = "cpu",
        random_state: Any = None,
        verbose: int | bool = 0,
        callback: Callback = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.objective = objective
        self.affinity = affinity
        self.gamma = gamma
        self.features = features
        self.image_shape = image_shape
        self.graph = graph
        self.neighbors = neighbors
        self.sigma = sigma
        self.ridge = ridge
        self.senet_size = senet_size
        self.senet_layers = senet_layers
        self.senet_steps = senet_steps
        self.senet_block = senet_block
        self.keep_affinity = keep_affinity
        self.penalty = penalty
        self.volumes = volumes
        self.representation = representation
        self.init = init
        self.landmarks = landmarks
        self.ensemble = ensemble
        self.guard = guard
        self.train_rows = train_rows
        self.batch = batch
        self.epochs = epochs
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.label_smoothing = label_smoothing
        self.stability = stability
        self.device = device
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

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
        more = links(must_link, cannot_link)
        if like is not None:
            check_is_fitted(like, "_model")
            more["earlier"] = like._model
        return self._fit(X, sample_weight=sample_weight, **more)

    def _put_start(self, settings: dict[str, Any], more: dict[str, Any], rows: int) -> None:
        """Labels in memory go beside the settings; a cluster is a label other than -1."""
        if hasattr(self, "cluster_names_"):
            del self.cluster_names_
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


def load(path: str | PathLike[str]) -> InductiveClusterer:
    """Read a model file of any method, also one that the command ``neuncut fit`` wrote.

    Examples
    --------
    >>> import neuncut, numpy as np, os, tempfile
    >>> rows = np.random.default_rng(0).normal(size=(100, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.safetensors")
    ...     fitted = neuncut.KMeans(n_clusters=3, random_state=0).fit(rows)
    ...     fitted.save(path)
    ...     loaded = neuncut.load(path)
    >>> type(loaded).__name__, bool((loaded.predict(rows) == fitted.labels_).all())
    ('KMeans', True)
    """
    from . import _heads, _ward, rivals

    model = _core.Model.load(path)
    config = json.loads(model.config())
    method = config.pop("method")
    if method == "neurcut":
        method, config["objective"] = "neuncut", "rcut"
    classes = [NeuNcut, *(getattr(place, name) for place in (rivals, _heads, _ward) for name in place.__all__)]
    kind: type[InductiveClusterer] = next(kind for kind in classes if kind._method == method)
    settings = {name: config.get(_NAMES.get(name, name).replace("_", "-")) for name in kind._get_param_names()}
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
    loaded = kind(**{name: value for name, value in settings.items() if value is not None})
    loaded._model = model
    loaded.n_features_in_ = model.n_columns
    if model.column_names is not None:
        loaded.feature_names_in_ = np.asarray(model.column_names, dtype=object)
    return loaded


def _curve(stage: dict[str, Any]) -> dict[str, Any]:
    epochs = stage["epochs"]
    curve = {
        "stage": stage["stage"],
        "epoch": np.array([record["epoch"] for record in epochs]),
        "learning_rate": np.array([record["learning_rate"] for record in epochs]),
    }
    for term, name in enumerate(stage["terms"]):
        curve[name] = np.array([record["values"][term] for record in epochs])
    return curve


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be used as a setting")
