"""Neural normalized cut: clusters that follow the shape of the data, and a model that labels rows it has never seen.

>>> import numpy as np
>>> from neuncut import NeuNcut
>>> rng = np.random.default_rng(0)
>>> rows = np.concatenate([rng.normal(0, 1, (50, 3)), rng.normal(9, 1, (50, 3))])
>>> model = NeuNcut(n_clusters=2, hidden=(32,), random_state=0).fit(rows)
>>> len(set(model.labels_[:50])), len(set(model.labels_[50:]))
(1, 1)

Names are imported when they are first used, so that workers and the command line need no scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import set_threads

if TYPE_CHECKING:
    from ._loading import load
    from ._neuncut import NeuNcut
    from ._progress import Progress
    from ._tuning import GammaSearch, tune_gamma
    from .rivals import (
        CNC,
        DEPICT,
        EDESC,
        ESC,
        LSC,
        NSC,
        RESKM,
        SCAN,
        TEMI,
        TURTLE,
        USENC,
        USPEC,
        AutoSC,
        BaSiS,
        Bipartite,
        EnSC,
        Ensemble,
        ICon,
        KMeans,
        Leiden,
        MinMaxCut,
        Ncut,
        Nystrom,
        Rcut,
        Rotation,
        SenetSC,
        SpecNet2,
        SpectralNet,
        VaDE,
        Ward,
    )

_PLACES = {
    "NeuNcut": "_neuncut",
    "load": "_loading",
    "Progress": "_progress",
    "GammaSearch": "_tuning",
    "tune_gamma": "_tuning",
    "CNC": "rivals.cnc",
    "DEPICT": "rivals.autoencoders",
    "EDESC": "rivals.autoencoders",
    "ESC": "rivals.subspaces",
    "LSC": "rivals.anchors",
    "NSC": "rivals.spectral",
    "RESKM": "rivals.anchors",
    "SCAN": "rivals.heads",
    "TEMI": "rivals.heads",
    "TURTLE": "rivals.heads",
    "USENC": "rivals.anchors",
    "USPEC": "rivals.anchors",
    "AutoSC": "rivals.anchors",
    "BaSiS": "rivals.embedding_networks",
    "Bipartite": "rivals.anchors",
    "EnSC": "rivals.subspaces",
    "Ensemble": "rivals.ensemble",
    "ICon": "rivals.heads",
    "KMeans": "rivals.kmeans",
    "Leiden": "rivals.leiden",
    "MinMaxCut": "rivals.spectral",
    "Ncut": "rivals.spectral",
    "Nystrom": "rivals.anchors",
    "Rcut": "rivals.spectral",
    "Rotation": "rivals.spectral",
    "SenetSC": "rivals.subspaces",
    "SpecNet2": "rivals.embedding_networks",
    "SpectralNet": "rivals.embedding_networks",
    "VaDE": "rivals.autoencoders",
    "Ward": "rivals.ward",
}
_MODULES = ("features", "metrics", "ray", "rivals", "spark")

__all__ = [
    "ESC",
    "CNC",
    "DEPICT",
    "EDESC",
    "LSC",
    "NSC",
    "RESKM",
    "SCAN",
    "TEMI",
    "TURTLE",
    "USENC",
    "USPEC",
    "AutoSC",
    "BaSiS",
    "Bipartite",
    "EnSC",
    "Ensemble",
    "GammaSearch",
    "ICon",
    "KMeans",
    "Leiden",
    "MinMaxCut",
    "Ncut",
    "NeuNcut",
    "Nystrom",
    "Progress",
    "Rcut",
    "Rotation",
    "SenetSC",
    "SpecNet2",
    "SpectralNet",
    "VaDE",
    "Ward",
    "load",
    "set_threads",
    "tune_gamma",
]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name == "__version__":
        from importlib.metadata import version

        return version("neuncut")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES, *_MODULES, "__version__"])
