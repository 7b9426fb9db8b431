"""HDBSCAN of scikit-learn on every set of a suite: SUITE OUT.csv [SMALLEST...].

SMALLEST is `min_cluster_size` (5, scikit-learn's default, and 15). HDBSCAN is not told the number of clusters. Rows that it calls noise
count as wrong in the accuracy. Classes only score.
"""
import csv
import sys
import time
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import HDBSCAN
from sklearn.metrics import confusion_matrix


def accuracy(labels, classes):
    """The share of rows whose label is their class, under the best matching; noise (-1) matches nothing."""
    known = labels >= 0
    if not known.any():
        return 0.0
    table = confusion_matrix(np.unique(classes, return_inverse=True)[1][known], labels[known])
    return table[linear_sum_assignment(-table)].sum() / len(classes)


def main():
    suite, out = Path(sys.argv[1]), sys.argv[2]
    smallest = [int(word) for word in sys.argv[3:]] or [5, 15]
    with open(out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["set", "min_cluster_size", "k", "found", "noise", "accuracy", "seconds"])
        for path in sorted(suite.glob("*.x.npy")):
            name = path.name.removesuffix(".x.npy")
            rows, classes = np.load(path).astype(np.float32), np.load(suite / f"{name}.y.npy")
            for size in smallest:
                start = time.perf_counter()
                labels = HDBSCAN(min_cluster_size=size, copy=True).fit_predict(rows)
                took = time.perf_counter() - start
                found, noise = len(set(labels.tolist()) - {-1}), (labels < 0).mean()
                score = accuracy(labels, classes)
                writer.writerow([name, size, len(np.unique(classes)), found, f"{noise:.4f}", f"{score:.4f}", f"{took:.2f}"])
            file.flush()


if __name__ == "__main__":
    main()
