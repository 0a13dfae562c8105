"""Pages of one file: a template, a style sheet, perhaps a script, and a policy that allows no more.

All text passes through jinja2's escaping. The policy names the style sheet and the script by their
hashes, so that nothing that slipped through could run or load.
"""

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from colabel._terminal import one_line
from colabel.comparison.stats.wording import chance, count_things, score, seconds

_TEMPLATES = files("colabel.comparison.report") / "templates"


def render(template: str, *, script: str | None = None, **content: Any) -> str:
    """A page."""
    style = _read("style.css")
    code = None if script is None else _read(script)
    policy = f"default-src 'none'; style-src {_hash(style)}"
    if code is not None:
        policy += f"; script-src {_hash(code)}"
    page = _environment().get_template(template)
    # the style sheet and the script are ours: not escaped, as their hashes are of the plain text
    shown = None if code is None else Markup(code)
    return page.render(policy=policy, style=Markup(style), script=shown, **content)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=one_line, score=score, seconds=seconds, chance=chance, counted=count_things
    )
    return environment


@cache
def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
