"""Heads on fixed rows: small networks that are trained on pairs of near rows, and TURTLE, which needs no pairs. All label new rows."""

from __future__ import annotations

from collections.abc import Sequence

from .._inductive import InductiveClusterer
from .._settings import Batched, Sampled, settings

__all__ = ["SCAN", "TEMI", "TURTLE", "ICon"]


@settings
class _OnPairs(Batched, Sampled, InductiveClusterer):
    """Heads that are trained on pairs of near rows, of which the best is kept."""

    heads: int | str = "auto"
    neighbors: int | str = "auto"


@settings
class ICon(_OnPairs):
    """A linear head on fixed rows whose clusters say which rows are neighbours (I-Con, Alshammari et al. 2025).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    heads : int or "auto", default="auto"
        Heads that are trained on the same rows; the one of lowest loss is kept.
    neighbors : int or "auto", default="auto"
        Nearest rows of which a row's partner is drawn.
    batch, epochs, lr : int or "auto", int or "auto", float or "auto"
        Rows per batch, passes over the rows, initial learning rate.
    debiasing : float, default=0.4
        Share of any rows that is mixed into the neighbours, and into what clusters say of them; from 0 to below 1.
    walk : int, default=2
        Most steps on the graph of neighbours from a row to its partner.
    head_start : {"random", "ensemble"}, default="random"
        Where the head begins: at random weights, or at the labels of the ensemble, which one head learns first.
    train_rows : int or "auto", default="auto"
        Most rows that are fitted, a uniform sample where X has more.
    features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import ICon
    >>> rng = np.random.default_rng(0)
    >>> rows = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2))])
    >>> labels = ICon(n_clusters=2, random_state=0).fit_predict(rows)
    >>> len(set(labels[:60])), len(set(labels[60:]))
    (1, 1)
    """

    _method = "icon"

    debiasing: float = 0.4
    walk: int = 2
    head_start: str = "random"


@settings
class TEMI(_OnPairs):
    """Heads with averaged teachers, by the mutual information of near rows (Adaloglou et al. 2023); otherwise as :class:`ICon`.

    Parameters
    ----------
    hidden : sequence of int or "auto", default="auto"
        Widths of the layers, the last being that of the codes; "auto" is (512, 256).
    exponent : float, default=0.6
        Exponent of the memberships, above 0 and up to 1: the smaller, the more even clusters are.
    temperature : float, default=0.1
        What cosines are divided by before the softmax.
    teacher_momentum : float, default=0.98
        Share of itself that the teacher keeps in each step.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import TEMI, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, TEMI(n_clusters=2, heads=2, epochs=20, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "temi"

    hidden: Sequence[int] | str = "auto"
    exponent: float = 0.6
    temperature: float = 0.1
    teacher_momentum: float = 0.98


@settings
class SCAN(_OnPairs):
    """Linear heads by consistency of near rows (Van Gansbeke et al. 2020), on fixed rows; otherwise as :class:`ICon`.

    Parameters
    ----------
    entropy_weight : float, default=5.0
        Weight of the entropy of the clusters' shares: the larger, the more even they are.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import SCAN, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, SCAN(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "scan"

    entropy_weight: float = 5.0


@settings
class TURTLE(Batched, Sampled, InductiveClusterer):
    """The labels that linear classifiers learn fastest (Gadetsky et al. 2024), in one feature space or in several at once.

    Parameters
    ----------
    spaces : sequence of int, default=()
        Widths of feature spaces that lie side by side in the columns of X; one unless given.
    inner_steps : int, default=10
        Steps of the classifiers in each step of the labels.
    entropy_weight : float, default=10.0
        Weight of the entropy of the clusters' shares: the larger, the more even they are.
    batch, epochs, lr : int, int or "auto", float or "auto"
        Rows per batch, passes over the rows, initial learning rate.
    n_clusters, train_rows, features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`ICon`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import TURTLE, metrics
    >>> rows, classes = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> metrics.accuracy(classes, TURTLE(n_clusters=2, random_state=0).fit_predict(rows))
    1.0
    """

    _method = "turtle"

    batch: int = 2000
    spaces: Sequence[int] = ()
    inner_steps: int = 10
    entropy_weight: float = 10.0
