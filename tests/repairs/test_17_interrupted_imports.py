"""Ctrl-C in the second that imports take printed a traceback."""

import ast
import os
import signal
import subprocess
import sys
import textwrap

import pytest

import colabel

#: Interrupts the program when it comes to import a module.
PROGRAM = """
    import os, runpy, signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Interrupting:
        def find_spec(self, name, *_):
            if name == {module!r}:
                os.kill(os.getpid(), signal.SIGINT)

    sys.meta_path.insert(0, Interrupting())
    sys.argv = ["colabel", *{arguments!r}]
    runpy.run_module("colabel", run_name="__main__")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("numpy", ["--help"]),
        ("sklearn.base", ["--help"]),
        ("colabel.cli.fit", ["--version"]),
        ("colabel.comparison.plan.request", ["compare", "none.csv"]),
        ("colabel.cli.show.description", ["describe", "none.csv"]),
    ],
)
def test_it_is_one_line(module, arguments, tmp_path):
    code = textwrap.dedent(PROGRAM).format(module=module, arguments=arguments)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stderr.strip(), done.stdout) == ("colabel: stopped", "")
    assert done.returncode == 130


def test_the_command_line_is_in_control_before_anything_heavy_is_imported():
    check = """
        import sys
        import colabel
        from colabel.cli import main
        heavy = {"numpy", "scipy", "sklearn", "typer", "rich"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        assert colabel.OPLS().fit
        assert {"numpy", "scipy", "sklearn"} <= set(sys.modules)
        assert not {"typer", "rich", "jinja2", "msgspec"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(check)], check=True)


def test_every_public_name_is_what_type_checkers_take_it_for():
    with open(colabel.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    told = {
        alias.name: node.module
        for node in imports
        if node.module.startswith("colabel") and node.module != "colabel._homes"
        for alias in node.names
    }
    assert told.keys() == set(colabel.__all__)
    for name, module in told.items():
        home = __import__(module, fromlist=[name])
        assert getattr(colabel, name) is getattr(home, name)
        assert name in dir(colabel)


def test_what_is_not_there_is_an_attribute_error():
    for name in ("nothing", "_nothing", "__nothing__"):
        with pytest.raises(AttributeError, match=f"module 'colabel' has no attribute '{name}'"):
            getattr(colabel, name)
    assert colabel.datasets.load_debtags
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
