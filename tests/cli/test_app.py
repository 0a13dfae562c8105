"""The program itself, as a person starts it."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from contextlib import suppress

import command_files as files
import numpy as np
import onnxruntime
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import colabel as library
from colabel.cli import app, errors
from colabel.cli.errors import in_options
from colabel.datasets import load, stream


def program(folder, *arguments, **environment):
    """Run the real program in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "colabel", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def on_a_terminal(folder, *arguments):
    """What the real program says, and what it draws on the standard error, a terminal."""
    ours, theirs = os.openpty()
    drawn = []

    def read():  # as it comes: a terminal that nobody reads stops the program
        with suppress(OSError):
            while part := os.read(ours, 65536):
                drawn.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [sys.executable, "-m", "colabel", *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        check=True,
    )
    os.close(theirs)
    reader.join()
    os.close(ours)
    return done.stdout, b"".join(drawn).decode()


def test_a_table_of_tags_becomes_predictions_in_three_commands(tmp_path):
    files.news(tmp_path / "news.csv")
    files.write(tmp_path / "new.csv", ["body"], [[text] for text, _ in files.documents(25, 7)])
    first = program(tmp_path, "describe", "news.csv", *files.TEXTS)
    second = program(tmp_path, "fit", "news.csv", *files.TEXTS, "-o", "news.skops")
    third = program(tmp_path, "predict", "news.skops", "new.csv", "-o", "predicted.csv")
    for done in (first, second, third):
        assert (done.returncode, done.stderr) == (0, "")
    header, *rows = files.read(tmp_path / "predicted.csv")
    assert header == ["tags"]
    truth = [set(tags) for _, tags in files.documents(25, 7)]
    assert (
        np.mean([set(cell.split(";")) == t for (cell,), t in zip(rows, truth, strict=True)]) > 0.8
    )
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["new.csv", "news.csv", "news.skops", "predicted.csv"]


