"""What is said to be slower than the numbers that are kept; the numbers are made up."""

import pytest
from benchmarks import kept, measure

HERE = "2 cores"


def one(seconds, ratio=None, machine=HERE):
    return {"work": {"seconds": seconds, "ratio": ratio, "machine": machine}}


@pytest.mark.parametrize(
    ("before", "now", "falls"),
    [
        (one(1.0, 2.0), one(1.0, 2.2), True),
        (one(1.0, 2.0), one(1.0, 2.08), False),
        (one(1.0, 2.0), one(1.0, 1.0), False),
        (one(1.0, 2.0), one(9.0, 2.0), False),  # the machine is slower, not the work
        (one(1.0, 2.0, "another"), one(1.0, 2.2), True),
        (one(1.0), one(1.2), True),
        (one(1.0), one(1.04), False),
        (one(1.0, machine="another"), one(1.2), False),
        (one(1.0), one(9.0, 2.0), False),  # beside something else now
        ({}, one(1.0, 2.0), False),
        (one(1.0, 2.0), {}, False),
    ],
)
def test_what_fell(before, now, falls):
    assert bool(kept.fallen(before, now, HERE)) == falls


def test_a_line_says_what_fell_and_the_worst_stands_first():
    before = {name: one(1.0, 2.0)["work"] for name in ("a", "b")}
    now = {"a": one(1.0, 2.2)["work"], "b": one(1.0, 4.0)["work"]}
    assert kept.fallen(before, now, HERE) == [
        "b: ratio 2, now 4 (+100%)",
        "a: ratio 2, now 2.2 (+10%)",
    ]


def test_kept_numbers_stay_until_they_are_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "RESULTS", tmp_path)
    assert kept.read("section") == {}
    kept.write("section", {}, {"old": {"seconds": 1.0, "ratio": None}}, HERE)
    found = {"old": {"seconds": 2.0, "ratio": None}, "new": {"seconds": 3.0, "ratio": 0.5}}
    kept.write("section", kept.read("section"), found, "another")
    merged = kept.read("section")
    assert merged["old"] == {"seconds": 1.0, "ratio": None, "machine": HERE}
    assert merged["new"] == {"seconds": 3.0, "ratio": 0.5, "machine": "another"}
    kept.write("section", merged, found, "another", replace=True)
    assert kept.read("section")["old"]["seconds"] == 2.0


def test_work_is_recorded_once_and_beside_something_or_nothing(monkeypatch):
    monkeypatch.setattr(measure, "RECORDED", {})
    measure.record("alone", 1.23456)
    measure.record("beside", 3.0, 2.0)
    assert measure.RECORDED["alone"] == {"seconds": 1.235, "ratio": None}
    assert measure.RECORDED["beside"] == {"seconds": 3.0, "ratio": 1.5}
    with pytest.raises(ValueError, match="measured twice"):
        measure.record("alone", 2.0)
