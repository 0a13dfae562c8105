"""On long fits two progress bars drew over each other."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

from colabel import LabelRidgeCV, _bars, _terminal
from colabel._terminal import line, progress, watch_iterations
from colabel.cli.output import busy
from colabel.linalg.krylov import OBSERVER


@pytest.fixture
def terminal(monkeypatch):
    """What is drawn on a terminal of 80 columns, by bars that do not wait."""
    drawn = io.StringIO()

    def console(**_):
        return Console(file=drawn, force_terminal=True, width=80, color_system=None)

    monkeypatch.setattr(_bars, "Console", console)
    monkeypatch.setattr(_terminal, "_is_terminal", lambda: True)
    monkeypatch.setattr(_terminal, "PATIENCE", 0.0)
    return drawn


def displays(drawn):
    """How often the cursor was hidden and shown: once each by every display, in turns."""
    return "".join(re.findall(r"\x1b\[\?25([lh])", drawn.getvalue()))


def test_what_is_inside_of_another_is_a_line_of_the_same_display(terminal):
    with busy("fitting mvmd"):
        for _ in progress(range(3), total=3, description="folds"):
            with watch_iterations("fitting LabelRidge"):
                OBSERVER.get()(0.5)
                _terminal._DISPLAY._bars.refresh()
    seen = terminal.getvalue()
    assert displays(terminal) == "lh"
    assert all(text in seen for text in ("fitting mvmd", "folds", "fitting LabelRidge", "50%"))
    assert _terminal._DISPLAY._bars is None


def test_a_long_fit_of_the_library_has_one_display(terminal):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 5)), rng.integers(0, 2, size=(60, 3))
    with busy("fitting label-ridge"):
        LabelRidgeCV(cv=2, verbose=True, random_state=0).fit(X, Y)
    assert displays(terminal) == "lh"
    assert "fitting label-ridge" in terminal.getvalue()


def test_one_after_the_other_has_a_display_each(terminal):
    for name in ("reading", "saving"):
        with busy(name):
            pass
    assert displays(terminal) == "lhlh"


def test_an_error_takes_the_display_away(terminal):
    with pytest.raises(KeyboardInterrupt), busy("fitting"), line("folds", 3, patience=0.0):
        raise KeyboardInterrupt
    assert displays(terminal) == "lh"
    assert _terminal._DISPLAY._users == 0


def test_nothing_is_drawn_before_it_takes_long_or_in_a_file(terminal, monkeypatch):
    monkeypatch.setattr(_terminal, "PATIENCE", 1e9)
    assert list(progress(range(3), description="folds")) == [0, 1, 2]
    assert terminal.getvalue() == ""
    monkeypatch.setattr(_bars, "Console", lambda **_: Console(file=terminal))
    with busy("fitting"):
        assert list(progress(range(3), description="folds")) == [0, 1, 2]
    assert terminal.getvalue() == ""


def test_a_process_that_another_started_draws_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_terminal._DISPLAY, "is_silent", False)
    _terminal.silence()
    with busy("fitting"):
        pass
    assert terminal.getvalue() == ""
