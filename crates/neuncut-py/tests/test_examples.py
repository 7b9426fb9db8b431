"""The scripts in `examples/python` run, each in a process of its own as a reader runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[3] / "examples/python").glob("*.py"))


def test_there_are_examples_with_cells():
    assert len(EXAMPLES) >= 3
    for path in EXAMPLES:
        assert path.read_text().count("# %%") > 3, path.name


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    run = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-3000:]
