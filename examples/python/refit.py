"""The same clusters next week: refit with `like=`, and see what was born, died and moved.

A notebook as a script: editors that know cell marks run it cell by cell, `python refit.py` all of it. The
embeddings are made here: directions in 32 dimensions with noise around them.
"""

# %%
import numpy as np

from neuncut import NeuNcut

random = np.random.default_rng(0)
topics = random.normal(size=(6, 32))


def embeddings(kinds: list[int], per_topic: int = 200) -> np.ndarray:
    """Unit rows around some of the topics, topic by topic."""
    rows = np.repeat(topics[kinds], per_topic, axis=0) + random.normal(0, 0.4, (len(kinds) * per_topic, 32))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


# %% [markdown]
# ## Last week: topics 0 to 4
# A small network is enough for these rows, and quick; without `hidden` it is wide.

# %%
last_week = NeuNcut(n_clusters=5, hidden=(64, 64), random_state=0).fit(embeddings([0, 1, 2, 3, 4]))
number = {topic: int(last_week.predict(embeddings([topic])).min()) for topic in range(5)}
print("cluster of each topic, last week:", number)

# %% [markdown]
# ## This week: topic 0 is gone, topic 5 is new
# A fit from scratch would number its clusters as it finds them. With `like=` those that are still there keep
# their numbers, the number of one that died stays empty, and one that is new gets a number that none had.

# %%
this_week = NeuNcut(n_clusters=5, hidden=(64, 64), random_state=1).fit(embeddings([1, 2, 3, 4, 5]), like=last_week)
labels = this_week.predict(embeddings([1, 2, 3, 4, 5], per_topic=1))
print("cluster of topics 1 to 5, this week:", labels.tolist())
assert labels[:4].tolist() == [number[topic] for topic in range(1, 5)]
assert labels[4] not in number.values()
