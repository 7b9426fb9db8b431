"""Ward against scikit-learn."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from neuncut import Ward


@pytest.mark.parametrize(("rows", "columns", "clusters"), [(300, 2, 4), (500, 20, 7), (200, 3, 60)])
def test_clusters_are_those_of_scikit_learn(rows, columns, clusters):
    data = np.random.default_rng(clusters).normal(size=(rows, columns)).astype(np.float32)
    expected = AgglomerativeClustering(clusters).fit_predict(data)
    assert adjusted_rand_score(expected, Ward(clusters).fit_predict(data)) == 1.0
