"""Rows that the tests share."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before scipy: scikit-learn checks array API input only then

import numpy as np
import pytest

from neuncut import NeuNcut


@pytest.fixture(scope="session")
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Three round clouds in eight columns, with their classes."""
    rng = np.random.default_rng(0)
    classes = np.arange(600) % 3
    centres = np.array([[0.0] * 8, [6.0] * 8, [-6.0, 6.0] * 4])
    return (centres[classes] + rng.normal(size=(600, 8))).astype(np.float32), classes


@pytest.fixture(scope="session")
def fitted(blobs: tuple[np.ndarray, np.ndarray]) -> NeuNcut:
    """A model of the clouds."""
    return small(n_clusters=3, random_state=0).fit(blobs[0])


def small(**settings: Any) -> NeuNcut:
    """A small network and few steps, to be quick."""
    return NeuNcut(**{"hidden": (16, 16), "epochs": 10, **settings})
