"""A tiny invented game for the tests of events: a vocabulary, to which each test adds its own events and clauses."""

from copy import deepcopy
from functools import cache
from typing import Any

from titm_rules.checker.link import link_model
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.engines.library.engine import LibraryEngine
from titm_rules.engines.reference.brute_force import ReferenceEngine
from titm_rules.ir.model import Model
from titm_rules.play.machine import Happened, Machine, resolve
from titm_rules.play.options import Option
from titm_rules.syntax.parser import parse_rules

ENGINES = {"reference": ReferenceEngine, "compiled": CompiledEngine}
ALL_ENGINES = {**ENGINES, "library": LibraryEngine}
VOCABULARY = """\
game "Two Hills".
type side is red as "Red", blue as "Blue".
type bridge-state is whole, broken.
die d6 from 1 to 6.
place hex has height: number 0 to 3 default 0.
connection trail has ends: pair of hex, bridge: bridge-state default whole.
piece scout has
  side: side, place: place, strength: number 0 to 9 default 3, tired: flag default no,
  aims-at: scout or nothing default nothing, shells: number 0 to 99 default 0.
record recruit has id: text, side: side.
record omen has spot: hex, kind: side.
record fighter has id: text, strength: number 0 to 9, well-hidden: flag default no.
situation skirmish has
  mover: side, day: number 1 to 9 default 1, count: number 0 to 999 default 0, hexes: list of hex,
  trails: list of trail default none, scouts: list of scout, recruits: list of recruit default none,
  guests: list of recruit default none, omen: omen or nothing default nothing,
  walkers: names of scout default none, walker: scout or nothing default nothing,
  front: place or nothing default nothing,
  spent: number 0 to 9 default 0, spoilt: names of trail default none,
  known: names of scout or nothing default none.
situation duel has mover: side, reds: list of fighter, blues: list of fighter.
view duel of spot: place on skirmish:
  mover: mover,
  reds: each s in scouts standing at spot where (side of s is red):
    (strength: strength of s; well-hidden: height of spot is 3),
  blues: each s in scouts standing at spot where (side of s is blue): (strength: strength of s).
"""
DATA: dict[str, Any] = {
    "mover": "Red",
    "hexes": [{"id": "low"}, {"id": "mid", "height": 1}, {"id": "top", "height": 3}],
    "scouts": [
        {"id": "ann", "side": "Red", "place": "low", "strength": 4},
        {"id": "bob", "side": "Red", "place": "low", "tired": True},
        {"id": "cid", "side": "Blue", "place": "low", "strength": 2},
        {"id": "dot", "side": "Blue", "place": "low", "strength": 1},
    ],
}


@cache
def rules(text: str) -> Model:
    return link_model([parse_rules(VOCABULARY + text, "hills.rules")], "test")


def machine(engine: str, text: str, **changed: Any) -> Machine:
    """Make a state machine of the game with some more rules, in a situation with some fields changed."""
    model = rules(text)
    data = {**deepcopy(DATA), **changed}
    return Machine(model, resolve(model, "skirmish", data), lambda world: ALL_ENGINES[engine](model, world))


def lines(machine: Machine) -> list[str]:
    return [str(option.action) for option in machine.options.listed()]


def by_itself(machine: Machine) -> str:
    """Name what happens next by itself; empty if nothing does."""
    option = machine.next_automatic()
    return str(option.action) if option is not None else ""


def option(machine: Machine, line: str) -> Option:
    return next(one for one in machine.options.listed() if str(one.action) == line)


def done(machine: Machine, line: str, successes: int = 0) -> tuple[dict[str, Any], Happened]:
    """Do what a line says; give the values of the next situation and what happened."""
    return machine.after(option(machine, line), successes)


def after(engine: str, text: str, line: str, **changed: Any) -> dict[str, Any]:
    """Do what a line says in a new machine; give the values of the next situation."""
    return done(machine(engine, text, **changed), line)[0]


def scouts(data: dict[str, Any], field: str, default: Any = None) -> dict[str, Any]:
    return {row["id"]: row.get(field, default) for row in data["scouts"]}
