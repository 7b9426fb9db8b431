"""Progress of a fit: a bar in terminals and notebooks, and the user's callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

_WIDTH = 28


@dataclass(frozen=True)
class Progress:
    """Where training stands at the end of an epoch.

    Attributes
    ----------
    stage : str
        What is trained, such as ``warm start`` or ``neural cut``.
    epoch, epochs : int
        The epoch that ended, counted from 1, and how many there are at most.
    step, total : int
        Steps done, and steps in all.
    terms : dict of str to float
        The latest value of each loss term.
    learning_rate : float
        The current learning rate.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from neuncut import NeuNcut
    >>> rows, _ = make_blobs(60, centers=[[0, 0], [9, 9]], random_state=0)
    >>> stages = []
    >>> model = NeuNcut(2, hidden=(16,), epochs=5, random_state=0, callback=lambda now: stages.append(now.stage)).fit(rows)
    >>> sorted(set(stages))
    ['neural cut', 'warm start']
    """

    stage: str
    epoch: int
    epochs: int
    step: int
    total: int
    terms: dict[str, float]
    learning_rate: float


class Watcher:
    """Draws a bar and calls back."""

    def __init__(self, callback: Callable[[Progress], Any] | None, stream: TextIO | None) -> None:
        self.callback = callback
        self.stream = stream
        self.redraws = stream is not None and (stream.isatty() or _in_notebook())
        self.drawn = 0
        self.last = ""
        self.began = time.monotonic()

    def stage(self, name: str) -> None:
        """A named stage begins."""
        if name.partition(":")[0] != self.last.partition(":")[0] or self.redraws:
            self._write(name)
        self.last = name

    def step(self, progress: dict[str, Any]) -> None:
        """A training step was done."""
        ends_epoch = progress.pop("ends_epoch")
        now = Progress(**progress)
        if self.stream is not None:
            if self.redraws:
                self._write(_bar(now))
            elif now.stage != self.last:
                self._write(f"{now.stage}: {now.total} steps")
            self.last = now.stage
        if self.callback is not None and ends_epoch:
            self.callback(now)

    def finish(self) -> None:
        """The fit has ended, in one way or another."""
        if self.stream is not None and self.redraws and self.drawn:
            self.stream.write("\r" + " " * self.drawn + "\r")
            self.stream.flush()

    def _write(self, text: str) -> None:
        if self.stream is None:
            return
        if self.redraws:
            self.stream.write("\r" + text.ljust(self.drawn))
            self.drawn = len(text)
        else:
            self.stream.write(f"[{time.monotonic() - self.began:6.1f} s] {text}\n")
        self.stream.flush()


def watcher_for(verbose: int | bool, callback: Callable[[Progress], Any] | None) -> Watcher | None:
    """What watches a fit; nothing where nobody wants to know."""
    if not verbose and callback is None:
        return None
    return Watcher(callback, sys.stderr if verbose else None)


def _bar(now: Progress) -> str:
    full = _WIDTH * now.step // max(now.total, 1)
    terms = "  ".join(f"{name} {value:.4f}" for name, value in now.terms.items())
    return f"{now.stage:>16} {'█' * full}{'░' * (_WIDTH - full)} {now.step}/{now.total}  {terms}"


def _in_notebook() -> bool:
    """Whether standard error goes to a notebook, where a carriage return draws over the line."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
