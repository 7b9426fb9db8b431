"""Seeds from what scikit-learn calls a random state."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state


def seed_of(random_state: Any) -> int:
    """A number itself; otherwise one that is drawn."""
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}, but must not be negative")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
