"""Communities of the graph of nearest neighbours."""

from __future__ import annotations

from typing import Any

from .._inductive import InductiveClusterer
from .._settings import OnGraph, Sampled, settings

__all__ = ["Leiden"]


@settings
class Leiden(OnGraph, Sampled, InductiveClusterer):
    """Leiden communities of the graph of nearest neighbours; rows that were not fitted follow their nearest.

    The model holds the rows that it was fitted on.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; the most, where a resolution is given.
    resolution : float or "auto", default="auto"
        Resolution of the modularity; searched for until there are ``n_clusters`` communities unless given.
    neighbors : int or "auto", default="auto"
        Neighbours per row of the graph; 15 unless given.
    affinity, features, image_shape, sigma, ridge, senet_size, senet_layers, senet_steps, senet_block, representation, train_rows, \
device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import Leiden
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(9, 1, (30, 2))])
    >>> model = Leiden(n_clusters=2, random_state=0).fit(rows)
    >>> bool((model.predict([[0, 0], [9, 9]]) == model.labels_[[0, -1]]).all())
    True
    """

    _method = "leiden"
    _least_rows = 2

    resolution: float | str = "auto"
