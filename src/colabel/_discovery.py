"""Which estimators there are."""

from importlib import import_module
from typing import Literal

from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from colabel._homes import HOMES
from colabel._public import public

_KINDS: dict[str | None, type] = {
    None: BaseEstimator,
    "classifier": ClassifierMixin,
    "transformer": TransformerMixin,
}


@public
def all_estimators(
    type_filter: Literal["classifier", "transformer"] | None = None,
) -> list[tuple[str, type]]:
    """The names and classes of all estimators, as scikit-learn's function of this name gives them.

    Parameters
    ----------
    type_filter : {"classifier", "transformer"} or None
        Only these; some classifiers, those with a subspace, are transformers too.

    Returns
    -------
    list of (str, type)
        In the order of the names.

    Examples
    --------
    >>> import colabel
    >>> [name for name, _ in colabel.all_estimators("transformer")][:3]
    ['DMLDA', 'HypergraphSpectral', 'KernelFeatures']
    """
    if type_filter not in _KINDS:
        allowed = ", ".join(map(repr, _KINDS))
        raise ValueError(f"type_filter must be one of {allowed}; got {type_filter!r}")
    written = ((name, home) for home, names in HOMES.items() for name in names.split())
    found = ((name, getattr(import_module(f"colabel.{home}"), name)) for name, home in written)
    kind = _KINDS[type_filter]
    return sorted(
        (name, thing)
        for name, thing in found
        if isinstance(thing, type) and issubclass(thing, BaseEstimator) and issubclass(thing, kind)
    )
