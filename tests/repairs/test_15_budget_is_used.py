"""A budget stopped methods at an equal share, and ended with a third of the time unused."""

import heapq
import itertools

import pytest

from colabel.comparison.run import schedule
from colabel.comparison.run.schedule import Schedule
from colabel.comparison.run.trial import Trial
from colabel.comparison.run.worker import Reply


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now


def simulated(monkeypatch, seconds, *, budget, jobs=1, splits=5):
    """Statuses by method, and the time used, of methods that take their seconds a split."""
    clock = Clock()
    monkeypatch.setattr(schedule, "time", clock)
    todo = [Trial("d", m, split, None, False, ()) for split in range(splits) for m in seconds]
    kept = {}

    def keep(trial, result):
        assert (trial.method, trial.split) not in kept, "one result each"
        kept[trial.method, trial.split] = result

    plan, under_way, count = Schedule(todo, jobs, budget, keep), [], itertools.count()
    while True:
        while len(under_way) < jobs and (job := plan.next(None, set())) is not None:
            takes = min(seconds[job.task.method], job.limit)
            heapq.heappush(under_way, (clock.now + takes, next(count), takes, job))
        if not under_way:
            break
        clock.now, _, takes, job = heapq.heappop(under_way)
        is_stopped = takes < seconds[job.task.method]
        stopped = Reply(reason="stopped", status="over budget")
        plan.finish(job, stopped if is_stopped else Reply(), takes)
    assert len(kept) == len(todo)
    statuses = {m: [kept[m, split].status for split in range(splits)] for m in seconds}
    return statuses, clock.now, kept


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_stopped_gets_what_is_left(monkeypatch, jobs):
    # its share of the first round is 4.6 s for each job, and then most of the time is left
    seconds = {"slow": 9.0 * jobs, **{f"fast{i}": 0.1 for i in range(9)}}
    statuses, used, _ = simulated(monkeypatch, seconds, budget=100.0, jobs=jobs)
    assert all(found == ["ok"] * 5 for found in statuses.values())
    assert used < 100


def test_the_time_that_is_left_is_used(monkeypatch):
    seconds = {"fast": 0.1, "slow": 30.0, "hangs": 1e9}
    statuses, used, kept = simulated(monkeypatch, seconds, budget=100.0)
    assert statuses["fast"] == ["ok"] * 5
    assert statuses["slow"].count("ok") >= 1
    assert statuses["hangs"] == ["over budget"] * 5
    assert kept["hangs", 0].reason == "stopped"
    assert kept["hangs", 1].reason == "it was stopped on another split"
    assert 0 <= 92 - used < 23  # less than the one that hangs had before


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("budget", [60.0, 100.0, 1000.0])
def test_nothing_that_would_fit_is_left_out_and_no_budget_is_overrun(monkeypatch, jobs, budget):
    seconds = {f"m{i}": 1.5**i for i in range(12)}
    statuses, used, kept = simulated(monkeypatch, seconds, budget=budget, jobs=jobs)
    assert used <= 0.92 * budget + 2
    if all(found == ["ok"] * 5 for found in statuses.values()):
        return
    # the cheaper of two methods is never behind
    finished = [found.count("ok") for found in statuses.values()]
    assert finished[0] == 5
    whole = [count == 5 for count in finished]
    assert whole == sorted(whole, reverse=True)
    # what did not run would not have fitted
    left = 0.92 * budget - used
    for (name, _), result in kept.items():
        if result.status != "ok" and "a split takes" in result.reason:
            assert seconds[name] > left


def test_a_worker_does_not_wait_for_the_first_split_of_a_slow_method(monkeypatch):
    seconds = {"fast": 1.0, "slow": 40.0}
    statuses, used, _ = simulated(monkeypatch, seconds, budget=100.0, jobs=2, splits=2)
    assert statuses == {"fast": ["ok"] * 2, "slow": ["ok"] * 2}
    assert used == 80.0
