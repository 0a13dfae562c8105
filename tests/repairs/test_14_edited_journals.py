"""A journal that someone edited, or of which parts were garbage, ended in a raw KeyError."""

import json

import pytest
from odd_methods import Constant, problem
from this_process import without_processes

from colabel.comparison import compare
from colabel.comparison.run.journal import Journal, JournalError

GIVEN = {"metrics": ["f1_macro"], "cv": 2, "n_jobs": 1, "progress": False}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    with without_processes():
        compare(problem(), methods={"constant": Constant()}, journal=path, **GIVEN)
    lines = path.read_text().splitlines()
    assert len(lines) == 4  # a header, two results, the insights
    return lines


def edited(line, **changes):
    key, value = json.loads(line)
    for name, change in changes.items():
        if change is None:
            del value[name]
        else:
            value[name] = change
    return json.dumps([key, value])


EDITS = {
    "lacks scores": lambda line: edited(line, scores=None),
    "lacks status": lambda line: edited(line, status=None, reason=None),
    "the outcome.status must be one of": lambda line: edited(line, status="fine"),
    "the outcome.scores.f1_macro must be a finite number": lambda line: edited(
        line, scores={"f1_macro": "high"}
    ),
    "the outcome.scores lacks f1_macro": lambda line: edited(line, scores={}),
    "of the metrics ['f1_macro']; got 'auc'": lambda line: edited(line, scores={"auc": 1.0}),
    "the outcome.fit_seconds must be a finite number": lambda line: edited(line, fit_seconds="1"),
    "must be of the 3 labels; got 2": lambda line: edited(line, label_scores={"f1": [0.5, 0.5]}),
    "the outcome must be a dict": lambda line: json.dumps([json.loads(line)[0], 3]),
    "the key must be a data set, a method and a split": lambda line: '["here", {}]',
    "it must be a key and a value": lambda line: '{"a": 1, "b": 2}',
    "a key and a value; delete": lambda line: "17",
    "; delete the file": lambda line: '[["data1", "constant", 0], {}]',
    "is not whole": lambda line: line[:30],
    "is not what was written there": lambda line: "[" * 100_000 + "]" * 100_000,
    "is not what was written there: 'utf-8'": lambda line: line.encode() + b"\xff\xfe",
}


@pytest.mark.parametrize("message", EDITS)
def test_an_edited_line_is_named_and_nothing_is_lost(message, whole, tmp_path):
    changed = EDITS[message](whole[2])
    changed = changed if isinstance(changed, bytes) else changed.encode()
    content = b"\n".join([*(line.encode() for line in whole[:2]), changed, whole[3].encode(), b""])
    path = tmp_path / "j.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError) as found:
        compare(problem(), methods={"constant": Constant()}, journal=path, **GIVEN)
    line = str(found.value)
    assert line.startswith(f"{path}, line 3 ")
    assert message in line
    assert line.endswith("delete the file to start again")
    assert "\n" not in line
    assert path.read_bytes() == content


def test_edited_pictures_are_named(whole, tmp_path):
    path = tmp_path / "j.jsonl"
    changed = edited(whole[3], grid={"alphas": [1.0], "betas": [1.0], "scores": [[1.0], [2.0]]})
    path.write_text("\n".join([*whole[:3], changed, ""]))
    with pytest.raises(JournalError, match=r"line 4 .* the insights\.grid lacks metric"):
        compare(problem(), methods={"constant": Constant()}, journal=path, **GIVEN)


def test_a_journal_of_another_version_is_named(tmp_path):
    path = tmp_path / "j.jsonl"
    Journal(path, {}).close()
    path.write_text(path.read_text().replace('"version": 2', '"version": 3'))
    with pytest.raises(JournalError, match="is a journal of version 3, and 2 is read"):
        Journal(path, {})
