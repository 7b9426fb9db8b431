"""Methods whose models label rows they have not seen."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._clusterer import Clusterer
from ._rows import to_array, to_rows


class _NoLabels:
    """What ``labels_`` is before a fit, and after ``load`` of a file without labels: an error that says what to do."""

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        if "_model" not in vars(estimator):
            raise AttributeError(f"this {owner.__name__} has no labels_: fit it first")
        raise AttributeError(
            "the file of this model has no labels_ (those of `neuncut fit` and of save(labels=False) have none): predict(X) gives the "
            "labels of X"
        )


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
        return self._fit(X, like=like)

    def _take(self, model: _core.Model | None, findings: str | None) -> None:
        assert model is not None
        self._model = model
        for sentence in model.warnings():
            warnings.warn(sentence, UserWarning, stacklevel=4)

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

    def save(self, path: str | PathLike[str], *, labels: bool = True) -> None:
        """Write the model to a file, which the command and every program with this library read as well.

        Parameters
        ----------
        path : str or path
            The file, such as ``model.safetensors``.
        labels : bool, default=True
            Whether ``labels_`` is kept beside the model, four bytes per row. Without it the file is the one that ``neuncut fit``
            writes, and ``load`` gives a model without ``labels_``.

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
        known = self.__dict__.get("labels_") if labels else None
        self._model.save(path, None if known is None else known.astype(np.uint32))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model from a file of ``save`` or of ``neuncut fit``. It has ``labels_`` where the file does.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import make_blobs
        >>> from neuncut import KMeans
        >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
        >>> model = KMeans(n_clusters=2, random_state=0).fit(rows)
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> model.save(path)
        >>> loaded = KMeans.load(path)
        >>> bool((loaded.predict(rows) == model.labels_).all()), bool((loaded.labels_ == model.labels_).all())
        (True, True)
        """
        from ._loading import load

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
