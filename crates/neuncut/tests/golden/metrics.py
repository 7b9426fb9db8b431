"""Run: `pip install numpy scipy scikit-learn && python metrics.py`, here. Writes metrics.json.

Scores of labellings as scikit-learn and scipy compute them: NMI with the geometric mean, ARI, and accuracy by
`scipy.optimize.linear_sum_assignment` on the contingency table. Each case is
{"name", "predicted", "truth", "accuracy", "nmi", "ari"}.
"""

import json
import pathlib
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix


def accuracy(predicted, truth):
    counts = contingency_matrix(truth, predicted)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    return counts[rows, columns].sum() / len(truth)


def case(name, predicted, truth):
    predicted, truth = np.asarray(predicted), np.asarray(truth)
    return {
        "name": name,
        "predicted": predicted.tolist(),
        "truth": truth.tolist(),
        "accuracy": float(accuracy(predicted, truth)),
        "nmi": float(normalized_mutual_info_score(truth, predicted, average_method="geometric")),
        "ari": float(adjusted_rand_score(truth, predicted)),
    }


def corrupted(rng, truth, n_clusters, share):
    predicted = truth % n_clusters
    wrong = rng.random(len(truth)) < share
    return np.where(wrong, rng.integers(0, n_clusters, len(truth)), predicted)


def main():
    warnings.filterwarnings("ignore")  # scikit-learn suspects labels as numerous as rows to be continuous
    rng = np.random.default_rng(2024)
    truth = rng.integers(0, 5, 120)
    skewed = np.minimum(rng.geometric(0.5, 120) - 1, 7)
    cases = [
        case("one cluster each", [0, 0, 0], [4, 4, 4]),
        case("one cluster against three", [0] * 6, [0, 0, 1, 1, 2, 2]),
        case("three clusters against one", [0, 0, 1, 1, 2, 2], [0] * 6),
        case("a single row", [3], [8]),
        case("all apart against all together", list(range(8)), [0] * 8),
        case("all apart in both", list(range(8)), list(range(7, -1, -1))),
        case("crossed", [0, 0, 1, 1], [0, 1, 0, 1]),
        case("independent", rng.integers(0, 5, 120), truth),
        case("a tenth wrong", corrupted(rng, truth, 5, 0.1), truth),
        case("fewer clusters than classes", corrupted(rng, truth, 3, 0.1), truth),
        case("more clusters than classes", truth * 2 + rng.integers(0, 2, 120), truth),
        case("unequal sizes", corrupted(rng, skewed, 8, 0.3), skewed),
        case("labels that are not consecutive", truth * 1000 + 17, corrupted(rng, truth, 5, 0.4) * 99991),
        case("forty clusters", corrupted(rng, np.arange(200) % 40, 40, 0.3), np.arange(200) % 40),
    ]
    out = pathlib.Path(__file__).with_name("metrics.json")
    out.write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")


main()
