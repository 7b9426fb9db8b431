"""A network of low expected normalized cut."""

from __future__ import annotations

from .._inductive import InductiveClusterer
from .._settings import OnGraph, Sampled, Trained, settings

__all__ = ["CNC"]


@settings
class CNC(OnGraph, Trained, Sampled, InductiveClusterer):
    """CNC (Nazi et al. 2019): a network of low expected normalized cut, trained on random assignments.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    balance : float, default=0.01
        Weight of the differences between the sizes of clusters in a batch, which are squared.
    assignment_temperature : float, default=1.5
        Temperature of the random assignments at first; it falls to one.
    affinity, neighbors, sigma, ridge, senet_size, senet_layers, senet_steps, senet_block, features, image_shape, representation, \
train_rows, batch, epochs, hidden, lr, weight_decay, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import CNC
    >>> rows = np.random.default_rng(0).normal(size=(60, 5))
    >>> CNC(n_clusters=3, affinity="heat", hidden=(8,), epochs=5, random_state=0).fit_predict(rows).shape
    (60,)
    """

    _method = "cnc"
    _least_rows = 2

    affinity: str = "siamese"
    batch: int = 256
    weight_decay: float = 0.0
    balance: float = 0.01
    assignment_temperature: float = 1.5
