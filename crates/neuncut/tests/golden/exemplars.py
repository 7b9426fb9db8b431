"""Golden values of ESC. Run: python exemplars.py (numpy, scikit-learn, safetensors); it writes exemplars.safetensors.

Of 90 unit rows in three subspaces that overlap, 12 exemplars are chosen from row 5 on, one after the other the row of largest
|c|_1 + 50/2 |x - E'c|^2, each by a Lasso for every row: nothing is lazy. Written are rows, exemplars in their order, coefficients, and the
graph of the three nearest unit coefficient vectors, (N + N') / 2. The gap of each choice to the next best row is printed.
"""

import numpy as np
from safetensors.numpy import save_file
from sklearn.linear_model import Lasso

WEIGHT, COUNT = 50.0, 12
rng = np.random.default_rng(20)
bases = rng.normal(size=(3, 3, 8))
rows = np.einsum("nd,ndj->nj", rng.normal(size=(90, 3)), bases[np.arange(90) % 3]) + 0.3 * rng.normal(size=(90, 8))
rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
x = rows.astype(np.float64)


def code(exemplars):
    # scikit-learn's objective is |x - E'c|^2 / (2 d) + alpha |c|_1
    lasso = Lasso(alpha=1 / (WEIGHT * x.shape[1]), fit_intercept=False, tol=1e-12, max_iter=1_000_000)
    return np.array([lasso.fit(x[exemplars].T, row).coef_.copy() for row in x])


def costs(coefficients, exemplars):
    return np.abs(coefficients).sum(axis=1) + WEIGHT / 2 * ((x - coefficients @ x[exemplars]) ** 2).sum(axis=1)


exemplars = [5]
while len(exemplars) < COUNT:
    cost = costs(code(exemplars), exemplars)
    cost[exemplars] = -np.inf
    order = np.argsort(-cost)
    print(order[0], cost[order[0]] - cost[order[1]])
    exemplars.append(int(order[0]))
coefficients = code(exemplars)
unit = coefficients / np.maximum(np.linalg.norm(coefficients, axis=1, keepdims=True), 1e-30)
cosines = unit @ unit.T
np.fill_diagonal(cosines, -np.inf)
nearest = np.zeros((90, 90))
order = np.argsort(-cosines, axis=1)
np.put_along_axis(nearest, order[:, :3], 1, axis=1)
ranked = np.take_along_axis(cosines, order, axis=1)
print("least gap of a third neighbour", (ranked[:, 2] - ranked[:, 3]).min())
save_file(
    {
        "rows": rows,
        "exemplars": np.array(exemplars, np.float32)[:, None],
        "coefficients": coefficients.astype(np.float32),
        "graph": ((nearest + nearest.T) / 2).astype(np.float32),
    },
    "exemplars.safetensors",
)
