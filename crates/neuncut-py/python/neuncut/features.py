"""Feature steps by themselves, as a transformer of scikit-learn."""

from __future__ import annotations

from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._progress import watcher_for
from ._rows import to_rows
from ._seeds import seed_of

__all__ = ["Features"]


class Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A chain of feature steps, such as scattering coefficients and principal components.

    Parameters
    ----------
    steps : str, default="standardize"
        Steps separated by commas, each one of ``unit``, ``center``, ``standardize``, ``pca=N``, ``pca=N:centered``,
        ``whiten=N``, ``scattering``, ``scattering=J,L``, ``autoencoder=N``, ``resize=WxH``, and, in
        a package that was built with the feature ``onnx``, ``onnx=FILE``.
    image_shape : tuple, default=None
        (height, width) or (height, width, channels) of the images that rows are, for ``scattering`` and ``resize``.
    random_state : int, RandomState instance or None, default=None
        Seed of the autoencoder.
    verbose : int or bool, default=0
        Whether a progress bar is drawn.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the rows that were fitted.
    feature_names_in_ : ndarray of str
        Their names, where they have some.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut.features import Features
    >>> images = np.random.default_rng(0).random((20, 64))
    >>> Features("scattering=2,4,pca=5", image_shape=(8, 8)).fit_transform(images).shape
    (20, 5)
    """

    def __init__(
        self,
        steps: str = "standardize",
        *,
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        verbose: int | bool = 0,
    ) -> None:
        self.steps = steps
        self.image_shape = image_shape
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the steps on all rows of X; ``y`` is ignored.

        Examples
        --------
        >>> import numpy as np
        >>> from neuncut.features import Features
        >>> Features("pca=2").fit(np.eye(5)).n_features_in_
        5
        """
        rows = to_rows(self, X, reset=True)
        watcher = watcher_for(self.verbose, None)
        images = None if self.image_shape is None else list(self.image_shape)
        try:
            self._steps = _core.Features.fit(
                self.steps, rows, images=images, seed=seed_of(self.random_state), watcher=watcher
            )
        finally:
            if watcher is not None:
                watcher.finish()
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The features of the rows of X, an array of float32.

        Examples
        --------
        >>> from neuncut.features import Features
        >>> Features("center").fit([[0.0], [4.0]]).transform([[2.0], [5.0]]).tolist()
        [[0.0], [3.0]]
        """
        check_is_fitted(self, "_steps")
        return self._steps.transform(to_rows(self, X, reset=False))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted steps to a file, which ``neuncut features --load`` reads too.

        Examples
        --------
        >>> import os, tempfile
        >>> from neuncut.features import Features
        >>> path = os.path.join(tempfile.mkdtemp(), "steps.safetensors")
        >>> Features("center").fit([[0.0], [4.0]]).save(path)
        """
        check_is_fitted(self, "_steps")
        self._steps.save(path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read fitted steps from a file of ``save`` or of ``neuncut features --save``.

        Examples
        --------
        >>> import os, tempfile
        >>> from neuncut.features import Features
        >>> path = os.path.join(tempfile.mkdtemp(), "steps.safetensors")
        >>> Features("center").fit([[0.0], [4.0]]).save(path)
        >>> Features.load(path).transform([[2.0]]).tolist()
        [[0.0]]
        """
        loaded = _core.Features.load(path)
        features = cls(loaded.chain)
        features._steps = loaded
        features.n_features_in_ = loaded.n_columns
        return features

    @property
    def _n_features_out(self) -> int:
        return self._steps.n_outputs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
