"""The jobs `knn` and `kmeans` in faiss: knn|kmeans --data FILE.npy [--neighbors N] [--clusters N] [--ours FILE.json].

Prints one JSON line; `recall` is the share of our neighbours (in --ours, of the first rows) that faiss has too.
"""

import argparse
import json
import time

import faiss
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("job", choices=["knn", "kmeans"])
parser.add_argument("--data", required=True)
parser.add_argument("--rows", type=int)
parser.add_argument("--neighbors", type=int, default=10)
parser.add_argument("--clusters", type=int, default=10)
parser.add_argument("--ours")
given = parser.parse_args()
rows = np.ascontiguousarray(np.load(given.data)[: given.rows], dtype=np.float32)
begin = time.perf_counter()
if given.job == "knn":
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    places = index.search(rows, given.neighbors + 1)[1]
    found = {"job": "knn", "seconds": time.perf_counter() - begin}
    if given.ours:
        with open(given.ours) as file:
            ours = json.load(file)["neighbors"]
        shared = sum(len(set(a) & set(b.tolist())) for a, b in zip(ours, places))
        found["recall"] = shared / sum(map(len, ours))
else:
    kmeans = faiss.Kmeans(
        rows.shape[1], given.clusters, niter=100, nredo=10, seed=0, max_points_per_centroid=len(rows)
    )
    kmeans.train(rows)
    seconds = time.perf_counter() - begin
    found = {"job": "kmeans", "seconds": seconds, "inertia": float(kmeans.index.search(rows, 1)[0].sum(dtype=np.float64))}
print(json.dumps(found))
