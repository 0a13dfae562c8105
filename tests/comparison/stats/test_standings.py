"""Means, ranks and sentences follow from the results, and claim no more than they show."""

import numpy as np
import pytest
from sample import FAILED, METHODS, OVER_BUDGET, sample
from scipy import stats as scipy_stats

from colabel.comparison import Comparison, stats
from colabel.comparison.from_scores import from_scores
from colabel.comparison.stats.ranks import average_ranks, corrected_t_test, critical_difference


def made_of(scores, seconds=None, greater=True, train=1000, test=500):
    """A comparison on one data set from scores by method, a list of splits each."""
    base = sample(n_labels=12).to_dict()
    n = max(len(values) for values in scores.values())
    splits = base["datasets"][0]["splits"]
    splits.update(n=n, train_rows=train, test_rows=test)
    base["metrics"] = [{"name": "m", "title": "measure", "greater_is_better": greater}]
    base["methods"] = [{**base["methods"][0], "name": name, "title": name} for name in scores]
    base["results"] = [
        {
            **base["results"][0],
            "method": name,
            "split": split,
            "scores": {"m": value},
            "status": "failed" if value is None else "ok",
            "fit_seconds": None if value is None else (seconds or {}).get(name, 1.0),
        }
        for name, values in scores.items()
        for split, value in enumerate(values)
    ]
    return Comparison.from_dict(base)


def test_means_and_deviations_are_numpys():
    comparison = sample(n_splits=4)
    for standing in stats.standings(comparison, "debtags"):
        for metric in (metric.name for metric in comparison.metrics):
            spread = standing.by(metric)
            values = [
                result.scores[metric]
                for result in comparison.results
                if result.method == standing.name and result.status == "ok"
            ]
            if values:
                assert spread.mean == pytest.approx(np.mean(values), rel=1e-12)
            if len(values) > 1:
                assert spread.sd == pytest.approx(np.std(values, ddof=1), rel=1e-12)
                assert spread.error == pytest.approx(scipy_stats.sem(values), rel=1e-12)
            else:
                assert spread.sd is spread.error is None


def test_more_rows_to_test_on_than_to_train_on_do_not_make_a_lead_less_certain():
    """Two small training sets share few rows; their scores are no more alike for large tests."""
    scores = {"d": {"a": [0.43, 0.42, 0.44, 0.42], "b": [0.28, 0.30, 0.29, 0.27]}}
    few, many, fewer = (
        stats.standings(from_scores(scores, train_rows=100, test_rows=rows), "d")[1]
        for rows in (100, 7000, 50)
    )
    assert many == few
    assert fewer.p < few.p < 0.05
    assert not many.is_level


def test_the_order_goes_by_the_metric_and_its_direction():
    comparison = sample()
    for metric in comparison.metrics:
        table = stats.standings(comparison, "debtags", metric.name)
        means = [s.by(metric.name).mean for s in table if s.complete]
        assert means == sorted(means, reverse=metric.greater_is_better)
        assert [s.best for s in table] == [True] + [False] * (len(table) - 1)
        assert {s.name for s in table if not s.complete} == {FAILED, OVER_BUDGET}
        assert not any(s.complete for s in table[-2:])


def test_leads_are_the_corrected_test_with_holms_correction():
    scores = {"a": [0.8, 0.82, 0.81], "b": [0.7, 0.75, 0.72], "c": [0.79, 0.83, 0.78]}
    for greater in (True, False):
        signed = {m: [v if greater else -v for v in values] for m, values in scores.items()}
        first, *others = stats.standings(made_of(signed, greater=greater), "debtags")
        assert first.name == "a"
        plain = {m: corrected_t_test(scores["a"], scores[m], 1000, 500) for m in "bc"}
        small, large = sorted(plain[m].p for m in "bc")
        expected = {small: 2 * small, large: max(2 * small, large)}
        for other in others:
            assert other.lead.mean == pytest.approx(plain[other.name].mean)
            assert other.p == pytest.approx(expected[plain[other.name].p])


