"""How compiled objects come back from a pickle: by the bytes of their files."""

from . import _core


def model(data: bytes) -> _core.Model:
    """The model of these bytes."""
    return _core.Model.from_bytes(data)


def features(data: bytes) -> _core.Features:
    """The feature steps of these bytes."""
    return _core.Features.from_bytes(data)
