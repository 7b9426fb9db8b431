"""What is given beside rows: their weights, and pairs of them that belong together or apart."""

from __future__ import annotations

from typing import Any

import numpy as np


def weights(given: Any, rows: int) -> np.ndarray:
    """A weight for each row, checked."""
    checked = np.asarray(given, dtype=np.float64)
    if checked.shape != (rows,):
        raise ValueError(f"sample_weight has the shape {checked.shape}, but must be {(rows,)}, one weight per row")
    bad = np.flatnonzero(~((checked >= 0) & (checked <= np.finfo(np.float32).max)))
    if len(bad):
        raise ValueError(f"sample_weight[{bad[0]}] is {checked[bad[0]]}, but weights must be zero or positive and finite")
    if not checked.any():
        raise ValueError("sample_weight is zero for every row, but at least one row must weigh something")
    return np.ascontiguousarray(checked)


def links(must_link: Any, cannot_link: Any) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of rows for the compiled part."""
    return _pairs("must_link", must_link), _pairs("cannot_link", cannot_link)


def _pairs(name: str, given: Any) -> np.ndarray:
    pairs = np.asarray([] if given is None else given)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise ValueError(f"{name} is an array of {pairs.dtype} of shape {pairs.shape}, but must be row numbers of shape (n_links, 2)")
    return pairs.astype(np.int64)
