"""Documentation from types: what a parameter is, and means, is said where its type is declared.

A docstring need only say what is particular. In its section of parameters a name may stand alone,
with or without a text; its type, its default and the text that its type carries are filled in. So
are parameters that it does not mention, and what is returned.
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, cleandoc
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin, get_type_hints

from colabel._sklearn import HasMethods, Interval, StrOptions

#: What constraints that scikit-learn knows by a word are called.
_WORDS = {
    "boolean": "bool",
    "verbose": "bool",
    "random_state": "int, RandomState or None",
    "cv_object": "int, splitter or iterable",
    "array-like": "array",
    "no_validation": "object",
}
_NAMES: dict[Any, str] = {
    None: "None", callable: "callable", Integral: "int", Real: "float", object: "object",
}  # fmt: skip
_PLAIN: dict[Any, Any] = {bool: "boolean", int: Integral, float: Real, str: str, dict: dict}


@dataclass(frozen=True)
class Says:
    """In a type, what every parameter of that type means, and perhaps what it is called."""

    text: str = ""
    kind: str = ""


def constraints_of(hint: Any) -> Any:
    """What scikit-learn checks a value of a type by."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated and "no_validation" in arguments:
        return "no_validation"
    if origin is Annotated:
        found: Any = [note for note in arguments[1:] if not isinstance(note, Says)]
        return found or constraints_of(arguments[0])
    if origin in (Union, UnionType):
        return [constraint for part in arguments for constraint in constraints_of(part)]
    if origin is Literal:
        return [StrOptions(set(arguments))]
    if hint in (None, NoneType):
        return [None]
    if getattr(origin, "__name__", "") == "Callable":
        return [callable]
    return [_PLAIN.get(hint, origin or object)]


def kind_of(hint: Any) -> str:
    """What a type is called."""
    said = next((note.kind for note in _notes(hint) if note.kind), "")
    return said or _list([word for part in _parts(hint) for word in _words(part)])


def _parts(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Annotated and len(get_args(hint)) == len(_notes(hint)) + 1:
        hint = get_args(hint)[0]  # nothing but words
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _words(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return ["{" + ", ".join(_quote(value) for value in get_args(hint)) + "}"]
    if isinstance(hint, type) and hint not in (*_PLAIN, NoneType):
        return [hint.__name__]
    found = constraints_of(hint)
    return [_word(one) for one in ([found] if isinstance(found, str) else found)]


def _quote(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _list(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _word(constraint: Any) -> str:
    if isinstance(constraint, str):
        return _WORDS[constraint]
    if isinstance(constraint, Interval):
        return _interval(constraint)
    if isinstance(constraint, HasMethods):
        return "estimator"
    return _NAMES.get(constraint) or constraint.__name__


def _interval(interval: Any) -> str:
    kind = "int" if interval.type is Integral else "float"
    low, high, closed = interval.left, interval.right, interval.closed
    if low is not None and high is not None:
        ends = "[]" if closed == "both" else "()"
        return f"{kind} in {ends[0]}{low:g}, {high:g}{ends[1]}"
    if low is not None:
        return f"{kind} {'≥' if closed == 'left' else '>'} {low:g}"
    return kind if high is None else f"{kind} < {high:g}"


def _notes(hint: Any) -> list[Says]:
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return [note for note in notes if isinstance(note, Says)]


def text_of(hint: Any) -> str:
    """What a type says of all its parameters, as lines below a name."""
    return "".join(f"\n    {note.text}" for note in _notes(hint) if note.text)


def entry(name: str, kind: str, default: Any, text: str) -> str:
    """A parameter with its type, its default, and what it means."""
    said = "" if default is Parameter.empty else f", default={_quote(default)}"
    return f"{name} : {kind}{said}{text}"


def section(title: str, entries: Sequence[str]) -> list[str]:
    """A section of a docstring; none without entries."""
    return ["\n".join([title, "-" * len(title), *entries])] if entries else []


def document(function: Callable[..., Any]) -> None:
    """Complete the docstring of a function: its parameters, and what it returns."""
    opening, sections, others = parts_of(function.__doc__ or "")
    hints = get_type_hints(function, include_extras=True)
    own, entries = sections.get("Parameters", {}), []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in hints and " : " not in own.get(name, "").partition("\n")[0]:
            text = own.get(name, "").removeprefix(name) or text_of(hints[name])
            entries.append(entry(name, kind_of(hints[name]), parameter.default, text))
        elif name in own:
            entries.append(own[name])
    returned = (
        [] if any(other.startswith("Returns\n") for other in others) else _describe_return(hints)
    )
    whole = [opening, *section("Parameters", entries), *section("Returns", returned), *others]
    function.__doc__ = "\n\n".join(whole) + "\n"


def _describe_return(hints: dict[str, Any]) -> list[str]:
    hint = hints.get("return", NoneType)
    if hint is Self:
        return ["self"]
    return [] if hint is NoneType else [kind_of(hint)]


def parts_of(doc: str) -> tuple[str, dict[str, dict[str, str]], list[str]]:
    """What comes before the parameters, what is said of each, of each attribute; the rest."""
    opening, *rest = _sections(cleandoc(doc))
    found: dict[str, dict[str, str]] = {}
    others = []
    for part in rest:
        title, _, *lines = part.split("\n")
        if title in ("Parameters", "Attributes"):
            found[title] = _entries(lines)
        else:
            others.append(part)
    return opening, found, others


def _sections(doc: str) -> list[str]:
    lines, parts = doc.split("\n"), [[]]  # type: ignore[var-annotated]
    for i, line in enumerate(lines):
        if line and i + 1 < len(lines) and lines[i + 1] == "-" * len(line):
            parts.append([])
        parts[-1].append(line)
    return ["\n".join(part).strip("\n") for part in parts]


def _entries(lines: Sequence[str]) -> dict[str, str]:
    """Names, each with its line and the indented ones below it."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        if line and not line.startswith(" "):
            name = line.partition(" : ")[0]
            found[name] = line
        else:
            found[name] = f"{found[name]}\n{line}".rstrip()
    return found


def adopt(package: str, names: Sequence[str]) -> None:
    """Give what a package offers the name of that package, under which models hold it."""
    held = vars(sys.modules[package])
    for name in names:
        if getattr(held[name], "__module__", "").startswith(f"{package}."):
            held[name].__module__ = package
            if inspect.isfunction(held[name]):
                document(held[name])


def offer(
    package: str, homes: dict[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package: its names are imported when used.

    Parameters
    ----------
    package : str
    homes : dict
        From the modules of the package to the names that they define, separated by spaces.
    """
    written = {name: home for home, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in written:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{written[name]}"), name)
        setattr(sys.modules[package], name, found)
        adopt(package, [name])
        return found

    return sorted(written), find, lambda: sorted({*vars(sys.modules[package]), *written})
