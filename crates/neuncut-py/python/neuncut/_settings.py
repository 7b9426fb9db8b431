"""The settings of methods: each is a field, and a keyword of the estimator. Groups that several methods share are classes to inherit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from ._progress import Progress

Callback = Callable[[Progress], Any] | None

Kind = TypeVar("Kind", bound=type)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def settings(kind: Kind) -> Kind:
    """Makes keywords of a class's fields and of those it inherits, which is what scikit-learn looks for in ``__init__``.

    Every class that inherits groups of settings needs it, also where it has no fields of its own.
    """
    return dataclass(kw_only=True, eq=False, repr=False, match_args=False)(kind)  # type: ignore[return-value]


@settings
class OfEveryMethod:
    """What every method has."""

    n_clusters: int | str = field(default=8, kw_only=False)
    features: str = ""
    image_shape: tuple[int, ...] | None = None
    representation: str = "auto"
    device: str = "cpu"
    random_state: Any = None
    verbose: int | bool = 0
    callback: Callback = None


@settings
class Sampled:
    """A method that fits a sample, and labels the other rows by its model."""

    train_rows: int | str = "auto"


@settings
class SelfExpressive:
    """How rows are expressed by others: ridge regression, or a SENet."""

    ridge: float = 0.01
    senet_size: str = "small"
    senet_layers: Sequence[int] = ()
    senet_steps: int | str = "auto"
    senet_block: int | str = "auto"


@settings
class OnGraph(SelfExpressive):
    """What joins rows into a graph."""

    affinity: Any = "heat"
    neighbors: int | str = "auto"
    sigma: float | str = "auto"


@settings
class Anchored:
    """Rows that stand for all others."""

    anchors: int | str = "auto"
    anchor_choice: str = "auto"


@settings
class Rounded:
    """How eigenvectors become labels."""

    eigenvectors: int | str = "auto"
    rounding: str = "k-means"
    row_norm: str = "auto"
    restarts: int | str = "auto"


@settings
class Batched:
    """Training in batches."""

    batch: int | str = "auto"
    epochs: int | str = "auto"
    lr: float | str = "auto"


@settings
class Trained(Batched):
    """The same of a network with hidden layers."""

    hidden: Sequence[int] | str = "auto"
    weight_decay: float = 1e-4
