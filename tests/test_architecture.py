"""The picture of the house is that of the house."""

import importlib
import xml.etree.ElementTree as ET

import architecture
import pytest
from architecture import ROOMS, homes, levels, needs, picture, without_detours
from import_graph import modules

DOCS = architecture.DOCS


@pytest.mark.parametrize(("name", "made"), [("md", architecture.page), ("svg", picture)])
def test_what_is_committed_is_what_the_imports_say(name, made):
    kept = (DOCS / f"architecture.{name}").read_text(encoding="utf-8")
    assert kept == made(), "docs/architecture is out of date: make tables"


def test_every_part_has_a_room():
    assert {room for room in map(architecture.room_of, modules()) if room} == set(ROOMS)


def test_rooms_stand_above_what_they_import():
    graph = needs()
    height = levels(graph)
    for name, below in graph.items():
        assert all(height[other] < height[name] for other in below)


def test_arrows_leave_out_detours_and_nothing_else():
    arrows = without_detours({"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": {"a"}})
    assert arrows == {"a": set(), "b": {"a"}, "c": {"b"}, "d": {"a"}}


def test_rooms_give_what_the_picture_says():
    for room in ROOMS.values():
        for home, names in homes(room):
            module = importlib.import_module(f"colabel.{home}")
            assert all(isinstance(getattr(module, name), type) for name in names)


def test_no_room_is_drawn_over_another():
    tree = ET.fromstring(picture())
    boxes = [
        (float(box.get("x")), float(box.get("y")))
        for box in tree.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) == len(ROOMS)
    for i, (x, y) in enumerate(boxes):
        for u, v in boxes[:i]:
            assert abs(x - u) > architecture.BOX or abs(y - v) > architecture.TALL
