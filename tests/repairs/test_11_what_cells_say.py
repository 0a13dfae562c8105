"""Cells that say nothing, or something else, were read: 1_0 as 10, other digits, broken quotes; and
what ARFF has a meaning for was refused without a way out.
"""

import numpy as np
import pytest
from command_files import colabel  # noqa: F401  a fixture

from colabel.datasets import DataError, load, stream

FULL_WIDTH = "\uff11\uff10"  # digits too, for Python's float
ARABIC = "\u0661"


def arff(folder, *attributes, rows, labels=1):
    path = folder / "a.arff"
    lines = [f"@relation 'r: -C {labels}'", *(f"@attribute {a}" for a in attributes), "@data"]
    path.write_text("\n".join([*lines, *rows]) + "\n", encoding="utf-8")
    return path


def values(folder, kind, *cells, **options):
    """What cells of one attribute are read as, beside a label."""
    rows = [f"0,{cell}" for cell in cells]
    return load(arff(folder, "l {0,1}", f"x {kind}", rows=rows), **options)


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["1_0", FULL_WIDTH, ARABIC, "1_0.5", "1e1_0"])
def test_a_cell_of_csv_that_is_no_number_is_refused(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text(f"x,l\n1,1\n{cell},0\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"line 3: column 'x' holds .*, which is no number"):
        load(path, labels=["l"], recognise=False)
    columns = load_columns(tmp_path)
    with pytest.raises(DataError, match="line 3"):
        list(stream(path, columns))


def load_columns(folder):
    (folder / "old.csv").write_text("x,l\n1,1\n")
    return load(folder / "old.csv", labels=["l"]).columns


def test_spaces_around_a_number_are_no_part_of_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,l\n 1.5 ,1\n\u00a02,0\n", encoding="utf-8")
    assert load(path, labels=["l"]).X.ravel().tolist() == [1.5, 2]


@pytest.mark.parametrize("row", ["0 1:1_0", "0 1_0:1", "1_0 1:1", f"0 1:{FULL_WIDTH}",
                                 f"0 {ARABIC}:1", f"{ARABIC} 1:1"])  # fmt: skip
@pytest.mark.parametrize("name", ["a.svm", "a.txt"])
def test_a_number_of_svmlight_that_is_none_is_refused(tmp_path, row, name):
    path = tmp_path / name
    first = "0 1:1" if name == "a.svm" else "2 20 20\n0 1:1"
    path.write_text(f"{first}\n{row}\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"line {2 + (name == 'a.txt')}: "):
        load(path)


def test_comments_of_svmlight_may_say_anything(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("0 1:10 # file_1, n\u00ba 1_0\n1 2:3\n", encoding="utf-8")
    assert load(path).X.toarray().tolist() == [[10, 0], [0, 3]]


@pytest.mark.parametrize("cell", ["1_0", FULL_WIDTH, f"'{ARABIC}'"])
def test_a_cell_of_arff_that_is_no_number_is_refused(tmp_path, cell):
    with pytest.raises(DataError, match=r"line 6: attribute 'x' is .* must be a number"):
        values(tmp_path, "numeric", "1", cell)
    rows = ["{1 1}", f"{{1 {cell}}}"]
    with pytest.raises(DataError, match=r"line 6: attribute 'x' is .* must be a number"):
        load(arff(tmp_path, "l {0,1}", "x numeric", rows=rows))
    with pytest.raises(DataError, match="line 5: index"):
        load(arff(tmp_path, "l {0,1}", "x numeric", rows=[f"{{{ARABIC} 1}}"]))


def test_declared_values_that_only_look_like_numbers_are_names(tmp_path):
    data = values(tmp_path, "{1_0,2}", "1_0", "2")
    assert data.feature_names.tolist() == ["x=1_0", "x=2"]


# --- cells of ARFF without quotes ----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["string", "{'A\"','A B','0}',A}"])
@pytest.mark.parametrize("cell", ['A"', "A B", "0}", "A'", "{A", "A 'B'"])
def test_a_malformed_cell_is_refused(tmp_path, kind, cell):
    options = {"text": "x"} if kind == "string" else {}
    with pytest.raises(DataError, match=r"line 6: cannot read .*[Pp]ut quotes around"):
        values(tmp_path, kind, "A", cell, **options)


def test_the_same_cells_in_quotes_are_read(tmp_path):
    data = values(tmp_path, "{'A\"','A B','0}',A}", "'A\"'", '"A B"', "'0}'", "A")
    assert data.X.tolist() == np.eye(4).tolist()


def test_a_malformed_cell_of_a_sparse_row_is_refused(tmp_path):
    for row in ("{1 A B}", '{1 A"}', "{1 0}}"):
        with pytest.raises(DataError, match="line 5: cannot read"):
            load(arff(tmp_path, "l {0,1}", "x {A,'A B','A\"','0}'}", rows=[row]))


def test_declared_values_need_their_quotes_too(tmp_path):
    with pytest.raises(DataError, match=r"line 3: cannot read 'light red"):
        values(tmp_path, "{light red,blue}", "blue")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\u00e9t\u00e9", "été"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"a\011b", "a\tb"),
        (r"\101\60", "A0"),
        (r"a\bb", "a\bb"),
        (r"a\tb\nc\rd\fe", "a\tb\nc\rd\fe"),
        (r"it\'s \"50\%\" \\u00e9 \\b", 'it\'s "50%" \\u00e9 \\b'),
    ],
)
def test_escapes_are_the_letters_that_they_are_for(tmp_path, written, meant):
    data = values(tmp_path, f"{{'{written}',other}}", f"'{written}'", "other")
    assert data.feature_names.tolist() == [f"x={meant}", "x=other"]
    assert data.X.tolist() == [[1, 0], [0, 1]]


def test_half_a_letter_is_refused_with_its_line(tmp_path):
    with pytest.raises(DataError, match=r"line 3: .* half a letter"):
        values(tmp_path, r"{'\ud83d',other}", "other")


# --- kinds of attributes -------------------------------------------------------------------------


@pytest.mark.parametrize("date", ["date", 'DATE "yyyy-MM-dd"', "date 'dd.MM.yyyy HH:mm'"])
def test_a_date_is_refused_with_its_line_and_left_out_by_ignore(tmp_path, colabel, date):  # noqa: F811
    rows = ["1,2001-04-03,5", "0,'2001-04-03 12:12',6", "0,?,7"]
    path = arff(tmp_path, "l {0,1}", f"day {date}", "x numeric", rows=rows)
    said = colabel.fails("describe", "a.arff")
    assert "a.arff, line 3: attribute 'day' is a date" in said
    assert "--ignore day" in said
    data = load(path, ignore=["day"])
    assert data.X.tolist() == [[5], [6], [7]]
    assert np.vstack(list(stream(path, data.columns))).tolist() == [[5], [6], [7]]


def test_a_relational_attribute_is_refused_with_its_line_and_left_out_by_ignore(tmp_path):
    inner = "bag relational\n@attribute u numeric\n@attribute v {0,1}\n@end bag"
    path = arff(tmp_path, "l {0,1}", inner, "x numeric", rows=["1,'1,0\\n2,1',5", "0,'3,1',6"])
    with pytest.raises(DataError, match=r"line 3: attribute 'bag' is relational.*ignore=\['bag'\]"):
        load(path)
    data = load(path, ignore=["bag"])
    assert data.feature_names.tolist() == ["x"]
    assert data.X.tolist() == [[5], [6]]


@pytest.mark.parametrize("weight", ["1", "1.0", " 1 "])
def test_weights_of_one_say_nothing(tmp_path, weight):
    rows = [f"1,5,{{{weight}}}", f"0,6, {{{weight}}}", f"0\t7\t{{{weight}}}"]
    data = load(arff(tmp_path, "l {0,1} {1}", f"x numeric {{{weight}}}", rows=rows))
    assert data.X.tolist() == [[5], [6], [7]]
    rows = [f"{{0 1,1 5}}, {{{weight}}}", f"{{}},{{{weight}}}"]
    data = load(arff(tmp_path, "l {0,1}", "x numeric", rows=rows))
    assert data.X.toarray().tolist() == [[5], [0]]


@pytest.mark.parametrize("row", ["1,5,{2}", "1,5, {0.5}", "{0 1}, {3}", "1\t5\t{2}"])
def test_other_weights_of_rows_are_refused_with_their_line(tmp_path, row):
    with pytest.raises(DataError, match=r"line 5: the row has the instance weight .*take it out"):
        load(arff(tmp_path, "l {0,1}", "x numeric", rows=[row]))


@pytest.mark.parametrize("kind", ["numeric {2}", "{0,1} {0.5}", "{0,1} {2}", "real [0,1] {2}"])
def test_other_weights_of_attributes_are_refused_with_their_line(tmp_path, kind):
    with pytest.raises(DataError, match=r"line 3: attribute 'x' has the weight .*take it out"):
        values(tmp_path, kind, "1")


def test_tabs_stand_between_values_as_commas_do(tmp_path):
    rows = ["1\t5\tred", "0 \t 6\t'dark blue'", "0,\t7,red", "1\t\t8\tred"]
    path = arff(tmp_path, "l {0,1}", "x numeric", "c {red,'dark blue'}", rows=rows)
    data = load(path)
    assert data.X.tolist() == [[5, 1, 0], [6, 0, 1], [7, 1, 0], [8, 1, 0]]
    assert data.Y.toarray().ravel().tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("kind", ["real [0,100]", "REAL[0, 100]", "integer [0,100]", "numeric [0]"])
def test_a_range_behind_a_type_is_read(tmp_path, kind):
    assert values(tmp_path, kind, "5", "7").X.ravel().tolist() == [5, 7]


@pytest.mark.parametrize("declared", ["no,yes", "yes,no", "N,Y", "'False','True'", "t,f"])
def test_a_label_of_words_that_say_yes_and_no_is_read(tmp_path, declared):
    words = [word.strip("'") for word in declared.split(",")]
    truth = [int(word.lower()[0] in "yt") for word in words]
    data = load(arff(tmp_path, f"l {{{declared}}}", "x numeric",
                     rows=[f"{words[0]},1", f"{words[1]},2"]))  # fmt: skip
    assert data.Y.toarray().ravel().tolist() == truth
    sparse = load(arff(tmp_path, f"l {{{declared}}}", "x numeric",
                       rows=["{1 1}", f"{{0 {words[1]},1 2}}"]))  # fmt: skip
    assert sparse.Y.toarray().ravel().tolist() == truth


def test_a_feature_of_yes_and_no_keeps_its_two_columns(tmp_path):
    assert values(tmp_path, "{yes,no}", "yes").feature_names.tolist() == ["x=yes", "x=no"]


def test_labels_of_csv_may_say_yes_and_no(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,l,m\n1,yes,N\n2,No,y\n")
    assert load(path, labels=["l", "m"]).Y.toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("kind", ["{a,b}", "{yes,no,perhaps}", "date", "string"])
def test_other_labels_are_refused_with_their_line_and_a_way_out(tmp_path, kind):
    with pytest.raises(DataError, match=r"line 2: label 'l' is declared .*declare it \{0,1\}"):
        load(arff(tmp_path, f"l {kind}", "x numeric", rows=["a,1" if kind == "{a,b}" else "yes,1"]))
