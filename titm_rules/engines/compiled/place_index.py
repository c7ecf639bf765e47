"""Invert `some piece p where P(p, place)` into one pass over the pieces (a semi-join).

A search asks such a condition of place after place: whether enemies stand there, say, or some enemy controls it. If
each piece names the places for which it makes the condition true, by its own place or by a list, one pass over the
pieces finds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from titm_rules.engines.compiled import nodes as ast
from titm_rules.engines.compiled.codegen import Coder, call, local, name
from titm_rules.ir import terms as ir
from titm_rules.ir.applicability import every_of
from titm_rules.ir.dependencies import PLACE
from titm_rules.ir.model import Head, Model
from titm_rules.ir.types import Type

# Terms of conditions that can be inverted: they are cheap, and have a value for every piece.
_TOTAL = (ir.Var, ir.Const, ir.Field, ir.Compare, ir.Logic, ir.IsA)
_LISTED = "listed"
Inliner = Callable[[ir.Call], ir.Term | None]  # returns the body of a definition, instead of its call


class Places(NamedTuple):
    """Finds all places (parameter `at`) for which a definition holds, from the root and its other parameters."""

    at: int
    function: Callable[..., Set[Any]]


class IndexEntry(NamedTuple):
    """One way in which a piece makes a definition true of places: the condition, and the place or list it names.

    If the piece `stands` there, one that is not on the map names no place.
    """

    condition: ir.Term
    named: ir.Term
    stands: bool


@dataclass(frozen=True)
class PlaceIndex:
    """A definition that some pieces of a list make true of the place that is its parameter `place`."""

    place: str
    others: tuple[str, ...]
    var: str
    pieces: ir.Term
    ways: tuple[IndexEntry, ...]

    def places(self, coder: Coder) -> ast.expr:
        found = (self._places(way, coder) for way in self.ways)
        return reduce(lambda one, other: ast.BinOp(one, ast.BitOr(), other), found)

    def _places(self, way: IndexEntry, coder: Coder) -> ast.expr:
        piece, here = ast.Name(local(self.var), ast.Store()), local(self.place)
        loop = ast.comprehension(piece, coder.expr(self.pieces), [coder.expr(way.condition)], 0)
        named = coder.expr(way.named)
        if way.named.type.kind == "set":
            return ast.SetComp(name(here), [loop, ast.comprehension(ast.Name(here, ast.Store()), named, [], 0)])
        return call("placed", ast.SetComp(named, [loop])) if way.stands else ast.SetComp(named, [loop])


def build_place_index(model: Model, head: Head, decision: ir.Term, inline: Inliner) -> PlaceIndex | None:
    """Build the index of a definition; nothing, unless it is only a condition that some piece makes true of a place."""
    if not isinstance(decision, ir.Quantified) or decision.op != "some" or not decision.var:
        return None
    base, var = decision.base, decision.var
    condition = every_of([one for one in (decision.where, decision.body) if one is not None])
    if isinstance(base, ir.Standing) and isinstance(base.place, ir.Var):
        place, base = base.place.name, base.base
        spec = next((one for one in model.records[base.type.name].fields if one.name == PLACE), None)
        piece = ir.Var(var, Type("record", base.type.name))
        ways: list[IndexEntry] = (
            [] if spec is None else [IndexEntry(condition, ir.Field(piece, PLACE, spec.type), stands=True)]
        )
    else:
        places = [one for one, ptype in head.params if ptype.kind == "place" or _is_place(model, ptype)]
        place = places[0] if len(places) == 1 else ""
        ways = _ways(condition, place, inline) if place else []
    others = {one: ptype for one, ptype in head.params if one != place}
    plain = all(ptype.kind in ("enum", "flag") for ptype in others.values()) and len(others) < len(head.params)
    if not (ways and plain and isinstance(base, ir.Root) and _is_piece(model, base.type)):
        return None
    sound = all(_is_sound(way, {var, *others}) for way in ways)
    return PlaceIndex(place, tuple(others), var, base, tuple(ways)) if sound else None


def _ways(condition: ir.Term, place: str, inline: Inliner) -> list[IndexEntry]:
    """List the ways in which a piece names a place; none, if one of them names no place."""
    parts = list(_all_of(condition, place, inline))
    about = [one for one in parts if place in ir.free_names(one)]
    rest = [one for one in parts if one not in about]
    found = []
    for way in ir.parts_of(about[0], "any") if len(about) == 1 else ():
        each = list(_all_of(way, place, inline))
        named = [_named(one, place) for one in each if place in ir.free_names(one)]
        if len(named) != 1 or named[0] is None:
            return []
        left = [one for one in each if place not in ir.free_names(one)]
        found.append(IndexEntry(every_of([*rest, *left]), named[0], stands=False))
    return found


def _all_of(term: ir.Term, place: str, inline: Inliner) -> Iterator[ir.Term]:
    body = inline(term) if isinstance(term, ir.Call) and place in ir.free_names(term) else None
    parts = (body,) if body is not None else ir.parts_of(term, "all")
    for part in parts:
        yield from (part,) if part is term else _all_of(part, place, inline)


def _named(term: ir.Term, place: str) -> ir.Term | None:
    """Return the place, or the list of places, that a condition compares the place with."""
    match term:
        case ir.Member(left=ir.Var(name=name), choices=(), base=base) if name == place:
            return base
        case ir.Compare(op="==", left=ir.Var(name=name), right=other) if name == place:
            return other
        case ir.Compare(op="==", left=other, right=ir.Var(name=name)) if name == place:
            return other
    return None


def _is_sound(way: IndexEntry, names: set[str]) -> bool:
    """Whether a way has a value for every piece, and looks at nothing but the piece and the given values."""
    named = way.named.args[0] if isinstance(way.named, ir.Apply) and way.named.op == _LISTED else way.named
    total = all(isinstance(one, _TOTAL) for term in (way.condition, named) for one in ir.subterms(term))
    return total and ir.free_names(way.condition) | ir.free_names(named) <= names


def _is_piece(model: Model, wanted: Type) -> bool:
    return model.records[wanted.name].role == "piece"


def _is_place(model: Model, wanted: Type) -> bool:
    return wanted.kind == "record" and model.records[wanted.name].role == "place"
