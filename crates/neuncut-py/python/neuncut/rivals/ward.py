"""Ward's hierarchical clustering."""

from __future__ import annotations

from .._inductive import InductiveClusterer
from .._settings import Sampled, settings

__all__ = ["Ward"]


@settings
class Ward(Sampled, InductiveClusterer):
    """Ward's hierarchical clustering; rows that were not fitted follow their nearest.

    The clusters are those of scikit-learn's ``AgglomerativeClustering``, in memory that grows with the rows. The model holds the rows
    that it was fitted on.

    Parameters
    ----------
    n_clusters : int, "auto" or range, default=8
        Number of clusters; "auto", or a range such as "5..40", has it chosen without labels (``n_clusters_``).
    train_rows : int or "auto", default="auto"
        Most rows that are fitted, a uniform sample where X has more.
    features, image_shape, representation, device, random_state, verbose, callback
        As those of :class:`neuncut.NeuNcut`.

    Examples
    --------
    >>> import numpy as np
    >>> from neuncut import Ward
    >>> rows = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8]])
    >>> model = Ward(n_clusters=2).fit(rows)
    >>> bool((model.predict([[0, 0.4], [9, 8.6]]) == model.labels_[[0, 2]]).all())
    True
    """

    _method = "ward"
