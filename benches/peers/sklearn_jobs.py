"""The job `kmeans` in scikit-learn: kmeans --data FILE.npy [--clusters N]. Prints one JSON line."""

import argparse
import json
import time

import numpy as np
from sklearn.cluster import KMeans

parser = argparse.ArgumentParser()
parser.add_argument("job", choices=["kmeans"])
parser.add_argument("--data", required=True)
parser.add_argument("--clusters", type=int, default=10)
given = parser.parse_args()
rows = np.load(given.data)
begin = time.perf_counter()
kmeans = KMeans(given.clusters, n_init=10, max_iter=100, random_state=0).fit(rows)
print(json.dumps({"job": "kmeans", "seconds": time.perf_counter() - begin, "inertia": float(kmeans.inertia_)}))
