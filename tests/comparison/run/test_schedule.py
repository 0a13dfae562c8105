"""How a budget is shared out, by a clock that the tests turn."""

import pytest

from colabel.comparison.run import schedule
from colabel.comparison.run.schedule import Schedule
from colabel.comparison.run.trial import Trial
from colabel.comparison.run.worker import Reply


class Clock:
    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(schedule, "time", clock)
    return clock


def trials(methods, splits, datasets=("d",)):
    return [
        Trial(data, method, split, None, False, ())
        for data in datasets
        for split in range(splits)
        for method in methods
    ]


def work(plan, clock, seconds, current=None):
    """Do all jobs one after another; each takes its seconds, or is stopped at its limit."""
    order = []
    while (job := plan.next(current, set())) is not None:
        trial = job.task
        takes = seconds[trial.method]
        stopped = job.limit is not None and takes > job.limit
        takes = job.limit if stopped else takes
        clock.now += takes
        status = "over budget" if stopped else "ok"
        plan.finish(job, Reply(status=status), takes)
        order.append((trial.dataset, trial.method, trial.split))
        current = job.key
    return order


def outcome():
    kept = {}

    def keep(trial, result):
        key = (trial.method, trial.split)
        assert key not in kept, "one result each"
        kept[key] = result

    return kept, keep


def test_without_a_budget_everything_runs_split_by_split(clock):
    kept, keep = outcome()
    todo = trials("abc", 3)
    order = work(Schedule(todo, 1, None, keep), clock, dict.fromkeys("abc", 1e6))
    assert [split for _, _, split in order] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert len(kept) == 9
    assert {result.status for result in kept.values()} == {"ok"}


def test_a_worker_stays_with_its_rows_and_away_from_those_of_others(clock):
    plan = Schedule(trials("ab", 2), 2, None, lambda *_: None)
    assert plan.next(("d", 1), set()).key == ("d", 1)
    assert plan.next(None, {("d", 0)}).key == ("d", 1)
    assert plan.next(("d", 1), {("d", 0)}).key == ("d", 0)  # rather than nothing


def test_what_fits_the_budget_all_runs(clock):
    kept, keep = outcome()
    work(Schedule(trials("abc", 4), 1, 100.0, keep), clock, dict.fromkeys("abc", 5.0))
    assert [result.status for result in kept.values()] == ["ok"] * 12


def test_a_slow_method_cannot_eat_the_time_of_the_others(clock):
    kept, keep = outcome()
    seconds = {"a": 1.0, "slow": 1000.0, "b": 1.0, "c": 1.0}
    work(Schedule(trials(list(seconds), 5), 1, 100.0, keep), clock, seconds)
    for method in "abc":
        assert {kept[method, split].status for split in range(5)} == {"ok"}
    assert {kept["slow", split].status for split in range(5)} == {"over budget"}
    assert "stopped on another split" in kept["slow", 1].reason
    assert clock.now < 100


def test_a_method_that_cannot_finish_gets_the_splits_that_fit(clock):
    kept, keep = outcome()
    seconds = {"a": 1.0, "b": 1.0, "dear": 20.0}
    work(Schedule(trials(list(seconds), 5), 1, 100.0, keep), clock, seconds)
    (left,) = (kept["dear", split] for split in range(5) if kept["dear", split].status != "ok")
    assert left.reason == "a split takes 20 s, and 2 s of the budget are left"
    assert all(kept[method, split].status == "ok" for method in "ab" for split in range(5))


def test_what_fast_methods_leave_is_for_the_slower(clock):
    kept, keep = outcome()
    seconds = {"a": 0.1, "b": 0.1, "c": 0.1, "dear": 15.0}  # an equal share of 92 s would be 23 s
    work(Schedule(trials(list(seconds), 5), 1, 100.0, keep), clock, seconds)
    assert [kept["dear", split].status for split in range(5)] == ["ok"] * 5


def test_no_budget_is_overrun(clock):
    kept, keep = outcome()
    names = [f"m{i}" for i in range(30)]
    work(Schedule(trials(names, 5), 1, 60.0, keep), clock, dict.fromkeys(names, 7.0))
    assert len(kept) == 150
    assert clock.now <= 60 + 2
    reasons = {result.reason for result in kept.values() if result.status != "ok"}
    assert reasons


def test_a_trial_that_is_slower_than_before_is_stopped(clock):
    plan = Schedule(trials(["a"], 2), 1, 1000.0, lambda *_: None)
    job = plan.next(None, set())
    plan.finish(job, Reply(), 4.0)
    assert plan.next(None, set()).limit == 12.0


def test_what_was_measured_before_is_known(clock):
    plan = Schedule(trials(["a"], 2), 1, 1000.0, lambda *_: None, {("d", "a"): 4.0})
    assert plan.next(None, set()).limit == 12.0
    assert plan.seconds_left() == 8.0
