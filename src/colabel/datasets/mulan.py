"""MULAN and MEKA: ARFF files whose labels an XML file, or the relation itself, names."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
import scipy.sparse as sp

from colabel.datasets._arff_tokens import numbered_lines
from colabel.datasets._cells import TRUTH
from colabel.datasets._columns import Documents, align, documents_as, pick
from colabel.datasets._files import DataError, beside, open_binary, open_text, shown, unknown
from colabel.datasets.arff import Attribute, Header, Rows, read_header, read_rows
from colabel.datasets.dataset import Columns, Dataset, as_names, as_whole

_MEKA = re.compile(r"(?:^|\s)-C\s+(-?\d{1,9})\b")
#: A filter in the relation's trail that may have moved columns; those of instances move rows.
_MOVED = re.compile(r"\b[wm]eka\.filters\.(?!(?:un)?supervised\.instance\.)")
#: A nominal attribute with more values than this is an identifier, not a feature.
_MOST_VALUES = 1000
_PART = re.compile(r"[-_](train|test)$")


def read(
    path: Path,
    *,
    labels: Any = None,
    text: str | None = None,
    vectorizer: Any = None,
    ignore: Any = (),
    encoding: str = "utf-8",
) -> Dataset:
    """Read an ARFF file.

    Labels are those that `labels` names (or an XML file, or ±n as MEKA counts), else those of the
    XML file beside it (MULAN), else those of ``-C n`` in the relation (MEKA), unless a filter of
    Weka has moved columns since that was written. Of features, a nominal one whose values are
    numbers is that number; any other becomes a column of 0 and 1 for each value, all 0 where it is
    missing.
    """
    with open_text(path, encoding) as file:
        lines = numbered_lines(file)
        header = read_header(path, lines)
        rows = read_rows(header, lines)
    if rows is None:
        raise DataError.at(path, None, "no rows after @data")
    names = [attribute.name for attribute in header.attributes]
    label_positions = _labels(path, header, names, labels)
    left_out = {*label_positions, *(pick(path, names, ignore, "attribute") if ignore else ())}
    if text is None and len(left_out) == len(names):
        raise DataError.at(path, None, "no attribute is left for the features")
    if text is None:
        X, feature_names = _features(header, rows, left_out)
    else:
        documents = Documents(vectorizer)
        documents.add(_documents(header, rows, text))
        X, vectorizer = documents.weigh(path)
        feature_names = list(vectorizer.get_feature_names_out())
    return Dataset(
        X=X,
        Y=_label_matrix(header, rows, label_positions),
        label_names=as_names(names[i] for i in label_positions),
        feature_names=as_names(feature_names),
        text=text,
        vectorizer=vectorizer if text is not None else None,
    )


def stream(path: Path, columns: Columns, *, rows: int, encoding: str = "utf-8") -> Iterator[Any]:
    """Blocks of rows of X, with the features that `columns` names."""
    known = None if columns.names is None else set(columns.names)
    with open_text(path, encoding) as file:
        lines = numbered_lines(file)
        header = read_header(path, lines)
        unknowns = {
            i
            for i, attribute in enumerate(header.attributes)
            if known is not None and known.isdisjoint(_feature_names(attribute))
        }
        while (block := read_rows(header, lines, rows)) is not None:
            if columns.text is not None:
                yield documents_as(columns, path, _documents(header, block, columns.text))
                del header.texts[1:]
            else:
                X, names = _features(header, block, unknowns)
                yield align(path, X, names, columns)


def _labels(path: Path, header: Header, names: list[str], labels: Any) -> list[int]:
    if isinstance(labels, (str, Path)) and str(labels).lower().endswith(".xml"):
        return _in_xml(path, Path(labels), names)
    if labels is not None:
        return pick(path, names, labels, "attribute")
    for xml in label_files(path):
        if xml.exists():
            return _in_xml(path, xml, names)
    meka = _MEKA.search(header.relation)
    if meka is None or _MOVED.search(header.relation):
        raise _labels_nowhere(path, None if meka is None else meka.group(1))
    return pick(path, names, int(meka.group(1)), "attribute")


def label_files(path: Path) -> list[Path]:
    """Where the XML file of an ARFF file is looked for: beside it, without -train or -test too."""
    own = beside(path, ".xml")
    return list(dict.fromkeys([own, own.with_name(_PART.sub("", own.stem) + ".xml")]))


def _labels_nowhere(path: Path, count: str | None) -> DataError:
    """No XML file, and a relation that says nothing of labels, or said it of other columns."""
    relation = (
        "no '-C n' in its relation (MEKA)"
        if count is None
        else f"a filter has moved columns since its relation said '-C {count}'"
    )
    n = "N" if count is None else count.lstrip("-")
    there = sorted(xml.name for xml in path.parent.glob("*.xml"))
    other = str(path.with_name(there[0])) if len(there) == 1 else "FILE.xml"
    return DataError.at(
        path,
        None,
        f"which attributes are labels? There is no {label_files(path)[-1].name} beside it (MULAN) "
        f"and {relation}; pass labels={other!r} for a label file of another name, labels=-{n} for "
        f"the last {n} attributes, or labels=['name', ...]",
    )


def _in_xml(path: Path, xml: Path, names: list[str]) -> list[int]:
    known = set(names)
    found = xml_labels(xml)
    for name, line in found.items():
        if name not in known:
            raise unknown(xml, line, f"attribute of {path.name}", name, names)
    return [i for i, name in enumerate(names) if name in found]


def xml_labels(path: Path) -> dict[str, int]:
    """The names that a MULAN label file gives, with their lines.

    Documents with a DTD are refused: they are the only ones that can define entities.
    """
    found: dict[str, int] = {}
    parser = expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise DataError.at(
            path,
            parser.CurrentLineNumber,
            "a DTD is not read, for entities can be bombs; remove the DOCTYPE",
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "label":
            if "name" not in attributes:
                raise DataError.at(path, parser.CurrentLineNumber, "a label without a name")
            found[attributes["name"]] = parser.CurrentLineNumber

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    try:
        with open_binary(path) as file:
            parser.ParseFile(file)
    except DataError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        line = max(parser.ErrorLineNumber, 1)
        raise DataError.at(path, line, f"this is not XML that can be read: {error}") from None
    if not found:
        raise DataError.at(path, None, 'no <label name="..."> in it; is this a MULAN label file?')
    return found


def _feature_names(attribute: Attribute) -> list[str]:
    if attribute.values is None or attribute.numbers is not None:
        return [attribute.name]
    return [f"{attribute.name}={value}" for value in attribute.values]


def _features(header: Header, rows: Rows, left_out: set[int]) -> tuple[Any, list[str]]:
    """Numbers as they are, other nominal values as one column of 0 and 1 each."""
    kept = [(i, a) for i, a in enumerate(header.attributes) if i not in left_out]
    for _, attribute in kept:
        if attribute.string:
            raise DataError.at(
                header.path,
                attribute.line,
                f"attribute {shown(attribute.name)} is text; pass text={attribute.name!r}, or "
                f"ignore=[{attribute.name!r}]",
            )
        if attribute.unread:
            raise DataError.at(
                header.path,
                attribute.line,
                f"attribute {shown(attribute.name)} is {attribute.unread}, which is no feature; "
                f"pass ignore=[{attribute.name!r}]",
            )
        if attribute.numbers is None and len(attribute.values or ()) > _MOST_VALUES:
            raise DataError.at(
                header.path,
                attribute.line,
                f"attribute {shown(attribute.name)} has {len(attribute.values or ())} values, more "
                f"than the {_MOST_VALUES} that become columns; pass ignore=[{attribute.name!r}]",
            )
    names = [name for _, attribute in kept for name in _feature_names(attribute)]
    return _numbers(rows.matrix, dict(kept)), names


def _numbers(matrix: Any, attributes: dict[int, Attribute]) -> Any:
    """The attributes at the given places as the numbers that they stand for."""
    positions = list(attributes)
    odd = [i for i in positions if not _is_plain(attributes[i])]
    plain = [i for i in positions if _is_plain(attributes[i])]
    if not odd:
        return matrix[:, positions]
    by_column = matrix.tocsc() if sp.issparse(matrix) else matrix
    decoded = [_decode(by_column[:, [i]], attributes[i]) for i in odd]
    order = plain + [
        i for i, block in zip(odd, decoded, strict=True) for _ in range(block.shape[1])
    ]
    blocks = [matrix[:, plain], *decoded]
    whole = sp.csr_array(sp.hstack(blocks)) if sp.issparse(matrix) else np.hstack(blocks)
    return whole[:, np.argsort(order, kind="stable")]


def _is_plain(attribute: Attribute) -> bool:
    """Whether the place of a value among those declared is the value itself."""
    if attribute.values is None:
        return True
    numbers = attribute.numbers
    return numbers is not None and np.array_equal(numbers, np.arange(len(numbers)))


def _decode(column: Any, attribute: Attribute) -> Any:
    """One column of places as the columns of numbers that they stand for."""
    sparse = sp.issparse(column)
    places = (column.toarray() if sparse else column).ravel()
    missing = np.isnan(places)
    places = np.where(missing, 0, places).astype(np.int32)
    if attribute.numbers is not None:
        values = np.where(missing, np.nan, attribute.numbers[places])[:, None]
        return sp.csr_array(values) if sparse else values
    n, values = len(places), (~missing).astype(np.float64)
    one_each = sp.csr_array(
        (values, places, np.arange(n + 1)), shape=(n, len(attribute.values or ()))
    )
    return one_each if sparse else one_each.toarray()


def _label_matrix(header: Header, rows: Rows, positions: list[int]) -> sp.csr_array:
    Y = sp.csr_array(_numbers(rows.matrix, {i: _as_label(header, i) for i in positions}))
    Y.eliminate_zeros()
    strange = np.flatnonzero((Y.data != 1) & ~np.isnan(Y.data))
    if len(strange):
        row = int(np.searchsorted(Y.indptr, strange[0], side="right")) - 1
        name = header.attributes[positions[Y.indices[strange[0]]]].name
        value = Y.data[strange[0]]
        raise DataError.at(
            header.path,
            rows.lines[row],
            f"label {shown(name)} is {value:g}; a label is 0 or 1, or ?",
        )
    return as_whole(Y)


def _as_label(header: Header, i: int) -> Attribute:
    """An attribute with its values as 0 and 1, where they are words that say so."""
    attribute = header.attributes[i]
    values = attribute.values
    if values is not None and all(value.lower() in TRUTH for value in values):
        return attribute._replace(values=tuple(f"{TRUTH[value.lower()]:g}" for value in values))
    if attribute.string or attribute.unread or (values is not None and attribute.numbers is None):
        kind = attribute.unread or "string"
        declared = kind if values is None else f"{{{','.join(values)}}}"
        raise DataError.at(
            header.path,
            attribute.line,
            f"label {shown(attribute.name)} is declared {shown(declared)}; declare it {{0,1}}",
        )
    return attribute


def _documents(header: Header, rows: Rows, text: str) -> list[str]:
    [i] = pick(header.path, [a.name for a in header.attributes], [text], "attribute")
    if not header.attributes[i].string:
        raise DataError.at(
            header.path, header.attributes[i].line, f"attribute {shown(text)} is not a string"
        )
    column = rows.matrix[:, [i]]
    places = np.nan_to_num(column.toarray() if sp.issparse(column) else column)
    return [header.texts[int(place)] for place in places.ravel()]
