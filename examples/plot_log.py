"""
A log: which parts does a change touch?
=======================================

A real log that every checkout has: its own history. A row is a change, described by the words of
its message; its labels are the parts of the tree that it touched. Parts that change together are
labels that share something. Where there is no history, as in a download, a few lines stand in for
it.
"""

import subprocess
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import MultiLabelBinarizer

import colabel
from colabel.metrics import f1, roc_auc

STAND_IN = """
|Tune thresholds out of fold
src/colabel/tuning/cuts.py
tests/tuning/test_cuts.py
|Say what a threshold is for
README.md
docs/guide/thresholds.md
|Read a file of texts once
src/colabel/datasets/stream.py
tests/datasets/test_stream.py
|Show how many rows a file has
src/colabel/cli/show.py
README.md
"""


def history():
    """A line for each change, and the files that it touched."""
    command = ["git", "log", "--no-merges", "--name-only", "--pretty=format:|%s"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        done = ""
    if done.count("\n|") < 60:
        print("there is no history here: going on with a few lines that stand in for one")
        done = STAND_IN * 20
    return [entry.strip().split("\n") for entry in done.strip().split("\n|")]


def part(path):
    """The part of the tree that a file belongs to."""
    return "/".join(path.split("/")[: 3 if path.startswith("src/") else 1]).removesuffix(".py")


changes = [(said, sorted({part(file) for file in files})) for said, *files in history() if files]
counts = Counter(name for _, names in changes for name in names)
common = sorted(name for name, times in counts.items() if times >= 15)
texts = [said for said, _ in changes]
Y = MultiLabelBinarizer(classes=common).fit_transform(
    [[name for name in names if name in common] for _, names in changes]
)
X = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts)
print(f"{X.shape[0]} changes, {X.shape[1]} words, {Y.shape[1]} parts")

# %%
# Learn from every other change, and judge by those between.

model = colabel.SharedSubspaceClassifierCV(verbose=False, random_state=0)
model.fit(X[::2], Y[::2])
scores = model.uncut_scores(X[1::2])
print(f"macro F1 {f1(Y[1::2], model.predict(X[1::2]), average='macro'):.2f}")
print(f"AUC {roc_auc(Y[1::2], scores):.2f} (0.50 would be chance)")

# %%
# Which parts change together?

together = (Y.T @ Y) / Y.sum(axis=0)[:, None]
np.fill_diagonal(together, np.nan)
fig, ax = plt.subplots(figsize=(7, 6), layout="constrained")
shown = ax.imshow(together, cmap="viridis", vmin=0, vmax=1)
ax.set_xticks(range(len(common)), common, rotation=90, fontsize="small")
ax.set_yticks(range(len(common)), common, fontsize="small")
fig.colorbar(shown, label="of the changes of a line, those of a column too")
