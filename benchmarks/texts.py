"""A large file of texts: how long ``colabel fit`` takes, in what memory, and how good it is."""

import argparse
import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer

from benchmarks.measure import colabel, record, table
from colabel.metrics import f1
from colabel.persistence import load

ROWS, WORDS, TAGS = 400_000, 200_000, 200
#: Texts of ordinary size, in which about 50,000 of the words occur.
ORDINARY = (20_000, 60_000, 100)
#: Texts that no model sees, and those of a baseline that learns label by label.
HELD_OUT, BASELINE = 10_000, 20_000
#: Words that tell of a tag, and the share of the words of a text that its tags bring.
OWN, SHARE = 400, 0.35


class Corpus:
    """Texts of Zipf's words, some of which come with tags; tags are as uneven as words."""

    def __init__(self, words=WORDS, tags=TAGS, seed=0):
        rng = np.random.default_rng(seed)
        self.words, self.tags = _words(words, rng), np.array([f"tag{k:03d}" for k in range(tags)])
        self._common = np.cumsum(1.0 / (np.arange(words) + 2.7) ** 1.07)
        self._popular = 1.0 / (np.arange(tags) + 5.0)
        # an own word may be any but the most frequent, and several tags may share it
        self._own = rng.integers(min(200, words // 10), words, size=(tags, OWN))
        self._of_own = np.cumsum(1.0 / (np.arange(OWN) + 2.0))

    def rows(self, n, seed):
        """Pairs of a text, of 60 to 80 words, and its tags between semicolons."""
        rng = np.random.default_rng(seed)
        for start in range(0, n, 10_000):
            yield from self._some(min(10_000, n - start), rng)

    def _some(self, n, rng):
        share = self._popular / self._popular.sum()
        tags = rng.choice(len(self.tags), size=(n, 3), p=share)
        count = rng.integers(1, 4, size=n)
        chosen = _draw(self._common, (n, 80), rng)
        own = rng.random((n, 80)) < SHARE
        which = np.take_along_axis(tags, (rng.random((n, 80)) * count[:, None]).astype(int), axis=1)
        chosen = np.where(own, self._own[which, _draw(self._of_own, (n, 80), rng)], chosen)
        lengths, texts = rng.integers(60, 81, size=n), self.words[chosen].tolist()
        # a tag that is not given although the text has its words
        given = (np.arange(3) < count[:, None]) & (rng.random((n, 3)) < 0.95)
        for i in range(n):
            names = dict.fromkeys(self.tags[tags[i, given[i]]].tolist())
            yield " ".join(texts[i][: lengths[i]]), ";".join(names)

    def write(self, path, n, seed=1):
        """A CSV file of so many rows."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("text", "tags"))
            writer.writerows(self.rows(n, seed))


def _words(count, rng):
    """Words of syllables, frequent ones being short."""
    syllables = np.array([a + b for a in "bcdfghjklmnprstvwz" for b in "aeiou"])
    found = {}
    size = 1
    while len(found) < count:
        size += 1
        drawn = syllables[rng.integers(0, len(syllables), size=(count * (size - 1) // 4, size))]
        found.update(dict.fromkeys("".join(word) for word in drawn))
    return np.array(list(found)[:count])


def _draw(cumulative, shape, rng):
    return np.searchsorted(cumulative, rng.random(shape) * cumulative[-1])


def fit(path, model):
    """The command: its seconds, its most memory in bytes, what it says."""
    options = ["--text", "text", "--label-column", "tags", "--separator", ";", "--json"]
    taken, peak, said = colabel("fit", path, *options, "-o", model)
    return taken, peak, json.loads(said)


def quality(model, texts, tags, names):
    """Macro and micro F1 of the model on these texts."""
    bundle = load(model)
    given = bundle.estimator.predict(bundle.columns.vectorizer.transform(texts)).toarray()
    return _both(_indicator(tags, names), _indicator_of(given, bundle.label_names, names))


def baseline(corpus, rows, texts, tags):
    """The same of linear SVMs on hashed words, a label at a time, by stochastic gradients."""
    hashed = HashingVectorizer(alternate_sign=False)
    seen, given = zip(*corpus.rows(rows, seed=1), strict=True)
    Y = _indicator([some.split(";") for some in given], corpus.tags)
    svm = OneVsRestClassifier(SGDClassifier(alpha=1e-5, random_state=0))
    svm.fit(hashed.transform(seen), Y)
    return _both(_indicator(tags, corpus.tags), svm.predict(hashed.transform(texts)))


def _indicator(tags, names):
    binarizer = MultiLabelBinarizer(classes=list(names)).fit([])
    return binarizer.transform([[tag for tag in some if tag] for some in tags])


def _indicator_of(given, labels, names):
    position = {name: i for i, name in enumerate(labels)}
    missing = np.zeros(len(given), dtype=int)
    columns = [given[:, position[name]] if name in position else missing for name in names]
    return np.column_stack(columns)


def _both(truth, given):
    return f1(truth, given, average="macro"), f1(truth, given, average="micro")


def measure(rows, words, tags):
    """One fit of the command, from the file to the saved model."""
    corpus = Corpus(words, tags)
    with TemporaryDirectory() as folder:
        path, model = Path(folder) / "texts.csv", Path(folder) / "model.skops"
        corpus.write(path, rows)
        size = path.stat().st_size
        taken, peak, said = fit(path, model)
        texts, held_out = zip(*corpus.rows(HELD_OUT, seed=2), strict=True)
        held_out = [some.split(";") for some in held_out]
        ours = quality(model, texts, held_out, corpus.tags)
    few = min(rows, BASELINE)
    theirs = baseline(corpus, few, texts, held_out)
    record(f"fit of {rows:,} texts with {tags} tags", taken)
    opening = (
        f"`colabel fit` of {rows:,} texts with {said['labels']} tags from a CSV file of "
        f"{size / 1e6:.0f} MB, {said['features']:,} words: {taken:.0f} s and "
        f"{peak / 1e9:.2f} GB at most, thresholds included. Tuned on {said['tuned_on']}.\n\n"
    )
    lines = [
        ("`colabel fit`", f"{rows:,}", *(f"{value:.3f}" for value in ours)),
        ("linear SVMs, hashed words, cut at 0", f"{few:,}", *(f"{value:.3f}" for value in theirs)),
    ]
    header = (f"on {HELD_OUT:,} texts that are held out", "rows seen", "macro F1", "micro F1")
    return opening + table(header, lines)


def run():
    return "\n".join([measure(*ORDINARY), measure(ROWS, WORDS, TAGS)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--tags", type=int, default=TAGS)
    parser.add_argument("--write", type=Path, help="only write the file")
    given = parser.parse_args()
    if given.write:
        Corpus(given.words, given.tags).write(given.write, given.rows)
    else:
        print(measure(given.rows, given.words, given.tags))
