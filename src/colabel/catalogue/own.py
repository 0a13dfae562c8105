"""A person's own model, by where it is written."""

import os
import sys
from importlib import import_module
from inspect import isclass
from typing import Any

import cloudpickle


def load_object(spec: str) -> Any:
    """The classifier of MODULE:OBJECT; a class is called, so that there is one.

    The module is looked for in the folder of the call, too, and sent to other processes whole.
    """
    name, colon, attribute = spec.partition(":")
    if not (name and colon and attribute):
        raise ValueError(f"{spec}: write it as MODULE:OBJECT, such as models:forest")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = import_module(name)
        found = getattr(module, attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{spec}: {error}; name a module that can be imported from here") from None
    if os.path.dirname(os.path.abspath(getattr(module, "__file__", None) or "/")) == folder:
        cloudpickle.register_pickle_by_value(module)
    return found() if isclass(found) else found
