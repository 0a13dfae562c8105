"""Small data sets under the names and in the format of the real ones, and protocols cut to them."""

import json
import lzma
from dataclasses import replace
from functools import partial

import numpy as np
from writers import svm_text

from colabel.papers import PROTOCOLS
from colabel.papers.liu2006_methods import texts as few_labelled
from colabel.papers.protocol import Source
from colabel.papers.sun2008_methods import numbers, texts
from colabel.papers.yahoo import pages

ROWS, TRAINING = 260, 90


def counts(seed, rows=ROWS, words=30, labels=3):
    """Counts of words, some of which tell the labels; each label has well over 100 rows."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((rows, labels)) < 0.55).astype(int)
    Y[Y.sum(axis=1) == 0, 0] = 1
    means = 0.3 + 1.5 * (Y @ (rng.random((labels, words)) < 0.15))
    return rng.poisson(means), Y


def write(folder, name, seed, n_train=None):
    X, Y = counts(seed)
    with lzma.open(folder / f"{name}.svm.xz", "wt") as file:
        file.write(svm_text(X, Y))
    about = {"n": len(X), "d": X.shape[1], "q": Y.shape[1], "n_train": n_train}
    about["label_names"] = [f"l{k}" for k in range(Y.shape[1])]
    (folder / f"{name}.json").write_text(json.dumps({k: v for k, v in about.items() if v}))
    return X, Y


def folder_of(path, *names):
    """A folder of data sets; scene, yeast and enron have a standard split."""
    path.mkdir(exist_ok=True)
    for seed, name in enumerate(names):
        write(path, name, seed, 150 if name in ("scene", "yeast", "enron") else None)
    return path


def cut(name):
    """A protocol with fewer training rows, and only some of its methods where they repeat."""
    protocol = PROTOCOLS[name]
    if name in ("ji2008", "han2010"):
        sources = {
            title: Source(source.file, partial(pages, size=TRAINING))
            for title, source in protocol.sources.items()
        }
        return replace(protocol, sources=sources)
    if name == "sun2008":
        sources = {
            "Scene": Source("scene", partial(numbers, size=TRAINING)),
            "Yeast": Source("yeast", partial(numbers, size=TRAINING)),
            "Arts": Source("yahoo_arts", partial(texts, size=TRAINING)),
            "Computers": Source("yahoo5k_computers", partial(texts, size=TRAINING)),
        }
        return replace(protocol, sources=sources)
    if name == "liu2006":
        sources = {
            title: Source(source.file, partial(few_labelled, labelled=rows))
            for (title, source), rows in zip(protocol.sources.items(), (40, 80) * 2, strict=True)
        }
        return replace(protocol, sources=sources)
    return protocol


def only(protocol, *methods):
    return replace(protocol, methods={name: protocol.methods[name] for name in methods})


FILES = {
    "ji2008": ["yahoo_reference"],
    "sun2008": ["scene", "yahoo_arts"],
    "xu2016": ["scene", "image", "slashdot"],
    "han2010": ["yahoo_arts"],
    "liu2006": ["enron"],
}
