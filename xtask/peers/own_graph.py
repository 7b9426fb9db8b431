"""NeuNcut on a graph that scikit-learn made, beside its SpectralClustering: NEUNCUT ROWS.npy CLASSES.npy CLUSTERS [SPLITS].

The graph joins each row to its ten nearest among four fifths of the rows; the others are labelled by the model alone. NEUNCUT is
the command. Classes only score.
"""
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import SpectralClustering
from sklearn.metrics import confusion_matrix
from sklearn.neighbors import kneighbors_graph

warnings.filterwarnings("ignore")


def accuracy(labels, classes):
    """The share of rows whose label is their class, under the best matching."""
    table = confusion_matrix(classes, labels)
    return table[linear_sum_assignment(-table)].sum() / len(classes)


def main():
    command, rows, classes, clusters = sys.argv[1], np.load(sys.argv[2]), np.load(sys.argv[3]), sys.argv[4]
    splits = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    found = []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(rows))
        known, other = np.split(order, [len(rows) * 4 // 5])
        graph = kneighbors_graph(rows[known], 10)
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            scipy.sparse.save_npz(place / "graph.npz", graph)
            for part, chosen in [("known", known), ("other", other)]:
                np.save(place / f"{part}.npy", rows[chosen].astype(np.float32))
            call = [command, "fit", "known.npy", "-k", clusters, "--affinity", "graph:graph.npz", "--seed", str(seed), "-q"]
            subprocess.run([*call, "-o", "model", "--labels-out", "labels.npy"], cwd=place, check=True)
            subprocess.run([command, "predict", "model", "other.npy", "-o", "new.npy", "-q"], cwd=place, check=True)
            own = accuracy(np.load(place / "labels.npy"), classes[known])
            new = accuracy(np.load(place / "new.npy"), classes[other])
        peer = SpectralClustering(int(clusters), affinity="precomputed", random_state=seed)
        theirs = accuracy(peer.fit_predict(0.5 * (graph + graph.T)), classes[known])
        found.append((own, new, theirs))
        print(f"split {seed}: rows of the graph {own:.4f}, other rows {new:.4f}, SpectralClustering {theirs:.4f}", flush=True)
    found = np.array(found)
    print("mean (lowest):", *(f"{mean:.4f} ({least:.4f})" for mean, least in zip(found.mean(0), found.min(0))))


if __name__ == "__main__":
    main()
