"""Golden values of linkage refinement. Run: python min_max.py (numpy, safetensors); it writes min_max.safetensors.

A dense affinity of 45 rows in three clouds, labels of which a third are wrong, and what they become: row after row goes to the cluster c of
largest linkage W(i, c) / W(c, c) where that lowers the min-max cut sum_c W(c, rest) / W(c, c), all from whole matrices, until none goes.
"""

import numpy as np
from safetensors.numpy import save_file

rng = np.random.default_rng(1)
k = 3
rows = np.repeat(1.8 * rng.normal(size=(k, 2)), 15, axis=0) + rng.normal(size=(45, 2))
affinity = np.exp(-((rows[:, None] - rows[None]) ** 2).sum(axis=2))
np.fill_diagonal(affinity, 0)
affinity = affinity.astype(np.float32)
w = affinity.astype(np.float64)
start = np.where(np.arange(45) % 3 == 0, (np.arange(45) // 15 + 1) % k, np.arange(45) // 15)


def cut(labels):
    y = np.eye(k)[labels]
    within = np.diag(y.T @ w @ y)
    return ((w.sum(axis=1) @ y) / within - 1).sum()


labels = start.copy()
while True:
    before = labels.copy()
    for i in range(45):
        y = np.eye(k)[labels]
        linkage = (w[i] @ y) / np.diag(y.T @ w @ y)
        linkage[labels[i]] = -1
        moved = labels.copy()
        moved[i] = linkage.argmax()
        if cut(moved) < cut(labels) - 1e-9:
            labels = moved
    print((labels != before).sum(), "rows go, cut", cut(labels))
    if (labels == before).all():
        break
print((labels != start).sum(), "of 45 went in all")
save_file({"affinity": affinity, "start": start.astype(np.float32), "labels": labels.astype(np.float32)}, "min_max.safetensors")