def test_one_that_did_not_finish_cannot_be_the_best():
    comparison = made_of({"a": [0.9, None, None], "b": [0.5, 0.6, 0.7]})
    table = stats.standings(comparison, "debtags")
    assert [(s.name, s.best) for s in table] == [("b", True), ("a", False)]
    assert table[1].by("m").mean == 0.9
    assert stats.winner(comparison) == "b"
    assert "Not finished, and not ranked: a." in stats.verdict(comparison)


def test_a_clear_winner():
    scores = {"a": [0.8, 0.81, 0.8, 0.82, 0.8], "b": [0.6, 0.62, 0.6, 0.61, 0.6]}
    comparison = made_of(scores)
    (sentence,) = stats.verdict(comparison)
    lead = stats.standings(comparison, "debtags")[1].lead
    assert sentence.startswith("a is best on measure, 0.806, by 0.200 ± ")
    assert f"± {lead.upper - lead.mean:.3f} over b, the next" in sentence
    assert "significantly worse" in sentence
    few = made_of({name: values[:4] for name, values in scores.items()})
    assert "by 0.200 over b, the next" in stats.verdict(few)[0]


def test_as_good_and_faster():
    scores = {"a": [0.8, 0.82, 0.81], "b": [0.799, 0.822, 0.808], "c": [0.5, 0.5, 0.51]}
    said = stats.verdict(made_of(scores, seconds={"a": 4.0, "b": 0.1, "c": 0.001}))
    assert said[0] == "a has the best measure, 0.810."
    assert said[1] == "As good, within 1% of it on these splits, is b (0.000 behind)."
    assert said[2] == "b is as good and 40× faster to fit (0.10 s against 4.0 s)."
    assert len(said) == 3  # nothing of c, which is faster still but worse


def test_few_splits_prove_nothing_equal():
    said = stats.verdict(made_of({"a": [0.8, 0.5], "b": [0.5, 0.6]}))
    assert said == [
        "a has the best measure, 0.650.",
        "2 splits are too few to say how certain the order is; take 5 or more.",
    ]


def test_of_one_split_no_certainty_is_claimed():
    said = stats.verdict(made_of({"a": [0.8], "b": [0.2], "c": [0.799]}))
    assert said[-1] == "With one split nothing can be said about how certain that is."
    assert not any(word in " ".join(said) for word in ("significant", "±", "as good", "As good"))
    table = stats.standings(made_of({"a": [0.8], "b": [0.2]}), "debtags")
    assert not any(s.as_good for s in table)
    assert table[1].p is None


def test_a_small_but_certain_difference_is_within_the_margin():
    table = stats.standings(
        made_of({"a": [0.801, 0.812, 0.806], "b": [0.800, 0.811, 0.805001]}), "debtags"
    )
    assert table[1].p < stats.ALPHA
    assert table[1].as_good


def test_nothing_finished_and_nothing_to_compare_with():
    nobody = made_of({"a": [None, None], "b": [None, None]})
    assert stats.winner(nobody) is None
    assert stats.verdict(nobody) == [
        "No method finished all 2 splits, so none can be called the best."
    ]
    alone = stats.verdict(made_of({"a": [0.5, 0.6]}))
    assert alone == ["a reaches measure 0.550; no other method finished to compare it with."]


def test_overall_ranks_are_those_of_the_means():
    comparison = sample(n_datasets=5, n_splits=2, failures=False)
    whole = stats.overall(comparison)
    table = [
        {s.name: s.by("f1_macro").mean for s in stats.standings(comparison, d.name)}
        for d in comparison.datasets
    ]
    names = [method[0] for method in METHODS]
    expected = average_ranks([[row[name] for name in names] for row in table])
    assert dict(whole.ranks) == pytest.approx(dict(zip(names, expected, strict=True)))
    assert whole.critical_difference == critical_difference(len(names), 5)
    assert stats.winner(comparison) == names[int(np.argmin(expected))]
    losses = stats.overall(comparison, "hamming_loss")
    assert losses.ranks[0][0] == stats.winner(comparison)


