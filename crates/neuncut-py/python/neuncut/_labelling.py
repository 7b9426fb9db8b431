"""Batches of Arrow labelled by a model, on whatever engine holds them. It needs no scikit-learn."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import pyarrow

LABEL, CONFIDENCE, MEMBERSHIPS = "label", "confidence", "memberships"


def model_bytes(model: Any) -> bytes:
    """The bytes of a fitted estimator, or of the model file of this name."""
    if isinstance(model, (str, PathLike)):
        return _core.Model.load(fspath(model)).to_bytes()
    inner = getattr(model, "_model", model)
    if not isinstance(inner, _core.Model):
        raise TypeError(f"model is a {type(model).__name__}, but must be a fitted estimator that predicts, or a model file")
    return inner.to_bytes()


def columns_of(column: str | list[str] | None) -> list[str] | None:
    """The columns that are features: one of lists or several of numbers; all of them where none is named."""
    return [column] if isinstance(column, str) else column


class Labeller:
    """A model that adds columns to batches, on one thread: the engine has a worker for each core."""

    def __init__(self, model: bytes, columns: list[str] | None, memberships: bool) -> None:
        try:
            _core.set_threads(1)
        except RuntimeError:
            pass  # the user's own process, which has its threads already
        self.model = _core.Model.from_bytes(model)
        self.columns = columns
        self.memberships = memberships

    def label(self, batch: pyarrow.Table | pyarrow.RecordBatch) -> list[tuple[str, pyarrow.Array]]:
        """The new columns of a batch, with their names."""
        import pyarrow as pa

        if batch.num_rows == 0:
            found = [pa.array([], pa.int32()), pa.array([], pa.float32()), pa.array([], pa.list_(pa.float32()))]
        else:
            rows = _core.Rows.from_arrow(batch, self.columns)
            labels, confidence, memberships = self.model.label(rows, self.memberships)
            found = [pa.array(labels), pa.array(confidence)]
            if memberships is not None:
                begins = pa.array(range(0, memberships.size + 1, memberships.shape[1]), pa.int32())
                found.append(pa.ListArray.from_arrays(begins, pa.array(memberships.ravel())))
        names = [LABEL, CONFIDENCE, MEMBERSHIPS][: 3 if self.memberships else 2]
        return list(zip(names, found))


def check_names(names: list[str], memberships: bool) -> None:
    """Refuse data that has a column of a name that is about to be added."""
    taken = [name for name in [LABEL, CONFIDENCE, MEMBERSHIPS][: 3 if memberships else 2] if name in names]
    if taken:
        raise ValueError(f"the data has a column {taken[0]!r} already: rename or drop it first")


def check_columns(names: list[str], columns: list[str] | None) -> None:
    """Refuse a column that is not there."""
    missing = [name for name in columns or [] if name not in names]
    if missing:
        raise KeyError(f"there is no column {missing[0]!r}: the columns are {names}")
