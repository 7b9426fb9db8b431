"""Labels of rows by scikit-learn's SpectralClustering on ten nearest neighbours: FILE.f32 COLUMNS CLUSTERS SEED."""
import sys
import warnings

import numpy as np
from sklearn.cluster import SpectralClustering

warnings.filterwarnings("ignore")
file, columns, clusters, seed = sys.argv[1], *map(int, sys.argv[2:5])
rows = np.fromfile(file, "<f4").reshape(-1, columns)
method = SpectralClustering(clusters, affinity="nearest_neighbors", n_neighbors=10, random_state=seed)
print(*method.fit_predict(rows))