def test_a_text_model_says_the_same_here_there_and_in_onnx(tmp_path):
    files.news(tmp_path / "news.csv")
    fitted = program(tmp_path, "fit", "news.csv", *files.TEXTS, "-o", "news.skops", "--seed", "0")
    assert fitted.returncode == 0
    predicted = program(
        tmp_path, "predict", "news.skops", "news.csv", "-o", "s.csv", "--scores", "--digits", "17"
    )
    assert predicted.returncode == 0
    data = load(tmp_path / "news.csv", text="body", label_column="tags", separator=";")
    direct = library.SharedSubspaceClassifierCV(random_state=0).fit(data.X, data.Y)
    _, *rows = files.read(tmp_path / "s.csv")
    scores = direct.decision_function(data.X)
    assert_allclose(np.array(rows, dtype=float), scores, rtol=0, atol=1e-12)
    model = library.persistence.load(tmp_path / "news.skops")
    (X,) = stream(tmp_path / "news.csv", model.columns)
    assert_allclose(model.scores(X), scores, rtol=0, atol=1e-12)
    library.persistence.to_onnx(model, tmp_path / "news.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "news.onnx"))
    _, labels = session.run(["scores", "labels"], {"X": X.toarray()})
    assert_array_equal(labels, direct.predict(data.X).toarray())


def test_an_error_is_one_line_and_exit_code_2(tmp_path):
    done = program(tmp_path, "fit", "none.csv", "-o", "m.skops")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("colabel: error: none.csv: there is no such file")
    assert done.stderr.count("\n") == 1


def test_heavy_libraries_are_loaded_when_they_are_needed(tmp_path):
    check = """
        import sys
        import colabel.persistence
        heavy = {"typer", "skops", "onnx", "onnxruntime", "matplotlib"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        from colabel.cli.app import run
        assert run(["--help"]) == run(["fit", "--help"]) == 0
        heavy -= {"typer"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(check)], check=True, cwd=tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_is_one_line(tmp_path):
    os.mkfifo(tmp_path / "slow.csv")
    child = subprocess.Popen(
        [sys.executable, "-m", "colabel", "describe", "slow.csv", "--labels", "a"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    with child, open(tmp_path / "slow.csv", "wb"):  # opens when the program does
        child.send_signal(signal.SIGINT)
        assert child.stderr.read() == "colabel: stopped\n"
    assert child.returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")
def test_a_bar_moves_on_a_terminal(tmp_path):
    files.news(tmp_path / "news.csv")
    command = ["fit", "news.csv", *files.TEXTS, "-o", "m.skops", "--method", "mvmd"]
    said, seen = on_a_terminal(tmp_path, *command)
    assert "fitting mvmd" in seen
    assert "━" in seen
    assert said.startswith("mvmd on news: 120 rows")


def test_completion_by_the_program(tmp_path):
    done = program(
        tmp_path, _COLABEL_COMPLETE="complete_bash", COMP_WORDS="colabel ", COMP_CWORD="1"
    )
    assert "describe" in done.stdout.split()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("colabel ", ["audit", "compare", "describe", "explain", "fit", "predict", "reproduce"]),
        ("colabel pr", ["predict"]),
        ("colabel fit x.csv --method ml", ["ml-knn", "mlda", "mlda-svm", "mlsi", "mlsi-svm"]),
    ],
)
def test_completion(words, found, monkeypatch, capsys):
    monkeypatch.setenv("_COLABEL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit):
        app.run([])
    assert sorted(capsys.readouterr().out.split()) == found


def test_the_source_of_completion(monkeypatch, capsys):
    monkeypatch.setenv("_COLABEL_COMPLETE", "source_bash")
    with pytest.raises(SystemExit):
        app.run([])
    assert "_COLABEL_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["describe", "fit", "predict", "audit", "explain"])
def test_help_teaches_by_examples_that_are_right(command, colabel):
    shown = colabel(command, "--help")
    module = getattr(app, command)
    joined = module.HELP.replace("\\\n", " ")
    examples = [line for line in joined.splitlines() if line.startswith("  colabel ")]
    assert len(examples) >= 3
    assert examples[0].split()[2] in shown
    options = set(re.findall(r"--[a-z-]+", shown))
    for example in examples:
        assert example.split()[1] == command
        assert set(re.findall(r"--[a-z-]+", example)) <= options


def test_help_and_version(colabel):
    assert colabel("--version") == f"colabel {library.__version__}\n"
    for arguments in ((), ("--help",), ("-h",)):
        said = colabel(*arguments)
        assert all(name in said for name in ("describe", "fit", "predict", "--install-completion"))
    assert "No such command 'fot'" in colabel.fails("fot")


def test_messages_speak_of_options():
    assert in_options("pass encoding='latin-1', or save") == "pass --encoding latin-1, or save"
    assert in_options("pass format=, one of") == "pass --format, one of"
    assert in_options("as in separator=';'") == "as in --separator ';'"
    assert in_options("the relation=x and context='y'") == "the relation=x and context='y'"


def test_what_should_not_happen_is_one_line_too(colabel, monkeypatch):
    def broken(*_, **__):
        raise KeyError("left\nright")

    monkeypatch.setattr(app.describe, "load", broken)
    assert "KeyError: 'left\\nright'; this should not" in colabel.fails("describe", "debtags")
    monkeypatch.setenv("COLABEL_TRACEBACK", "1")
    with pytest.raises(KeyError):
        app.run(["describe", "debtags"])


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError("8 GiB"), "not enough memory (8 GiB)"),
        (PermissionError(13, "Permission denied", "m.skops"), "m.skops: Permission denied"),
        (ValueError("two\nlines"), "two lines"),
        (ImportError("needs pyarrow"), "needs pyarrow"),
    ],
)
def test_other_errors(error, line, capsys):
    with errors.explain_errors() as outcome:
        raise error
    assert outcome.code == 2
    assert line in capsys.readouterr().err
