"""A parameter is declared once, in the body of an estimator's class, with its type and default.

``ridge: NonNegative = 0.1`` gives the argument of ``__init__``, the check before a fit, and the
line of the documentation. What the parameter means stands in the class's docstring, under its name
alone; a subclass need not repeat what its bases declare.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from inspect import Parameter, get_annotations, isfunction
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, TypeAlias, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator

from colabel._address import page_of
from colabel._documents import (
    Says,
    constraints_of,
    document,
    entry,
    kind_of,
    parts_of,
    section,
    text_of,
)
from colabel._homes import HOMES
from colabel._public import public
from colabel._sklearn import HasMethods, Interval

NonNegative = Annotated[float, Interval(Real, 0, None, closed="left")]
Residual: TypeAlias = Annotated[
    NonNegative,
    Says("Relative residual at which an iterative solve stops; the direct ones ignore it."),
]
Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
Finite = Annotated[float, Interval(Real, None, None, closed="neither")]
Share = Annotated[float, Interval(Real, 0, 1, closed="both")]
Fraction = Annotated[float, Interval(Real, 0, 1, closed="neither")]
Count = Annotated[int, Interval(Integral, 1, None, closed="left")]
CountOrZero = Annotated[int, Interval(Integral, 0, None, closed="left")]
Seed: TypeAlias = Annotated[int | np.random.RandomState | None, "random_state"]
FoldSeed: TypeAlias = Annotated[Seed, Says("Seeds the shuffling of the folds.")]
Verbose: TypeAlias = Annotated[
    bool,
    "verbose",
    Says("Whether to show a progress bar on a terminal when it takes over two seconds."),
]
Folds: TypeAlias = Annotated[Any, "cv_object", Says("Folds, shuffled if an int.")]
Scoring: TypeAlias = Annotated[
    str | Callable[..., float],
    Says("A name of :data:`colabel.metrics.METRICS`, or any scorer of scikit-learn."),
]
Matrix: TypeAlias = Annotated[Sequence[Sequence[float]] | np.ndarray, "array-like"]
Penalties: TypeAlias = Annotated[Sequence[float], "array-like"]
Fittable: TypeAlias = Annotated[Any, HasMethods(["fit"])]


#: Estimators whose `__module__` is the package itself, wherever they are written.
PUBLIC = {name for names in HOMES.values() for name in names.split()}


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
class Estimator(BaseEstimator):
    """The base of all estimators, which turns declarations into what scikit-learn asks for.

    Examples
    --------
    >>> from colabel._parameters import Estimator, NonNegative
    >>> class Shrinker(Estimator):
    ...     '''Divides.
    ...
    ...     Parameters
    ...     ----------
    ...     by
    ...         What to divide by.
    ...     '''
    ...
    ...     by: NonNegative = 2.0
    >>> Shrinker(by=3.0)
    Shrinker(by=3.0)
    >>> print(Shrinker.__doc__.splitlines()[4])
    by : float ≥ 0, default=2.0
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    #: What the types of its parameters are called.
    _kinds: ClassVar[dict[str, str]] = {}
    #: What this class, and not its bases, says of its parameters and attributes.
    _said: ClassVar[dict[str, dict[str, str]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(eq=False, repr=False, kw_only=True)(cls)
        hints = dict(_hints(cls))
        if "_parameter_constraints" not in vars(cls):
            own = {name: constraints_of(hint) for name, hint in hints.items()}
            cls._parameter_constraints = {**_of_bases(cls, "_parameter_constraints"), **own}
        _document(cls, hints)
        for name, method in vars(cls).items():
            if isfunction(method) and not name.startswith("_"):
                # or Python's errors would name the base that a method is written in
                method.__qualname__ = name
                if method.__doc__:
                    document(method)
        if cls.__module__.startswith("colabel.") and cls.__name__ in PUBLIC:
            public(cls)

    def _get_doc_link(self) -> str:
        """Where the question mark of a picture in a notebook leads; nowhere without an address."""
        ours = type(self).__module__.partition(".")[0] == "colabel"
        return page_of(type(self)) if ours else ""


def _of_bases(cls: type, name: str) -> dict[str, Any]:
    """What a class and its bases, of which there may be several, hold in dictionaries."""
    found: dict[str, Any] = {}
    for kind in reversed(cls.__mro__):
        found |= vars(kind).get(name, {})
    return found


def _hints(cls: type) -> Iterator[tuple[str, Any]]:
    """The parameters that a class declares itself, with their types."""
    scope = vars(sys.modules[cls.__module__])
    known = {parameter.name for parameter in fields(cls)}
    for name, hint in get_annotations(cls).items():
        if name in known:
            yield name, eval(hint, dict(scope)) if isinstance(hint, str) else hint


def _document(cls: type[Estimator], hints: dict[str, Any]) -> None:
    """Put the declared parameters, and what bases and types say of them, into the docstring."""
    opening, sections, examples = parts_of(vars(cls).get("__doc__") or "")
    own = {name: kind_of(hint) for name, hint in hints.items()}
    cls._kinds = {**_of_bases(cls, "_kinds"), **own}
    of_types = {name: f"{name}{said}" for name in hints if (said := text_of(hints[name]))}
    cls._said = {**sections, "Parameters": {**of_types, **sections.get("Parameters", {})}}
    if not opening:
        return
    known, entries = _texts_of(cls, "Parameters"), []
    # a method's own parameters before those that it shares
    for one in sorted(fields(cls), key=lambda one: one.name not in hints):
        default = Parameter.empty if one.default is MISSING else one.default
        text = known.get(one.name, "")[len(one.name) :]
        entries.append(entry(one.name, cls._kinds[one.name], default, text))
    attributes = list(_texts_of(cls, "Attributes").values())
    whole = [opening, *section("Parameters", entries), *section("Attributes", attributes)]
    cls.__doc__ = "\n\n".join([*whole, *examples]) + "\n"


def _texts_of(cls: type, title: str) -> dict[str, str]:
    """What a class and its bases say of each name, the class last."""
    found: dict[str, str] = {}
    for kind in reversed(cls.__mro__):
        found |= vars(kind).get("_said", {}).get(title, {})
    return found


def as_penalties(name: str, values: Any) -> list[float]:
    """A non-empty list of finite numbers, none of them negative."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not len(found) or not np.all(np.isfinite(found) & (found >= 0)):
        raise ValueError(f"{name} must be a sequence of finite numbers ≥ 0; got {values!r}")
    return found.tolist()
