"""What a row of the catalogue says of a method, and the classifiers that are made of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import Pipeline

from colabel._limits import Limit
from colabel.classifiers import LabelRidge
from colabel.mixture.members import seeded
from colabel.scales import scale_first
from colabel.tuning import LabelRidgeCV, OutOfFoldSearch, ThresholdTuner

Kind: TypeAlias = Literal["classifier", "extractor", "baseline", "semi-supervised"]
Grid: TypeAlias = Mapping[str, list[Any]]

#: The mixture of all kinds, and that of the kinds that need no folds.
BEST, QUICK = "best", "quick-mixture"
#: What is fitted where no method is named, and data are too small or too large for a mixture.
LINEAR = "shared-subspace"
#: The share of the eigenvalues that extractors keep, as Xu et al. (2016) do.
SHARE = 0.999
#: How often a grid goes on by a value where its best is the last, and so often in a quick run.
FOLLOW, FOLLOW_QUICKLY = 2, 1
#: Folds of what has no closed form, where none are asked for.
FOLDS = 5


@dataclass(frozen=True)
class Recipe:
    """How a method is to be fitted."""

    #: Whether penalties are found by cross-validation.
    tune: bool = True
    #: Whether a threshold is found for each label.
    thresholds: bool = True
    #: What is done to X first.
    scale: str = "none"
    #: Folds of the cross-validation; None leaves them to the method.
    cv: int | None = None
    scoring: str = "f1_macro"
    seed: int = 0
    jobs: int | None = None
    #: Of the method, beside its defaults.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: How many rows are held out for thresholds that no closed form gives, in place of folds.
    held_out: int | None = None


@dataclass(frozen=True)
class Method:
    """A row of the catalogue."""

    #: On the command line, in tables, and in a sentence.
    name: str
    title: str
    kind: Kind
    about: str
    #: The estimator as it is; of an extractor, without a classifier behind it.
    make: Callable[..., Any] = field(repr=False)
    #: The form of it that finds its own penalties.
    tuned: Callable[..., Any] | None = None
    #: What a comparison sets beside the defaults: rounds and tolerances with which slow methods are
    #: as good, and several times faster.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: What a comparison tries for each parameter.
    grid: Grid = field(default_factory=dict)
    #: The classifier that follows an extractor in a comparison, and what it is called.
    behind: Callable[[], Any] = field(default=LabelRidge, repr=False)
    then: str = "ridge"
    #: Whether it takes rows that are factored once for all.
    factored: bool = False
    #: Whether rows that it has not seen are scored by its out-of-bag votes; by folds otherwise.
    out_of_bag: bool = False
    #: Whether a comparison runs it without being asked for it by name.
    by_default: bool = True
    #: Why it does not run on data of a size unless asked for; None where it does.
    too_large: Limit | None = field(default=None, repr=False)
    #: Whether it is a person's own, which a comparison runs as it is.
    is_given: bool = False

    @property
    def is_extractor(self) -> bool:
        """Whether a classifier has to follow."""
        return self.kind == "extractor"

    @property
    def types(self) -> list[type]:
        """The classes of a method of the library: as it is, and as it tunes itself."""
        return [type(make()) for make in (self.make, self.tuned) if make is not None]

    @property
    def tunes_itself(self) -> bool:
        """Whether it finds its own penalties and thresholds, faster than a search."""
        return self.tuned is not None and not self.grid and hasattr(self.tuned(), "thresholds")

    @property
    def has_budget(self) -> bool:
        """Whether the time that it may take can be said: of mixtures."""
        return self.kind == "classifier" and "budget" in self.make().get_params(deep=False)

    @property
    def about_compared(self) -> str:
        """What it does in a comparison, with what follows an extractor there."""
        return f"{self.about}; then {self.then}" if self.is_extractor else self.about

    @property
    def compared(self) -> Any:
        """The classifier that a comparison fits, before it is tuned."""
        if self.is_given and not self.is_extractor:
            return self.make()
        if not self.is_extractor:
            return self.make().set_params(**self.settings)
        own = clone(self.make()).set_params(**self.settings)
        return Pipeline([("extract", own), ("classify", self.behind())])

    def candidate(self, *, folds: int, scoring: str, seed: int, quick: bool) -> Any:
        """The classifier that a comparison fits, tuned on folds that are the same for all.

        Those that tune themselves leave out each row by itself, as they do when they are fitted;
        forests score each row by the trees that have not seen it.
        """
        if self.tunes_itself:
            # some members of a mixture are fitted in folds
            return self.recipe(Recipe(scoring=scoring, seed=seed, cv=self._folds_of(folds)))
        estimator = seeded(self.compared, seed)
        if self.is_given and not self.is_extractor:
            return estimator
        grid = {name: _fewer(name, tried) for name, tried in self.grid.items()}
        return OutOfFoldSearch(
            estimator,
            grid if quick else dict(self.grid),
            cv="oob" if self.out_of_bag else folds,
            scoring=scoring,
            random_state=seed,
            follow=FOLLOW_QUICKLY if quick else FOLLOW,
        )

    def _folds_of(self, folds: int) -> int | None:
        return folds if self.name == BEST else None

    def _searched(self, recipe: Recipe) -> Any:
        """As a comparison fits it, with some parameters given."""
        estimator, grid = seeded(self.compared, recipe.seed), dict(self.grid)
        known = estimator.get_params()
        for name, value in recipe.parameters.items():
            if name not in known:
                own = ", ".join(grid) or "none that are usually set"
                raise ValueError(f"{name}: no such parameter; {self.name} has {own}")
            grid.pop(name, None)
            estimator.set_params(**{name: value})
        common: dict[str, Any] = {"random_state": recipe.seed}
        common["cv"] = "oob" if self.out_of_bag else recipe.cv or FOLDS
        if not recipe.thresholds:
            if recipe.tune and grid:
                raise ValueError(
                    f"{self.name} finds its thresholds with its parameters; without thresholds it "
                    "is fitted with --no-tune, or with all of them given: " + ", ".join(grid)
                )
            return estimator
        follow = FOLLOW if recipe.tune else 0
        tried = grid if recipe.tune else {}
        return OutOfFoldSearch(estimator, tried, scoring=recipe.scoring, follow=follow, **common)

    def recipe(self, recipe: Recipe) -> Any:
        """The classifier to fit: scaled, tuned, and with thresholds, as the recipe says.

        The thresholds of an extractor's scores are tuned around extractor and classifier both:
        directions that saw a row's labels make its score too good to cut by.
        """
        if self.kind == "baseline" or self.then != "ridge":
            return scale_first(self._searched(recipe), recipe.scale)
        common: dict[str, Any] = {"random_state": recipe.seed, "n_jobs": recipe.jobs}
        if recipe.cv is not None:
            common["cv"] = recipe.cv
        search: dict[str, Any] = {**common, "scoring": recipe.scoring, "verbose": False}
        tuned = self.tuned if recipe.tune else None
        if recipe.held_out is not None and recipe.thresholds and not recipe.tune:
            tuned, recipe = self._as_only_candidate(recipe)
        own = self._make(tuned or self.make, recipe, search)
        model = own
        if self.is_extractor:
            ridge = LabelRidgeCV(**search, thresholds=None) if recipe.tune else LabelRidge()
            model = Pipeline([("extract", own), ("classify", ridge)])
        if "thresholds" in own.get_params():
            model.set_params(thresholds="out-of-fold" if recipe.thresholds else None, verbose=True)
        elif recipe.thresholds:
            if recipe.held_out is not None:
                part = ShuffleSplit(1, test_size=recipe.held_out, random_state=recipe.seed)
                common["cv"] = part
            model = ThresholdTuner(model, **common)
        return scale_first(model, recipe.scale)

    def _as_only_candidate(self, recipe: Recipe) -> tuple[Callable[..., Any] | None, Recipe]:
        """The form that finds its thresholds without more fits, its penalties a grid of one cell.

        None where there is no such form, or where it does not have a parameter that is given.
        """
        if not self.tunes_itself or self.tuned is None:
            return None, recipe
        known = self.tuned().get_params(deep=False)
        plain = self._make(self.make, recipe, {}).get_params(deep=False)
        given = {name: value for name, value in plain.items() if value is not None}
        cell = {f"{name}s": [value] for name, value in given.items() if f"{name}s" in known}
        same = {name: value for name, value in recipe.parameters.items() if name in known}
        if any(name not in same and f"{name}s" not in cell for name in recipe.parameters):
            return None, recipe
        return self.tuned, replace(recipe, parameters={**same, **cell})

    def _make(self, make: Callable[[], Any], recipe: Recipe, settings: dict[str, Any]) -> Any:
        estimator = make()
        known = estimator.get_params(deep=False)
        for name in recipe.parameters:
            if name not in known:
                raise ValueError(
                    f"{name}: no such parameter; {self.name} has {', '.join(sorted(known))}"
                )
        usual = {name: value for name, value in settings.items() if name in known}
        return estimator.set_params(**{**usual, **recipe.parameters})


def _fewer(name: str, tried: list[Any]) -> list[Any]:
    """For a quick run: penalties that cost nothing to try stay, of others every second."""
    if name.endswith("__alpha"):
        return tried
    return [tried[len(tried) // 2]] if name.startswith("extract__") else tried[::2]
