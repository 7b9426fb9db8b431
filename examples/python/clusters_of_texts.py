"""Choose the number of clusters, name them by their texts, and look at coarser levels: a small table of made
questions.

A notebook as a script: editors that know cell marks run it cell by cell, `python clusters_of_texts.py` all of
it. It needs pyarrow, and leaves `questions.parquet`, `questions.safetensors` and `labelled.parquet` in the
current folder. The last steps use the command `neuncut`, which comes with the package.
"""

# %% [markdown]
# ## A table of texts
# Six kinds of questions. With texts of your own, take the embeddings of a language model; here counts of words,
# reduced to a few columns, do.

# %%
import itertools
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from neuncut import NeuNcut

KINDS = [  # what is to be done, how it is, what it is
    ("replace my, report my, unlock my", "lost, stolen, blocked, expired", "credit card, bank card, debit card"),
    ("cancel a, find a, repeat a", "wrong, pending, late, failed", "money transfer, bank transfer, wire transfer"),
    ("book a, find a, change my", "early, direct, cheap, night", "flight to Rome, flight to Oslo, flight to Lima"),
    ("book a, find a, cancel my", "quiet, central, cheap, family", "hotel in Rome, hotel in Oslo, hotel in Lima"),
    ("play a, repeat this, skip this", "loud, calm, new, old", "jazz song, rock song, folk song"),
    ("turn on, switch off, set the", "bright, dim, warm, red", "kitchen lights, garden lights, bedroom lights"),
]
WHEN = "now, today, tonight, tomorrow"
texts = [
    " ".join(["please", *words])
    for kind in KINDS
    for words in itertools.product(*(choices.split(", ") for choices in (*kind, WHEN)))
]
counts = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
rows = TruncatedSVD(24, random_state=0).fit_transform(counts).astype(np.float32)
print(len(texts), "questions, such as:", texts[0])

# %% [markdown]
# ## How many clusters?
# `n_clusters="auto"` compares every number that the rows allow, or those of a range, without labels. There is
# often more than one good number: three are recommended.

# %%
model = NeuNcut(n_clusters="2..12", hidden=(64, 64), random_state=0).fit(rows)
evidence = model.cluster_count_
print("chosen:", model.n_clusters_, "| recommended:", evidence["recommended"])

# %% [markdown]
# These texts are made of few words that repeat exactly, so that finer groups stand out too. Take the number that
# serves you: below it is six, one for each kind of question.

# %% [markdown]
# ## Names
# Where a table has texts beside its numbers, `neuncut fit` names the clusters by the words that set them apart.
# Texts take no part in the fit.

# %%
embeddings = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])
pq.write_table(pa.table({"text": texts, "embedding": embeddings}), "questions.parquet")


def neuncut(*words: str) -> str:
    """What the command prints."""
    return subprocess.run([sys.executable, "-m", "neuncut", *words], check=True, capture_output=True, text=True).stdout


neuncut("fit", "questions.parquet", "-k", "6", "--hidden", "64,64", "-o", "questions.safetensors", "--quiet")
print(neuncut("inspect", "questions.safetensors", "--names"))

# %% [markdown]
# ## Coarser levels
# A model keeps the tree of its clusters. `--level 3` merges along it until three groups are left; nothing is
# fitted again.

# %%
print(neuncut("inspect", "questions.safetensors", "--tree"))
neuncut("predict", "questions.safetensors", "questions.parquet", "--level", "3", "--names", "-o", "labelled.parquet")
labelled = pq.read_table("labelled.parquet")
groups = set(labelled.column("cluster_name").to_pylist())
print("three groups:", sorted(groups))
assert len(groups) == 3
