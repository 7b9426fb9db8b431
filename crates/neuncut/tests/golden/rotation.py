"""Golden values of the improved spectral rotation. Run: python rotation.py (numpy, safetensors); it writes rotation.safetensors.

The eigenvectors F of a dense graph of 60 rows are rotated to the scaled indicators D^1/2 Y (Y'DY)^-1/2 from labels in which every fifth is
wrong: R = U V' of the singular value decomposition of F' D^1/2 Y (Y'DY)^-1/2, then row after row goes where the trace of R' F' D^1/2 Y (Y'DY)^-1/2 is
largest, computed afresh from whole matrices for every row and cluster, until no label changes. Written are eigenfunctions D^-1/2 F, degrees,
first and last labels.
"""

import numpy as np
from safetensors.numpy import save_file

rng = np.random.default_rng(2)
k = 4
rows = np.repeat(2.4 * rng.normal(size=(k, 2)), 15, axis=0) + rng.normal(size=(60, 2))
affinity = np.exp(-((rows[:, None] - rows[None]) ** 2).sum(axis=2))
np.fill_diagonal(affinity, 0)
degrees = affinity.sum(axis=1)
root = np.sqrt(degrees)
vectors = np.linalg.eigh(affinity / np.outer(root, root))[1][:, ::-1][:, :k]
truth = np.arange(60) // 15
start = np.where(np.arange(60) % 5 == 0, (truth + 1 + np.arange(60) % 2) % k, truth)


def indicators(labels):
    y = np.eye(k)[labels]
    volumes = degrees @ y
    return root[:, None] * y / np.sqrt(np.maximum(volumes, 1e-300))


labels = start.copy()
while True:
    u, _, vt = np.linalg.svd(vectors.T @ indicators(labels))
    rotated = vectors @ (u @ vt)
    before = labels.copy()
    for i in range(60):
        values = []
        for c in range(k):
            labels[i] = c
            values.append((rotated * indicators(labels)).sum())
        labels[i] = np.argmax(values)
    print((labels != before).sum(), "labels change, trace", (rotated * indicators(labels)).sum())
    if (labels == before).all():
        break
print((labels != truth).sum(), "of 60 differ from the truth, and", (labels != start).sum(), "from the start")
as_numbers = lambda values: np.asarray(values, np.float64)
save_file(
    {"functions": vectors / root[:, None], "degrees": degrees, "start": as_numbers(start), "labels": as_numbers(labels)},
    "rotation.safetensors",
)