def test_overall_failures_are_marked_or_left_out():
    comparison = sample(n_datasets=3, n_splits=2)
    data = comparison.to_dict()
    for result in data["results"]:
        if result["method"] == "knn" and result["dataset"] == "set 1" and result["split"] == 1:
            result.update(status="failed", reason="broke", scores={})
    whole = stats.overall(Comparison.from_dict(data))
    assert whole.left_out == [FAILED, OVER_BUDGET]
    assert whole.failed == [("set 1", "knn")]
    said = " ".join(stats.verdict(Comparison.from_dict(data)))
    assert "In 1 place a method did not finish and takes the worst rank." in said
    assert "left out: label-cca and rank-svm" in said


def test_an_order_that_may_be_luck_is_called_so():
    data = sample(n_datasets=4, n_splits=2, failures=False).to_dict()
    rng = np.random.default_rng(0)
    for result in data["results"]:
        result["scores"] = {"f1_macro": float(rng.random())}
    comparison = Comparison.from_dict(data)
    assert stats.overall(comparison).friedman.f_p > 0.05
    said = " ".join(stats.verdict(comparison))
    assert "the order may be luck" in said
    assert "Nemenyi" not in said


def test_the_front_is_what_no_method_beats():
    comparison = sample()
    for metric in comparison.metrics:
        table = [s for s in stats.standings(comparison, "debtags") if s.complete]
        sign = 1 if metric.greater_is_better else -1
        point = {s.name: (s.fit.mean, sign * s.by(metric.name).mean) for s in table}
        unbeaten = {
            a
            for a, (t, q) in point.items()
            if not any(u <= t and r >= q and (u, r) != (t, q) for u, r in point.values())
        }
        front = stats.pareto_front(table, metric)
        assert set(front) == unbeaten
        assert front == sorted(front, key=lambda name: point[name][0])


def test_failures_are_grouped_by_their_reason():
    found = stats.failures(sample(n_splits=3))
    assert [(f.method, f.status, f.splits) for f in found] == [
        (FAILED, "failed", (0, 1, 2)),
        (OVER_BUDGET, "over budget", (1, 2)),
    ]


def test_without_times_nothing_is_said_of_speed():
    comparison = sample().without_times()
    assert "faster" not in " ".join(stats.verdict(comparison))
    assert stats.pareto_front(stats.standings(comparison, "debtags"), sample().metrics[0]) == []


def test_unknown_names_are_named():
    with pytest.raises(ValueError, match="there is no 'speed'; there are"):
        stats.standings(sample(), "debtags", "speed")


def test_scores_from_elsewhere():
    # Demšar (2006), table 6: the first four data sets, one score each
    table = {
        "adult": {"plain": [0.763], "m": [0.768], "cf": [0.771], "both": [0.798]},
        "cancer": {"plain": [0.599], "m": [0.591], "cf": [0.590], "both": [0.569]},
        "wisconsin": {"plain": [0.954], "m": [0.971], "cf": [0.968], "both": [0.967]},
        "cmc": {"plain": [0.628], "m": [0.661], "cf": [0.654], "both": [None]},
    }
    whole = stats.overall(from_scores(table, metric="AUC"))
    assert dict(whole.ranks) == {"plain": 3.0, "m": 1.75, "cf": 2.25, "both": 3.0}
    assert whole.failed == [("cmc", "both")]
    assert from_scores({"birds": {"a": [0.5]}}, title="t").meta.title == "t"


def test_what_is_fast_is_named_only_if_it_is_as_good():
    scores = {"a": [0.8, 0.7], "b": [0.799, 0.700], "c": [0.6, 0.75]}
    said = stats.verdict(made_of(scores, seconds={"a": 9.0, "b": 3.0, "c": 0.1}))
    assert said[-1] == "b is as good and 3.0× faster to fit (3.0 s against 9.0 s)."
    assert "2 splits are too few to say how certain the order is; take 5 or more." in said
    slow = stats.verdict(made_of(scores, seconds={"a": 9.0, "b": 9.0, "c": 0.1}))
    assert "faster" not in " ".join(slow)
