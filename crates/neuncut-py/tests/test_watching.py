"""A fit is watched, stopped, and lets other threads run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import small

import neuncut
from neuncut._progress import Watcher

# Seconds after which a process is taken to hang.
_PATIENCE = 300


def test_the_callback_is_told_every_epoch(blobs):
    seen: list[neuncut.Progress] = []
    small(n_clusters=3, random_state=0, callback=seen.append).fit(blobs[0])
    cut = [progress for progress in seen if progress.stage == "neural cut"]
    assert [progress.epoch for progress in cut] == list(range(1, 11))
    assert cut[-1].step == cut[-1].total and cut[0].epochs == 10
    assert all(np.isfinite(value) for progress in seen for value in progress.terms.values())
    assert threading.current_thread() is threading.main_thread()


def test_an_exception_of_the_callback_ends_the_fit(blobs):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.stage == "neural cut" and progress.epoch == 3:
            raise Enough

    model = small(n_clusters=3, epochs=100_000, random_state=0, callback=stop)
    with pytest.raises(Enough):
        model.fit(blobs[0])
    assert not hasattr(model, "labels_")


def test_a_callback_may_label_rows(blobs, fitted):
    counts = []
    small(n_clusters=3, random_state=0, callback=lambda _: counts.append(len(fitted.predict(blobs[0])))).fit(blobs[0])
    assert set(counts) == {600}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_threads_run_during_a_fit():
    rows = np.random.default_rng(0).normal(size=(1000, 50)).astype(np.float32)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    neuncut.NeuNcut(n_clusters=5, hidden=(64,), init="k-means", random_state=0).fit(rows)
    done.set()
    thread.join()
    assert len(ticks) > 10
    assert max(np.diff(ticks)) < 0.5, "the interpreter was held"


_INTERRUPTED = """
import os, sys, time
import numpy as np
from neuncut import KMeans, Leiden, NeuNcut

def threads():
    return len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0

rows = np.random.default_rng(0).normal(size=(12000, 60)).astype(np.float32)
NeuNcut(n_clusters=2, epochs=1, hidden=(8,), random_state=0).fit(rows[:100])  # the threads that stay have been started
before = threads()
models = {
    "k-means": KMeans(n_clusters=2000, random_state=0, verbose=1),
    "communities": Leiden(n_clusters=20, random_state=0, verbose=1),
    "start on": NeuNcut(n_clusters=20, epochs=1_000_000, random_state=0, verbose=1),
    "neural cut": NeuNcut(n_clusters=20, epochs=1_000_000, init="k-means", random_state=0, verbose=1),
}
try:
    models[sys.argv[1]].fit(rows)
    print("fitted")
except KeyboardInterrupt:
    print("stopped")
    while threads() > before:
        time.sleep(0.01)
    print("over")
"""


@pytest.mark.parametrize("stage", ["k-means", "communities", "start on", "neural cut"])
def test_ctrl_c_ends_a_fit_and_the_work_behind_it(stage):
    command = [sys.executable, "-W", "ignore", "-c", _INTERRUPTED, stage]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert any(stage in line for line in process.stderr)  # the stage has begun
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=_PATIENCE)
        finally:
            process.kill()
    assert out.split() == ["stopped", "over"], err
    assert process.returncode == 0, err


def test_the_bar_in_a_terminal_and_lines_in_a_file(blobs, capsys):
    class Terminal:
        text = ""

        def isatty(self):
            return True

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    terminal = Terminal()
    watcher = Watcher(None, terminal)
    watcher.stage("nearest neighbours")
    watcher.step(
        {"stage": "neural cut", "step": 5, "total": 10, "epoch": 1, "epochs": 2, "ends_epoch": True, "terms": {"cut": 0.5}}
        | {"learning_rate": 0.1}
    )
    watcher.finish()
    assert "\r" in terminal.text and "5/10  cut 0.5000" in terminal.text and "█" * 14 + "░" * 14 in terminal.text
    small(n_clusters=3, random_state=0, verbose=1).fit(blobs[0])
    lines = capsys.readouterr().err.splitlines()
    assert any(line.endswith("neural cut: 10 steps") for line in lines)
    small(n_clusters=3, random_state=0).fit(blobs[0])
    assert capsys.readouterr().err == ""


def _in_child(models, rows, answers):
    as_before = [(model.predict(rows) == model.labels_).all() for model in models]
    again = small(n_clusters=3, random_state=0).fit(rows).labels_
    answers.put(bool(all(as_before) and (again == models[0].labels_).all()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_predicts_and_fits(blobs, fitted):
    wide = small(n_clusters=3, random_state=0, hidden=(160, 160)).fit(blobs[0])  # layers that are laid out on all threads
    wide.predict(blobs[0])
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_in_child, args=([fitted, wide], blobs[0], answers))
    child.start()
    try:
        assert answers.get(timeout=60)
    finally:
        child.kill()
        child.join()


def test_threads_are_set_first():
    program = "import neuncut; neuncut.set_threads(1); neuncut.set_threads(1)\ntry: neuncut.set_threads(2)\nexcept RuntimeError as e: print(e)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "call set_threads first of all" in said
