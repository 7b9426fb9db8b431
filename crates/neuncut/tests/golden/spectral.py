"""Golden values of spectral clustering. Run: python spectral.py PENDIGITS_X_NPY (numpy, scipy, scikit-learn, safetensors).

The graph joins each of 2,000 rows of pendigits to its ten nearest neighbours, 1/2 for each direction. Written are its edges, the
12 lowest eigenvalues of both Laplacians by scipy, and the lowest normalized cut of scikit-learn's SpectralClustering over five
seeds and each way of assigning labels.
"""

import sys

import numpy as np
import scipy.sparse.linalg as sla
from safetensors.numpy import save_file
from scipy.sparse import csgraph
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import kneighbors_graph

rows = np.load(sys.argv[1])[:2000].astype(np.float64)
graph = kneighbors_graph(rows, 10)
graph = (0.5 * (graph + graph.T)).tocsr()


def lowest(normed):
    laplacian = csgraph.laplacian(graph, normed=normed).astype(np.float64)
    return np.sort(sla.eigsh(laplacian, k=12, sigma=-1e-3, tol=1e-12, return_eigenvectors=False))


def ncut(labels):
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    total = 0.0
    for c in range(10):
        inside = labels == c
        volume = degrees[inside].sum()
        total += 1.0 if volume == 0 else (volume - graph[inside][:, inside].sum()) / volume
    return total


def cuts(assign):
    fit = lambda seed: SpectralClustering(10, affinity="precomputed", assign_labels=assign, random_state=seed).fit(graph)
    return [ncut(fit(seed).labels_) for seed in range(5)]


found = {assign: cuts(assign) for assign in ["kmeans", "discretize", "cluster_qr"]}
print(found)
upper = graph.tocoo()
keep = upper.row < upper.col
edges = np.stack([upper.row[keep], upper.col[keep], upper.data[keep]], axis=1).astype(np.float32)
save_file(
    {
        "edges": edges,
        "normalized": lowest(True).astype(np.float64),
        "unnormalized": lowest(False).astype(np.float64),
        "ncut": np.array([min(found[a]) for a in ["kmeans", "discretize", "cluster_qr"]]),
    },
    "spectral.safetensors",
)
