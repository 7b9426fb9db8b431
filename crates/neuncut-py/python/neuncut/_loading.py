"""Models from files, whichever method they are of."""

from __future__ import annotations

import json
from os import PathLike

import numpy as np

from . import _core, rivals
from ._clusterer import NAMES
from ._inductive import InductiveClusterer
from ._neuncut import NeuNcut


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
    model = _core.Model.load(path)
    config = json.loads(model.config())
    method = config.pop("method")
    if method == "neurcut":
        method, config["objective"] = "neuncut", "rcut"
    classes = [NeuNcut, *(getattr(rivals, name) for name in rivals.__all__)]
    kind: type[InductiveClusterer] = next(kind for kind in classes if kind._method == method)
    settings = {name: config.get(NAMES.get(name, name).replace("_", "-")) for name in kind._get_param_names()}
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
    loaded = kind(**{name: value for name, value in settings.items() if value is not None})
    loaded._model = model
    if model.labels is not None:
        loaded.labels_ = model.labels
    loaded.n_features_in_ = model.n_columns
    if model.column_names is not None:
        loaded.feature_names_in_ = np.asarray(model.column_names, dtype=object)
    return loaded
