"""Five tables as people have them, and for each the pipeline that one would write by hand."""

import csv
import json
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, StandardScaler

TOPICS = {
    "billing": ["invoice", "charged", "refund", "payment"],
    "bug": ["crash", "error", "freeze", "broken"],
    "shipping": ["parcel", "courier", "late", "lost"],
}
COMMON = ["the", "my", "is", "please", "help", "since", "yesterday", "it", "again"]
NAMES = list(TOPICS)


@dataclass
class Awkward:
    """A table, new rows of it, how it is read, and what is to be found in it."""

    header: list[str]
    rows: list[list[str]]
    new: list[list[str]]
    options: list[str]
    Y: np.ndarray
    #: What columns are to be recognised as.
    kinds: dict[str, str]
    #: From the text of the file, as pandas reads it, to a matrix.
    by_hand: object
    #: Columns to be warned of.
    warned: list[str] = field(default_factory=list)
    delimiter: str = ","

    def write(self, folder):
        """Train and new rows as CSV, the latter without the labels."""
        for name, rows in (("table.csv", self.rows), ("new.csv", self.new)):
            with (folder / name).open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, delimiter=self.delimiter).writerows([self.header, *rows])

    def frame(self, rows):
        return pd.DataFrame(rows, columns=self.header)


def draw(n, seed, most=2):
    """Labels, and texts that follow from them."""
    rng = np.random.default_rng(seed)
    Y = np.zeros((n, len(NAMES)), dtype=int)
    for row in Y:
        row[rng.choice(len(NAMES), rng.integers(1, most + 1), replace=False)] = 1
    texts = [
        " ".join(
            [
                *rng.choice(COMMON, 6),
                *(w for j in np.flatnonzero(row) for w in rng.choice(TOPICS[NAMES[j]], 2)),
            ]
        )
        for row in Y
    ]
    return rng, Y, texts


def tags_of(Y):
    return [[NAMES[j] for j in np.flatnonzero(row)] for row in Y]


def filled():
    return make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())


def as_number(**how):
    """A column of text as numbers, by pandas."""

    def parse(frame):
        cleaned = frame.replace({"": None, "n/a": None, "?": None})
        for old, new in how.items():
            sign = {"comma": ",", "point": "."}[old]
            cleaned = cleaned.apply(lambda c, s=sign, n=new: c.str.replace(s, n, regex=False))
        return cleaned.astype(float)

    return make_pipeline(FunctionTransformer(parse), filled())


def as_date(*formats):
    """Dates by skrub, each format by itself."""
    import skrub

    def parse(column):
        found = pd.Series(pd.NaT, index=column.index, dtype="datetime64[ns]")
        for form in formats:
            found = found.fillna(pd.to_datetime(column, format=form, errors="coerce"))
        return found.rename(column.name)

    encoder = skrub.DatetimeEncoder(add_weekday=True, periodic_encoding="circular")
    return make_pipeline(FunctionTransformer(parse), encoder, filled())


def joined(*parts):
    return ColumnTransformer([(f"{i}", step, columns) for i, (step, columns) in enumerate(parts)])


def one_hot():
    return OneHotEncoder(handle_unknown="ignore")


def tickets():
    """An identifier, two texts, categories and prices with gaps, a date; tags between "; "."""
    rng, Y, texts = draw(90, 0)
    rows = [
        [
            f"T-{1000 + i}",
            " ".join(text.split()[-3:]),
            text,
            rng.choice(["App", "Cloud", ""]),
            f"2024-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d} {rng.integers(24):02d}:05",
            "" if i % 7 == 3 else f"{rng.gamma(2, 900):,.1f}",
            "; ".join(tags),
        ]
        for i, (text, tags) in enumerate(zip(texts, tags_of(Y), strict=True))
    ]
    new = [
        ["T-1", "refund", "", "Tablet", "2025-01-31 23:59", "", ""],
        ["T-2", "", "the crash again", "App", "", "1,234,567.5", ""],
    ]
    return Awkward(
        ["ticket", "subject", "body", "product", "created", "price", "tags"],
        rows,
        new,
        ["--label-column", "tags"],
        Y,
        {
            "ticket": "drop",
            "subject": "text",
            "body": "text",
            "product": "category",
            "created": "date",
            "price": "number",
        },
        lambda: joined(
            (as_number(comma=""), ["price"]),
            (as_date("%Y-%m-%d %H:%M"), "created"),
            (one_hot(), ["product"]),
            (TfidfVectorizer(), "subject"),
            (TfidfVectorizer(), "body"),
        ),
        ["ticket"],
    )


