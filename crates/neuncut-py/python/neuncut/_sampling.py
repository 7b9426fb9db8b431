"""A sample of just so many rows from one whose size is left to chance."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa


def share_for(n: int, total: int) -> float:
    """The share of rows that almost surely gives at least ``n`` of ``total``: six standard deviations more on average."""
    if n < 1:
        raise ValueError(f"n is {n}, but must be at least 1")
    if total == 0:
        raise ValueError("there are no rows to draw from")
    return min(1.0, (n + 6 * math.sqrt(n) + 36) / total)


def draw(table: pa.Table, n: int, seed: int) -> pa.Table:
    """At most ``n`` rows of a table, each set of them being equally likely, in the order of the table."""
    if table.num_rows <= n:
        return table
    chosen = np.random.default_rng(seed).choice(table.num_rows, size=n, replace=False)
    return table.take(pa.array(np.sort(chosen)))
