"""What is fitted where no method is named."""

import pytest

from colabel.catalogue import BEST, LINEAR, QUICK, Recipe, default_method, fittable
from colabel.catalogue.default import FEWEST_ROWS, MOST_ENTRIES
from colabel.mixture import MEMBERS, BestOf
from colabel.mixture.members import members_of


@pytest.mark.parametrize(
    ("rows", "labels", "recipe", "all_known", "name", "reason"),
    [
        (FEWEST_ROWS, 5, Recipe(), True, QUICK, f"-m {LINEAR} is linear and quicker"),
        (FEWEST_ROWS - 1, 5, Recipe(), True, LINEAR, "199 rows are few"),
        (MOST_ENTRIES // 100, 100, Recipe(), True, QUICK, f"-m {BEST} tries more kinds"),
        (MOST_ENTRIES // 100 + 1, 100, Recipe(), True, LINEAR, "2001 rows × 100 labels take"),
        (1000, 5, Recipe(), False, LINEAR, "labels are unknown"),
        (1000, 5, Recipe(tune=False), True, LINEAR, None),
        (1000, 5, Recipe(parameters={"alphas": [1.0]}), True, LINEAR, None),
        (10**6, 100, Recipe(parameters={"budget": 60.0}), True, BEST, None),
    ],
)
def test_size_labels_and_recipe_decide(rows, labels, recipe, all_known, name, reason):
    chosen = default_method(rows, labels, recipe, all_known=all_known)
    assert chosen.name == name
    assert chosen.reason is None if reason is None else reason in chosen.reason
    assert fittable()[name].recipe(recipe) is not None  # it can be fitted so


def test_the_quick_mixture_has_the_members_that_need_no_folds():
    slow = {"logistic-regression", "classifier-chain", "gradient-boosting"}
    assert {member.name for member in members_of("quick")} == set(MEMBERS) - slow
    model = fittable()[QUICK].recipe(Recipe())
    assert isinstance(model, BestOf)
    assert model.members == "quick"
