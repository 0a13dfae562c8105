"""
Few labelled rows: do the others help?
======================================

Programs in Debian, 100 of 1000 with their tags. Each of the others is given its k highest tags;
precision, recall and F1 over all of them are what unlabelled rows can raise, or lower.
"""

import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import CNMF, SGT
from colabel.datasets import load_debtags
from colabel.semi_supervised import LabelledOnly, evaluate_ranking, plot_ranking

data = load_debtags()
rows = np.random.default_rng(0).permutation(data.X.shape[0])[:1000]
X = TfidfTransformer().fit_transform(data.X[rows])
Y = data.Y.toarray()[rows]
models = {
    "ridge on the labelled rows": LabelledOnly(),
    "SGT, over neighbours": SGT(random_state=0),
    "CNMF, random start": CNMF(init="random", early_stopping=False, random_state=0),
    "CNMF, labels spread first": CNMF(random_state=0),
}
with warnings.catch_warnings():  # a rare tag may be on none of a hundred programs
    warnings.simplefilter("ignore", UserWarning)
    curves = evaluate_ranking(models, X, Y, n_labelled=100, n_splits=2, max_rank=8, random_state=0)
for name, values in curves.values["F1"].items():
    print(f"{name:27} F1 at 3 tags {values.mean(axis=0)[2]:.3f}")

# %%
# From a random start the factorisation ends where it should not; from labels that were spread over
# neighbours first it is ahead of what the labelled rows alone can say.

figure = plot_ranking(curves)
