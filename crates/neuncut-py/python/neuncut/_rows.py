"""What users pass as X, as rows of the compiled part: seen where they lie where that can be, else converted once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ._core import Rows


def to_rows(estimator: Any, X: Any, *, reset: bool) -> Rows:
    """The rows of X; on ``reset`` the estimator notes their features, otherwise they must be those it knows."""
    X = _vectors(X)
    if speaks_arrow(X):
        rows = Rows.from_arrow(X)
        _check_size(estimator, rows)
        _check_names(estimator, rows.names, reset)
        _check_width(estimator, rows.n_columns, reset)
        return rows
    if not isinstance(X, np.ndarray) and hasattr(X, "__dlpack__"):
        X = _from_dlpack(X)
    try:
        array = validate_data(estimator, X, reset=reset, dtype=np.float32, order="C")
    except (TypeError, ValueError) as error:
        column = _not_numbers(X)
        if column is None:
            raise
        raise ValueError(f"column {column} does not hold numbers: choose columns of numbers, or encode it") from error
    names = getattr(estimator, "feature_names_in_", None)
    if reset and array is not X:
        _check_vanished(X, array, names)
    return Rows.from_numpy(np.require(array, np.float32, ["C", "A"]), None if names is None else list(names))


def _not_numbers(X: Any) -> Any:
    """The name of the first column of a frame of pandas that cannot be read as numbers; none where X is no such frame."""
    if type(X).__module__.partition(".")[0] != "pandas" or not hasattr(X, "columns"):
        return None
    for place, name in enumerate(X.columns):
        if X.dtypes.iloc[place].kind in "mM":  # times
            return name
        try:
            X.iloc[:, place].to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return name
    return None


def _check_vanished(X: Any, array: np.ndarray, names: Any) -> None:
    """Refuse a column of zeros that are none in X: numbers which single precision has not, because they are too small."""
    for column in np.flatnonzero(~array.any(axis=0)):
        given = X.iloc[:, column] if hasattr(X, "iloc") else np.asarray(X)[:, column]
        if np.any(np.asarray(given, dtype=np.float64) != 0):
            name = column + 1 if names is None else names[column]
            raise ValueError(
                f"column {name} of X holds only numbers too small for single precision (below 1e-45), which would all count as 0: "
                "scale the column up, or leave it out"
            )


def _collected(X: Any) -> Any:
    """X, unless it is a query of polars that has no rows yet."""
    if type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "collect"):
        raise TypeError("X is a LazyFrame of polars, which has no rows yet: pass X.collect()")
    return X


def to_array(X: Any) -> np.ndarray:
    """A copy of the rows of X as one array."""
    X = _vectors(X)
    if speaks_arrow(X):
        return Rows.from_arrow(X).to_array()
    if not isinstance(X, np.ndarray) and hasattr(X, "__dlpack__"):
        X = _from_dlpack(X)
    return np.asarray(X, dtype=np.float32)


def _vectors(X: Any) -> Any:
    """The column of vectors, where X is a frame or Series of pandas that holds one; otherwise X."""
    if type(X).__module__.partition(".")[0] != "pandas" or len(X) == 0:
        return _collected(X)
    columns = getattr(X, "columns", None)
    if columns is None:
        return _stacked(X) if _is_vector(X.iloc[0]) else X
    found = [place for place in range(len(columns)) if _is_vector(X.iloc[0, place])]
    if len(found) > 1:
        names = ", ".join(str(columns[place]) for place in found)
        raise ValueError(f"several columns hold lists of numbers ({names}): pass one of them")
    return X.iloc[:, found] if found else X


def _stacked(vectors: Any) -> np.ndarray:
    """Vectors of one length as the rows of an array."""
    arrays = [np.asarray(vector) for vector in vectors]
    for place, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            found = f"the list in row {place + 1} has {array.size} values, but those before it have {arrays[0].size}"
            raise ValueError(f"{found}: all lists must be equally long")
    return np.stack(arrays)


def _is_vector(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def speaks_arrow(X: Any) -> bool:
    """Whether X is read by way of Arrow. Frames of pandas are not, for theirs are columns of numpy, unless they hold lists."""
    if not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
        return False
    if type(X).__module__.partition(".")[0] != "pandas":
        return True
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != 1 or len(X) == 0:
        return False
    return _is_vector(X.iloc[0, 0])


def _from_dlpack(X: Any) -> np.ndarray:
    """A tensor as an array on the same memory."""
    if getattr(X, "requires_grad", False):
        X = X.detach()
    try:
        return np.from_dlpack(X)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(f"the tensor cannot be read ({error}): move it to the CPU, as float32") from error


def _check_size(estimator: Any, rows: Rows) -> None:
    shape, name = (rows.n_rows, rows.n_columns), type(estimator).__name__
    for count, what in zip(shape, ("sample", "feature")):
        if count == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required by {name}.")


def _check_width(estimator: Any, width: int, reset: bool) -> None:
    if reset:
        estimator.n_features_in_ = width
    elif width != estimator.n_features_in_:
        raise ValueError(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )


def _check_names(estimator: Any, names: list[str] | None, reset: bool) -> None:
    known = getattr(estimator, "feature_names_in_", None)
    if reset:
        if names is not None:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif known is not None:
            del estimator.feature_names_in_
    elif known is not None and names is None:
        warnings.warn(
            f"X does not have valid feature names, but {type(estimator).__name__} was fitted with feature names",
            UserWarning,
            stacklevel=4,
        )
    elif known is None and names is not None:
        warnings.warn(
            f"X has feature names, but {type(estimator).__name__} was fitted without feature names",
            UserWarning,
            stacklevel=4,
        )
    elif known is not None and list(known) != names:
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            f"expected {list(known)[:5]}..., got {(names or [])[:5]}..."
        )
