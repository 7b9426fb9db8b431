"""The search for gamma from Python."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from neuncut import tune_gamma


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(0, 1, (60, 3)), rng.normal(8, 1, (60, 3))]).astype(np.float32)


def test_it_finds_what_the_command_finds(rows, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    words = ["tune", "rows.npy", "-k", "2", "--hidden", "16", "--gammas", "1000,80,1", "--seed", "5", "--json"]
    run = subprocess.run([sys.executable, "-m", "neuncut", *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    told = json.loads(run.stdout)["sweep"]
    found = tune_gamma(rows, 2, gammas=[1000, 80, 1], hidden=(16,), random_state=5)
    assert found.gamma == told["threshold"]
    assert found.bound == told["bound"]
    assert found.lap.tolist() == [point["lap"] for point in told["points"]]
    assert found.orth.tolist() == [point["orth"] for point in told["points"]]


def test_bad_values_are_named(rows):
    with pytest.raises(ValueError, match="gammas is .* must be from large to small"):
        tune_gamma(rows, 2, gammas=[1, 80])
    with pytest.raises(ValueError, match="init holds labels"):
        tune_gamma(rows, 2, init=np.zeros(len(rows)))
