"""Files that the tests of the command line read, and how they run it."""

import csv
import json

import numpy as np
import pytest

from colabel.cli.app import run

TOPICS = {
    "health": ["doctor", "drug", "patient", "hospital"],
    "money": ["bank", "market", "price", "stock"],
    "politics": ["vote", "law", "minister", "party"],
    "sport": ["match", "goal", "team", "coach"],
}
COMMON = ["the", "new", "year", "said", "after", "people", "more"]


def documents(n, seed):
    """Texts and their tags."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        tags = sorted(rng.choice(list(TOPICS), size=rng.integers(1, 4), replace=False))
        words = [*rng.choice(COMMON, 6), *(w for t in tags for w in rng.choice(TOPICS[t], 3))]
        yield " ".join(rng.permutation(words)), [str(tag) for tag in tags]


def write(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def news(path, n=120, seed=0):
    return write(path, ["body", "tags"], [(t, ";".join(tags)) for t, tags in documents(n, seed)])


def plants(path, n=90, seed=0):
    """Numbers of very different sizes, and three labels that depend on them."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 4))
    X = Z * [1000.0, 1.0, 0.01, 5.0] + [0, 3, 0, 0]
    Y = (Z @ rng.normal(size=(4, 3)) > 0).astype(int)
    rows = [[f"p{i}", *X[i].tolist(), *Y[i]] for i in range(n)]
    return write(path, ["id", "w", "x", "y", "z", "tree", "green", "tall"], rows)


NUMBERS = ["--labels", "tree,green,tall", "--ignore", "id"]
TEXTS = ["--text", "body", "--label-column", "tags", "--separator", ";"]


class Terminal:
    """Runs commands in this process."""

    def __init__(self, capsys):
        self.capsys = capsys

    def __call__(self, *arguments):
        """What a command that succeeds says."""
        code = run([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        assert code == 0, err
        self.err = err
        return out

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))

    def fails(self, *arguments):
        """The one line of a command that fails."""
        code = run([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        assert code == 2
        assert out == ""
        assert err.startswith("colabel: error: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err


@pytest.fixture
def colabel(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Terminal(capsys)
