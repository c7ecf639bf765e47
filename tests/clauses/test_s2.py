"""The 5th Panzer Army against VIII Corps: S2, over the edition."""

from tests.builders import ending, position
from tests.clauses.rows import brings, forces, levels, lists, moves, rows, supplied

S2 = {"overlays": ("fifth-panzer-army",)}
ALL = "confusion demolition mobility"
OUT = {"in_play": False}
INSIDE = "B-x major; x-y major; y-z major"
CALM = "m German foot 2 x; e Allied foot 2 y"
FRONTS = "B-x major; G-y major"
LAID_OUT = "A-y major; y-x major; x-B major; K-w major"


def world(units: str, roads: str = INSIDE, **more):
    """Make a position in which y and z are outside."""
    return position(roads, units, areas={"y": OUT, "z": OUT}, **more)


def first_day(unit: str, roads: str = INSIDE):
    """Make the end of a day for a German foot unit of three points."""
    outside = {name: OUT for name in ("y", "z") if name in f"{roads} {unit}"}
    return ending(roads, f"m German foot 3 {unit}; e Allied foot 2 w", "Allied", 3, areas=outside)


def arriving(units: str = "n German foot 2 x"):
    reserve = {"id": "g", "side": "German", "kind": "motorized", "strength": 3, "entry": ["A"], "due": [17, 1]}
    near = reserve | {"id": "h", "entry": ["B"]}
    return position(
        LAID_OUT, units, phase="reinforcement", placing="German", zones={"A": OUT}, areas={"y": OUT}, reserves=[reserve, near]
    )


def last(day: int, side: str = "German", units: str = CALM, roads: str = FRONTS):
    return ending(roads, units, side, 1, day)


LOST = {"units": "m German foot 1 x; n German foot 2 x; e Allied foot 2 y", "roads": "x-w major; G-y major"}


def gone(unit: str, *, left: int | None):
    return {f"units.{unit}.strength": left}

LEVELS = {"German Decisive": 16, "German Tactical": 13, "Draw": 10, "Allied Tactical": 7, "Allied Decisive": 0}

ROWS = [
    forces("S2.map", world("m German foot 2 x"), ALL, "x", "not outside", **S2),
    forces("S2.map", position(INSIDE, "m German foot 2 x"), ALL, "x y z", "anywhere inside", **S2),
    forces("S2.sf", position(FRONTS, CALM), ALL, "x y", "none was used", **S2),
    forces("S2.sf", position(FRONTS, CALM, 18, days_used=[17]), "", "", "one in all, not one a day", **S2),
    lists("S2.sf", position(FRONTS, CALM, 19, days_used=[18]), "German infiltrate *", False, "nor on the 19th", **S2),
    lists("S2.sf", position(FRONTS, CALM, 19), "German infiltrate x mobility", True, "it can wait for the 19th", **S2),
    moves("S2.sr1", world("m German armor 3 x"), "m", "x y", None, "it may not leave", **S2),
    moves("S2.sr1", position(INSIDE, "m German armor 3 x"), "m", "x y", 1, "a road inside", **S2),
    moves("S2.sr1", world("m German armor 3 y from_outside"), "m", "y x", 1, "it may come in", **S2),
    moves("S2.sr1", world("m German armor 3 z from_outside"), "m", "z y", 1, "it may come nearer", **S2),
    moves("S2.sr1", world("m Allied armor 3 B", zones={"B": OUT}, side="Allied"), "m", "B x", 1, "it may come in from a zone", **S2),
    brings("S2.sr2", arriving(), "bring-on g A; bring-on h B", {"units.g.from_outside": True, "units.h.from_outside": False}, "one comes by a zone outside", **S2),
    brings("S2.sr2", arriving(), "bring-on g A; ready", {"units.g.from_outside": True, "units.n.from_outside": False}, "the other can wait", **S2),
    brings("S2.sr2", first_day("y from_outside"), "end-phase", gone("m", left=None), "it is still outside", **S2),
    brings("S2.sr2", first_day("x from_outside", "C-x major"), "end-phase", {"units.m.strength": 3, "units.m.from_outside": False}, "it is in and in supply", **S2),
    brings("S2.sr2", first_day("x from_outside", "x-w major"), "end-phase", gone("m", left=None), "it is in but out of supply", **S2),
    brings("S2.sr2", first_day("x", "x-w major"), "end-phase", gone("m", left=2), "after its first day it loses a point only", **S2),
    supplied("S2.sr3", position("B-y major; y-x major", "m German foot 2 x"), "m", True, "along an area inside", **S2),
    supplied("S2.sr3", world("m German foot 2 x", "B-y major; y-x major"), "m", False, "not along one outside", **S2),
    supplied("S2.sr3", position("B-x major", "m German foot 2 x", zones={"B": OUT}), "m", False, "nor to a zone outside", **S2),
    supplied("S2.sr3", world("m German foot 2 y from_outside", "x-y major"), "m", True, "it has come by a place outside", **S2),
    supplied("S2.sr3", world("m German foot 2 y", "x-y major"), "m", False, "it has not", **S2),
    supplied("S2.sr3", world("m German foot 2 x from_outside", "x-y major"), "m", False, "once inside it counts as any other", **S2),
    brings("S2.sr4", last(22), "end-phase", {"phase": "game-over"}, "the Germans have the last impulse", **S2),
    brings("S2.sr4", last(21), "end-phase", {"phase": "movement", "side_to_move": "Allied"}, "the Allies follow on another day", **S2),
    brings("S2.sr4", last(22, **LOST), "end-phase", {"units.m.strength": 1, "units.n.strength": 2}, "nobody loses strength after it", **S2),
    brings("S2.sr4", last(22, **LOST), "end-phase", {"units.m.strength": None, "units.n.strength": 1}, "unless the turn is completed", readings={"S2-end": "whole-turn"}, **S2),
    brings("S2.sr4", ending(side="Allied", impulse=3, day=21, **LOST), "end-phase", {"units.m.strength": None, "units.n.strength": 1}, "on other days they do", **S2),
    supplied("S2.sr7", position("B-x major", CALM), "m", True, "from zone B", **S2),
    supplied("S2.sr7", position("C-x major", CALM), "m", True, "from zone C", **S2),
    supplied("S2.sr7", position("A-x major", CALM), "m", False, "not from zone A", **S2),
    *(supplied("S2.sr8", position(f"{zone}-y major", CALM), "e", True, f"from zone {zone}", **S2) for zone in "GHJK"),
    *(supplied("S2.sr8", position(f"{zone}-y major", CALM), "e", False, f"not from zone {zone}", **S2) for zone in "FL"),
    *levels("S2.", LEVELS, **S2),
]

test_s2 = rows(ROWS)
