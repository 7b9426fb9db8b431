"""What all methods share: settings, fit, labels."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._given import links, weights
from ._progress import watcher_for
from ._rows import to_rows
from ._seeds import seed_of
from ._settings import OfEveryMethod

# Keywords that are called otherwise in settings, and those that are no settings.
NAMES = {"n_clusters": "clusters", "random_state": "seed"}
OTHERS = ("verbose", "callback", "image_shape")


class Clusterer(OfEveryMethod, ClusterMixin, BaseEstimator):
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

    def _fit(
        self,
        X: Any,
        *,
        sample_weight: Any = None,
        like: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """What every ``fit`` does, with whatever its method can be given beside rows."""
        rows = to_rows(self, X, reset=True)
        more: dict[str, Any] = {}
        if sample_weight is not None:
            more["weights"] = weights(sample_weight, rows.n_rows)
        if like is not None:
            check_is_fitted(like, "_model")
            more["earlier"] = like._model
        if must_link is not None or cannot_link is not None:
            more["links"] = links(must_link, cannot_link)
        if rows.n_rows < self._least_rows:
            raise ValueError(
                f"Found array with {rows.n_rows} sample(s) while a minimum of {self._least_rows} is required by "
                f"{type(self).__name__}."
            )
        model, self.labels_, findings, kept, sentences = self._run(_core.fit, rows, **more)
        self.__dict__.pop("links_", None)
        if kept is not None:
            self.links_ = json.loads(kept)
        for sentence in sentences:
            warnings.warn(sentence, UserWarning, stacklevel=3)
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
            if name not in OTHERS:
                settings[NAMES.get(name, name).replace("_", "-")] = value
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


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be used as a setting")
