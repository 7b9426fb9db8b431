"""Fit, predict, report: 1,797 images of handwritten digits, which come with scikit-learn.

A notebook as a script: editors that know cell marks (VS Code, PyCharm, Spyder, jupytext) run it cell by cell,
and `python tutorial.py` runs all of it. It leaves `digits.safetensors` and `digits.html` in the current folder.
"""

# %% [markdown]
# ## Rows
# Each row is an image of 8 x 8 pixels. The classes are known, but they are used for scores alone. The last 297
# rows are kept aside.

# %%
from sklearn.datasets import load_digits

from neuncut import KMeans, NeuNcut, load, metrics

rows, classes = load_digits(return_X_y=True)
seen, new = slice(0, 1500), slice(1500, None)

# %% [markdown]
# ## Fit
# `n_clusters` is the only setting you must think about. k-means, which cuts space into round cells, is a fair
# thing to compare with.

# %%
model = NeuNcut(n_clusters=10, random_state=0).fit(rows[seen])
plain = KMeans(n_clusters=10, random_state=0).fit(rows[seen])
ours, theirs = (metrics.accuracy(classes[seen], fitted.labels_) for fitted in (model, plain))
print(f"accuracy {ours:.3f}, k-means {theirs:.3f}")
assert ours > theirs

# %% [markdown]
# ## Predict
# The model labels rows that it has never seen, and says how sure it is.

# %%
labels = model.predict(rows[new])
confidence = model.predict_proba(rows[new]).max(axis=1)
print(f"accuracy on new rows {metrics.accuracy(classes[new], labels):.3f}, mean confidence {confidence.mean():.2f}")
unsure = confidence.argsort()[:5] + seen.stop
print("the rows it is least sure of:", unsure.tolist())

# %% [markdown]
# ## How the clusters came about
# Which partition was the start, in which representation rows enter the network, and what there is to warn of.

# %%
found = model.diagnostics_
print("start:", found["start"], "| rows enter as:", found["representation"])
for curve in model.history_:
    print(curve["stage"], "took", len(curve["epoch"]), "epochs")

# %% [markdown]
# ## Report and keep
# The page opens in any browser: a map of the rows, a table of the clusters, images of typical rows. The file is
# the one that the command `neuncut` reads and writes.

# %%
model.image_shape = (8, 8)  # for the pictures on the page
model.report("digits.html", rows[seen])
model.save("digits.safetensors")
assert (load("digits.safetensors").predict(rows[new]) == labels).all()
print("digits.html and digits.safetensors are written")
