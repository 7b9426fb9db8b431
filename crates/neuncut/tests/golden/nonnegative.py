"""Golden values of nonnegative spectral clustering. Run: python nonnegative.py (numpy, scikit-learn, safetensors); it writes nonnegative.safetensors.

Written are a dense affinity of 30 rows, a positive start and what 30 of the multiplicative updates make of it in double precision; and scikit-learn's
NNDSVD of the normalised affinity.
"""

import numpy as np
from safetensors.numpy import save_file
from sklearn.decomposition._nmf import _initialize_nmf

rng = np.random.default_rng(0)
rows = np.repeat(3.0 * rng.normal(size=(3, 2)), 10, axis=0) + rng.normal(size=(30, 2))
affinity = np.exp(-((rows[:, None] - rows[None]) ** 2).sum(axis=2) / 4)
np.fill_diagonal(affinity, 0)
affinity = affinity.astype(np.float32)
start = rng.uniform(0.1, 1, size=(30, 3)).astype(np.float32)

w = affinity.astype(np.float64)
d = w.sum(axis=1)
h = start.astype(np.float64)
h /= np.sqrt((d[:, None] * h**2).sum(axis=0))
for _ in range(30):
    h = h * np.sqrt(w @ h / (d[:, None] * (h @ (h.T @ w @ h))))
nndsvd, _ = _initialize_nmf(w / np.sqrt(np.outer(d, d)), 3, init="nndsvd", random_state=0)
save_file(
    {"affinity": affinity, "start": start, "factor": h.astype(np.float32), "nndsvd": nndsvd.astype(np.float32)}, "nonnegative.safetensors"
)
