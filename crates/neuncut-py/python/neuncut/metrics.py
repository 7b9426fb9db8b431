"""Scores of labels against known classes: accuracy, NMI and ARI.

Labels may be numbers or text; only which rows share one matters. As in scikit-learn, the truth comes first.

>>> from neuncut import metrics
>>> truth, found = ["cat", "cat", "dog", "dog"], [7, 7, 3, 3]
>>> metrics.accuracy(truth, found), metrics.nmi(truth, found), metrics.ari(truth, found)
(1.0, 1.0, 1.0)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core

__all__ = ["Scores", "accuracy", "ari", "nmi", "scores"]


class Scores(NamedTuple):
    """The three scores the paper reports, each 1 for labels that equal the classes."""

    accuracy: float
    """Share of rows that are right under the best one-to-one matching of clusters to classes."""
    nmi: float
    """Mutual information over the geometric mean of the entropies."""
    ari: float
    """Adjusted Rand index: 0 for random labels on average."""


def scores(labels_true: Any, labels_pred: Any) -> Scores:
    """Accuracy, NMI and ARI in one pass.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        The classes and the labels, in the same order.

    Examples
    --------
    >>> from neuncut.metrics import scores
    >>> scores([0, 0, 1, 1], [0, 0, 1, 2]).accuracy
    0.75
    """
    return Scores(*_core.scores(_encode(labels_true), _encode(labels_pred)))


def accuracy(labels_true: Any, labels_pred: Any) -> float:
    """Share of rows that are right under the best one-to-one matching of clusters to classes."""
    return scores(labels_true, labels_pred).accuracy


def nmi(labels_true: Any, labels_pred: Any) -> float:
    """Mutual information over the geometric mean of the entropies."""
    return scores(labels_true, labels_pred).nmi


def ari(labels_true: Any, labels_pred: Any) -> float:
    """Adjusted Rand index."""
    return scores(labels_true, labels_pred).ari


def _encode(labels: Any) -> np.ndarray:
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels have the shape {array.shape}, but must be one label per row")
    return np.unique(array, return_inverse=True)[1].astype(np.uint32)
