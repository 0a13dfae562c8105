"""What was added is there again, whatever happened in between."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from colabel.comparison.run.journal import Journal, JournalError, fingerprint

ARGUMENTS = {"seed": 0, "methods": ["a", "b"]}


def test_it_holds_what_was_added(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path, ARGUMENTS) as journal:
        journal.add("a", {"scores": [1, 2.5, None], "text": "naïve\n"})
        journal.add("b", (1, 2))
        assert journal["b"] == [1, 2]  # as it will be read
        assert len(path.read_text().splitlines()) == 3  # there at once
    with Journal(path, dict(reversed(ARGUMENTS.items()))) as journal:
        assert list(journal) == ["a", "b"]
        assert journal["a"] == {"scores": [1, 2.5, None], "text": "naïve\n"}
        assert "c" not in journal
        assert journal.get("c", 3) == 3
        journal.add("a", 4)
    with Journal(path, ARGUMENTS) as journal:
        assert (journal["a"], len(journal)) == (4, 2)


def test_without_a_path_it_is_kept_in_memory():
    journal = Journal(None, ARGUMENTS)
    journal.add("a", (1,))
    assert journal["a"] == [1]


@pytest.mark.parametrize("cut", [1, 5, 20, -1])
def test_a_line_that_was_cut_short_is_taken_off(tmp_path, cut):
    path = tmp_path / "j.jsonl"
    with Journal(path, ARGUMENTS) as journal:
        journal.add("a", 1)
    whole = path.read_bytes()
    line = b'["second", {"score": 0.25}]\n'
    path.write_bytes(whole + line[:cut])
    with Journal(path, ARGUMENTS) as journal:
        assert list(journal) == ["a"]
        assert path.read_bytes() == whole
        journal.add("second", {"score": 0.25})
    assert path.read_bytes() == whole + line


@pytest.mark.parametrize("length", range(0, 60, 7))
def test_a_header_that_was_cut_short_is_written_again(tmp_path, length):
    path = tmp_path / "j.jsonl"
    Journal(path, ARGUMENTS).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    Journal(path, ARGUMENTS).close()
    assert path.read_bytes() == whole


def test_other_arguments_are_refused_and_nothing_is_lost(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path, ARGUMENTS) as journal:
        journal.add("a", 1)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="holds results of other arguments"):
        Journal(path, {**ARGUMENTS, "seed": 1})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"{}\n", b"[1, 2]\n", b"\xff\xfe\n", b"no newline at all", b"{"]
)
def test_another_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    if content == b"{":  # may be the first byte of a header
        Journal(path, ARGUMENTS).close()
        return
    with pytest.raises(JournalError, match=r"data\.csv is not a journal of colabel"):
        Journal(path, ARGUMENTS)
    assert path.read_bytes() == content


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path, ARGUMENTS) as journal:
        journal.add("a", 1)
    path.write_bytes(path.read_bytes() + b'["b", \n["c", 1]\n')
    with pytest.raises(JournalError, match=r"line 3 is not whole; delete the file"):
        Journal(path, ARGUMENTS)


def test_folders_are_named(tmp_path):
    with pytest.raises(JournalError, match="is a folder"):
        Journal(tmp_path, ARGUMENTS)
    with pytest.raises(JournalError, match="there is no folder"):
        Journal(tmp_path / "none" / "j.jsonl", ARGUMENTS)


def test_one_process_at_a_time(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path, ARGUMENTS), pytest.raises(JournalError, match="in use by another run"):
        Journal(path, ARGUMENTS)
    Journal(path, ARGUMENTS).close()


def test_a_closed_journal_says_so(tmp_path):
    journal = Journal(tmp_path / "j.jsonl", ARGUMENTS)
    journal.add("a", 1)
    journal.close()
    assert journal["a"] == 1
    with pytest.raises(JournalError, match="is closed"):
        journal.add("b", 2)


def test_what_json_cannot_hold_is_refused_before_anything_is_written(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path, ARGUMENTS) as journal:
        before = path.read_bytes()
        for value in (float("nan"), {1, 2}):
            with pytest.raises((ValueError, TypeError)):
                journal.add("a", value)
        assert path.read_bytes() == before
        assert "a" not in journal


def test_what_was_added_survives_a_kill(tmp_path):
    path = tmp_path / "j.jsonl"
    program = textwrap.dedent("""
        import sys
        from colabel.comparison.run.journal import Journal
        journal = Journal(sys.argv[1], {"seed": 0, "methods": ["a", "b"]})
        for i in range(10**9):
            journal.add(f"{i}", i)
            print(i, flush=True)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program, path], stdout=subprocess.PIPE, text=True
    ) as process:
        said = [process.stdout.readline() for _ in range(20)]
        os.kill(process.pid, signal.SIGKILL)
        said += process.stdout.readlines()
    with Journal(path, ARGUMENTS) as journal:
        for i in range(int(said[-1]) + 1):
            assert journal[f"{i}"] == i


def test_the_fingerprint_is_of_the_content():
    assert fingerprint({"a": [1, 2]}) == fingerprint(json.loads('{"a": [1, 2]}'))
    assert fingerprint({"a": [1, 2]}) != fingerprint({"a": [2, 1]})
