"""The same data in every format: writers that return a path and the options to load it with."""

import csv
import json
from xml.sax.saxutils import quoteattr

import numpy as np
import scipy.sparse as sp

FORMATS = {}


def a_format(write):
    FORMATS[write.__name__] = write
    return write


def quoted(name):
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def arff_text(X, Y, features, labels, *, sparse=False, labels_first=False, relation="r"):
    parts = [
        (features, "numeric", np.asarray(X, dtype=float).tolist()),
        (labels, "{0,1}", np.asarray(Y, dtype=int).tolist()),
    ]
    parts = parts[::-1] if labels_first else parts
    lines = [f"@relation {quoted(relation)}"]
    for names, kind, _ in parts:
        lines += [f"@attribute {quoted(name)} {kind}" for name in names]
    lines.append("@data")
    for left, right in zip(parts[0][2], parts[1][2], strict=True):
        row = left + right
        if sparse:
            lines.append("{" + ",".join(f"{j} {v}" for j, v in enumerate(row) if v) + "}")
        else:
            lines.append(",".join(map(str, row)))
    return "\n".join(lines) + "\n"


def svm_text(X, Y, first=1):
    lines = []
    for x, y in zip(np.asarray(X, dtype=float).tolist(), np.asarray(Y).tolist(), strict=True):
        present = ",".join(str(j) for j, v in enumerate(y) if v)
        lines.append(present + " " + " ".join(f"{j + first}:{v}" for j, v in enumerate(x) if v))
    return "".join(line + "\n" for line in lines)


def mulan(folder, X, Y, features, labels, sparse):
    path = folder / "data.arff"
    path.write_text(arff_text(X, Y, features, labels, sparse=sparse), encoding="utf-8")
    names = "".join(f"<label name={quoteattr(name)}></label>\n" for name in labels)
    (folder / "data.xml").write_text(
        f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="x">\n{names}</labels>\n',
        encoding="utf-8",
    )
    return path, {}


@a_format
def mulan_dense(folder, X, Y, features, labels):
    return mulan(folder, X, Y, features, labels, sparse=False)


@a_format
def mulan_sparse(folder, X, Y, features, labels):
    return mulan(folder, X, Y, features, labels, sparse=True)


@a_format
def meka_first(folder, X, Y, features, labels):
    path = folder / "data.arff"
    text = arff_text(
        X, Y, features, labels, labels_first=True, relation=f"music: -C {len(labels)} -v 1"
    )
    path.write_text(text, encoding="utf-8")
    return path, {}


@a_format
def meka_last(folder, X, Y, features, labels):
    path = folder / "data.arff"
    text = arff_text(X, Y, features, labels, sparse=True, relation=f"music: -C -{len(labels)}")
    path.write_text(text, encoding="utf-8")
    return path, {}


@a_format
def svmlight(folder, X, Y, features, labels):
    path = folder / "data.svm"
    path.write_text(svm_text(X, Y))
    about = {"label_names": list(labels), "feature_names": list(features), "n": len(X)}
    path.with_suffix(".json").write_text(json.dumps(about))
    return path, {}


@a_format
def xmc(folder, X, Y, features, labels):
    path = folder / "data.txt"
    (n, d), q = np.shape(X), np.shape(Y)[1]
    path.write_text(f"{n} {d} {q}\n" + svm_text(X, Y, first=0))
    return path, {}


def rows_of(X, Y, features, labels):
    yield [*labels, *features]
    for x, y in zip(np.asarray(X, float).tolist(), np.asarray(Y, int).tolist(), strict=True):
        yield y + x


def delimited(path, X, Y, features, labels, **options):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, **options).writerows(rows_of(X, Y, features, labels))
    return path, {"labels": list(labels)}


@a_format
def comma_separated(folder, X, Y, features, labels):
    return delimited(folder / "data.csv", X, Y, features, labels)


@a_format
def tab_separated(folder, X, Y, features, labels):
    return delimited(folder / "data.tsv", X, Y, features, labels, delimiter="\t")


@a_format
def parquet(folder, X, Y, features, labels):
    import pyarrow
    from pyarrow.parquet import write_table

    path = folder / "data.parquet"
    names, *rows = rows_of(X, Y, features, labels)
    columns = [pyarrow.array(column) for column in zip(*rows, strict=True)]
    write_table(pyarrow.Table.from_arrays(columns, names=names), path)
    return path, {"labels": list(labels)}


def as_arff(data):
    """A sparse data set as MEKA writes it."""
    d, both = data.X.shape[1], sp.hstack([data.X, data.Y], format="csr")
    lines = ["@relation 'rcv1: -C -101'", *(f"@attribute w{i} numeric" for i in range(d))]
    lines += [f"@attribute {name} {{0,1}}" for name in data.label_names]
    lines.append("@data")
    for start, end in zip(both.indptr[:-1], both.indptr[1:], strict=True):
        entries = zip(both.indices[start:end], both.data[start:end], strict=True)
        lines.append("{" + ",".join(f"{i} {v:.17g}" for i, v in entries) + "}")
    return "\n".join(lines) + "\n"
