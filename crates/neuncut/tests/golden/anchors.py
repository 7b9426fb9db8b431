"""Golden values of methods by anchors. Run: python anchors.py (numpy, safetensors); it writes anchors.safetensors.

Anchors are the first 30 of 120 rows, clusters 3. Written are the rows and, for each method, the products of the unit rows of its embedding
for the first 40 rows. Embeddings come from singular value decompositions of whole matrices, not from the small eigenproblem. The clouds
overlap, so that each graph is connected and its vectors are unique; the singular values are printed.
"""

import numpy as np
from safetensors.numpy import save_file

rng = np.random.default_rng(0)
centres = 0.7 * rng.normal(size=(3, 5))
rows = (centres[np.arange(120) % 3] + rng.normal(size=(120, 5))).astype(np.float32)
x = rows.astype(np.float64)
k = 3


def distances(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(axis=2)


def gram(embedding):
    unit = embedding / np.linalg.norm(embedding, axis=1, keepdims=True)
    return (unit @ unit.T)[:40, :40].astype(np.float32)


def nearest(squared, r):
    keep = np.zeros(squared.shape, bool)
    np.put_along_axis(keep, np.argsort(squared, axis=1)[:, :r], True, axis=1)
    return keep


def adaptive(a, b, r):
    squared = distances(a, b)
    order = np.sort(squared, axis=1)
    weights = np.where(nearest(squared, r), order[:, r : r + 1] - squared, 0)
    return weights / weights.sum(axis=1, keepdims=True)


def svd(matrix):
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    print(values[: k + 2])
    return left, values


squared = distances(x, x[:30])
five = nearest(squared, 5)
sigma = np.sqrt(squared[five]).mean()
heat = np.where(five, np.exp(-squared / (2 * sigma**2)), 0)

# LSC: left singular vectors of Z diag(1'Z)^-1/2 after the first, Z of row sums one
z = heat / heat.sum(axis=1, keepdims=True)
lsc = svd(z / np.sqrt(z.sum(axis=0)))[0][:, 1 : k + 1]

# U-SPEC: the bipartite graph's eigenvectors D_x^-1 B u, whose lengths are the singular values
d_x, d_y = heat.sum(axis=1), heat.sum(axis=0)
left, values = svd(heat / np.sqrt(d_x)[:, None] / np.sqrt(d_y))
uspec = (left * values / np.sqrt(d_x)[:, None])[:, :k]

# RESKM: two nearest anchors, bandwidth of all pairs, vectors after the first, of length one
two = np.where(nearest(squared, 2), np.exp(-squared / (2 * squared.mean())), 0)
d_x, d_y = two.sum(axis=1), two.sum(axis=0)
reskm = svd(two / np.sqrt(d_x)[:, None] / np.sqrt(d_y))[0][:, 1 : k + 1]

# Nystrom, as Fowlkes et al. write it
kernel = np.exp(-squared / (2 * squared.mean())).T
a, b = kernel[:, :30], kernel[:, 30:]
d1 = a.sum(axis=1) + b.sum(axis=1)
d2 = b.sum(axis=0) + b.T @ np.linalg.pinv(a, rcond=1e-6, hermitian=True) @ b.sum(axis=1)
a, b = a / np.sqrt(np.outer(d1, d1)), b / np.sqrt(np.outer(d1, d2))
values, vectors = np.linalg.eigh(a)
kept = values > 1e-6 * values.max()
root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
values, vectors = np.linalg.eigh(a + root @ b @ b.T @ root)
nystrom = np.vstack([a, b.T]) @ root @ (vectors[:, ::-1][:, :k] / np.sqrt(values[::-1][:k]))

# two layers of anchors: left singular vectors of Z1 Z2
z = adaptive(x, x[:30], 5) @ adaptive(x[:30], x[:12], 5)
bipartite = svd(z / np.sqrt(z.sum(axis=0)))[0][:, :k]

# U-SENC: rows and the clusters of five members, each the classes with noise, as the bipartite graph of U-SPEC
members = np.where(rng.uniform(size=(120, 5)) < 0.6, np.arange(120)[:, None] % 3, rng.integers(0, 4, size=(120, 5)))
joined = np.hstack([np.eye(4)[members[:, m]] for m in range(5)])
d_y = joined.sum(axis=0)
left, values = svd(joined / np.sqrt(5) / np.sqrt(d_y))
usenc = (left * values)[:, :k]

found = {"usenc": usenc, "lsc": lsc, "uspec": uspec, "reskm": reskm, "nystrom": nystrom, "bipartite": bipartite}
save_file({"rows": rows, "members": members.astype(np.float32)} | {name: gram(embedding) for name, embedding in found.items()}, "anchors.safetensors")
