"""The command `neuncut` is part of the wheel."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np


def test_the_script_is_installed_and_its_exit_codes_are_those_of_the_command(tmp_path):
    script = Path(sysconfig.get_path("scripts")) / "neuncut"
    said = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("neuncut ")
    assert subprocess.run([script, "fit"], capture_output=True).returncode == 2
    missing = subprocess.run([script, "predict", tmp_path / "none", tmp_path / "none.npy"], capture_output=True, text=True)
    assert missing.returncode == 5 and "check the path" in missing.stderr


def test_the_command_does_not_wait_for_scikit_learn():
    program = "import sys; sys.argv = ['neuncut', '--version']; import neuncut.__main__ as m; m.main(); print('sklearn' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "False"


def test_compare_starts_itself_again(tmp_path, blobs):
    rows, classes = blobs
    np.save(tmp_path / "x.npy", rows)
    np.save(tmp_path / "y.npy", classes.astype(np.int32))
    words = ["compare", tmp_path / "x.npy", "-k", "3", "--truth", tmp_path / "y.npy"]
    words += ["--methods", "kmeans", "--seeds", "1", "-o", tmp_path / "out"]
    said = subprocess.run([sys.executable, "-m", "neuncut", *words], capture_output=True, text=True, check=True).stdout
    assert "kmeans" in said and "1.000" in said