def unicode_and_json():
    """Semicolons between cells, decimal commas, names and values of all the world; JSON tags."""
    rng, Y, texts = draw(80, 1)
    rows = [
        [
            f"{rng.normal(20, 5):.2f}".replace(".", ","),
            rng.choice(["Köln", "東京", "Санкт-Петербург"]),
            f"ÄÖÜ naïve 🚀 {text}",
            json.dumps(tags),
        ]
        for text, tags in zip(texts, tags_of(Y), strict=True)
    ]
    new = [["?", "São Paulo", "", "[]"], ["1.234,5", "Köln", "naïve refund 🚀", "[]"]]
    return Awkward(
        ["größe", "город", "✍ text", "tags"],
        rows,
        new,
        ["--label-column", "tags"],
        Y,
        {"größe": "number", "город": "category", "✍ text": "text"},
        lambda: joined(
            (as_number(point="", comma="."), ["größe"]),
            (one_hot(), ["город"]),
            (TfidfVectorizer(), "✍ text"),
        ),
        delimiter=";",
    )


def dates_in_three_formats():
    """German, American and written dates in columns, and all in one; tags between bars."""
    rng, Y, texts = draw(80, 2)
    rows = []
    for i, (text, tags) in enumerate(zip(texts, tags_of(Y), strict=True)):
        days = [
            pd.Timestamp(2020, 1, 1) + pd.Timedelta(int(d), "D") for d in rng.integers(0, 1500, 4)
        ]
        mixed = ["%Y-%m-%d", "%d.%m.%Y", "%B %d, %Y"][i % 3]
        rows.append(
            [
                days[0].strftime("%d.%m.%Y"),
                days[1].strftime("%m/%d/%Y"),
                days[2].strftime("%d %b %Y"),
                days[3].strftime(mixed),
                text,
                "|".join(tags),
            ]
        )
    new = [
        ["", "02/29/2024", "1 Jan 2030", "31.12.2019", "a courier", ""],
        ["01.02.2021", "", "", "May 4, 2023", "", ""],
    ]
    return Awkward(
        ["german", "american", "written", "mixed", "body", "tags"],
        rows,
        new,
        ["--label-column", "tags"],
        Y,
        {"german": "date", "american": "date", "written": "date", "mixed": "date", "body": "text"},
        lambda: joined(
            (as_date("%d.%m.%Y"), "german"),
            (as_date("%m/%d/%Y"), "american"),
            (as_date("%d %b %Y"), "written"),
            (as_date("%Y-%m-%d", "%d.%m.%Y", "%B %d, %Y"), "mixed"),
            (TfidfVectorizer(), "body"),
        ),
    )


def truths_and_a_leak():
    """Labels as yes/no and true/false; a number for each row, codes, and a column that leaks."""
    rng, Y, texts = draw(100, 3)
    words = [("no", "yes"), ("False", "True"), ("0", "1")]
    rows = [
        [
            f"{i + 1}",
            f"{rng.integers(0, 9):05d}",
            text,
            rng.choice(["low", "high"]),
            "paid" if row[0] else "open",
            *(words[j][v] for j, v in enumerate(row)),
        ]
        for i, (text, row) in enumerate(zip(texts, Y, strict=True))
    ]
    new = [
        ["1", "99999", "", "", "open", "", "", ""],
        ["2", "00003", "error", "low", "?", "", "", ""],
    ]
    return Awkward(
        ["row", "zip", "body", "urgency", "status", *NAMES],
        rows,
        new,
        ["--labels", ",".join(NAMES)],
        Y,
        {
            "row": "drop",
            "zip": "category",
            "body": "text",
            "urgency": "category",
            "status": "category",
        },
        lambda: joined((one_hot(), ["zip", "urgency", "status"]), (TfidfVectorizer(), "body")),
        ["row", "status"],
    )


def embeddings_and_lists():
    """Lists of numbers, numbers with gaps and a word among them; tags as Python writes lists."""
    rng, Y, _ = draw(90, 4)
    points = Y @ rng.normal(size=(3, 4)) + 0.1 * rng.normal(size=(90, 4))
    rows = [
        [
            json.dumps(point.round(3).tolist()),
            "n/a" if i % 9 == 0 else f"{rng.normal():.3f}",
            f"{rng.integers(1, 5)}",
            "the same",
            "",
            str(tags),
        ]
        for i, (point, tags) in enumerate(zip(points, tags_of(Y), strict=True))
    ]
    new = [["[0.1, 0.2, 0.3, -1]", "", "9", "other", "x", ""], ["", "0.5", "", "", "", ""]]

    def points_of(column):
        found = [json.loads(one) if one else [0.0] * 4 for one in column]
        return np.array(found, dtype=float)

    return Awkward(
        ["vector", "x", "stars", "constant", "empty", "tags"],
        rows,
        new,
        ["--label-column", "tags"],
        Y,
        {
            "vector": "embedding",
            "x": "number",
            "stars": "number",
            "constant": "drop",
            "empty": "drop",
        },
        lambda: joined(
            (as_number(), ["x", "stars"]),
            (make_pipeline(FunctionTransformer(points_of), Normalizer()), "vector"),
        ),
    )


TABLES = {
    make.__name__: make
    for make in (
        tickets,
        unicode_and_json,
        dates_in_three_formats,
        truths_and_a_leak,
        embeddings_and_lists,
    )
}
