"""Incremental computation: footprints and locality decide which memos carry over to the next situation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from titm_rules.ir.applicability import counts_when
from titm_rules.ir.dependencies import FieldOf
from titm_rules.ir.model import Head, Model
from titm_rules.ir.terms import Call, Field, Picks, Quantified, Result, Root, Standing, Term, Var, children
from titm_rules.ir.types import Type
from titm_rules.world.change_set import leads_to_piece
from titm_rules.world.records import Situation

# ---------------------------------------------------------------------- memos
# Lets a situation (the second) take over from the one before; other pieces stand at the places that are given.
Carry = Callable[[Situation, Situation, frozenset[Any]], None]
_KEPT = 64


class MemoFootprint(NamedTuple):
    """The fields that a memo looks at, each with its owner (a record or a situation): if they stay, it is kept.

    `apart` are these without what stands at places; if they stay, `carry` keeps what is about other places.
    """

    fields: frozenset[FieldOf]
    apart: frozenset[FieldOf] = frozenset()
    carry: Carry | None = None


class MemoTable:
    """The memos of situations by their keys there, each with its footprint: what a later situation takes over."""

    def __init__(self) -> None:
        self.footprints: dict[Any, MemoFootprint] = {}
        self._kept: dict[frozenset[FieldOf], tuple[int, frozenset[Any], list[Carry]]] = {}

    def take_over(self, model: Model, before: Situation, after: Situation, changed: frozenset[FieldOf] | None) -> None:
        """Let a situation take over from the one before; fields are compared if it is not known which have changed."""
        if changed is None:
            looked_at = {memo.fields for memo in self.footprints.values()}
            same = {fields: _are_same(model, fields, before, after) for fields in looked_at}
            keys = frozenset(key for key, memo in self.footprints.items() if same[memo.fields])
        else:
            keys, carries = self._unchanged(changed)
            places = other_places(before, after) if carries else frozenset()
            for carry in carries:
                carry(before, after, places)
        after.memo_.update({key: memo for key, memo in before.memo_.items() if key in keys})

    def _unchanged(self, changed: frozenset[FieldOf]) -> tuple[frozenset[Any], list[Carry]]:
        """Name what is taken over if these fields have changed, and what in part."""
        known = self._kept.get(changed)
        if known is None or known[0] != len(self.footprints):
            if len(self._kept) > _KEPT:
                self._kept.clear()
            memos = self.footprints.items()
            keys = frozenset(key for key, memo in memos if memo.fields.isdisjoint(changed))
            carries = [m.carry for key, m in memos if m.carry and key not in keys and m.apart.isdisjoint(changed)]
            known = self._kept[changed] = len(self.footprints), keys, carries
        return known[1:]


def _are_same(model: Model, fields: frozenset[FieldOf], one: Situation, other: Situation) -> bool:
    """Whether two situations on one board, each given by its root, are the same in some fields."""

    def is_same(value: Situation, twin: Situation) -> bool:
        if value is twin or value == twin:
            return True
        if not isinstance(value, list) or not isinstance(twin, list) or len(value) != len(twin):
            return False
        return all(a is b or are_alike(a, b) for a, b in zip(value, twin, strict=True))

    def are_alike(record: Situation, twin: Situation) -> bool:
        kind = getattr(record, "record_", "")
        if not kind or kind != getattr(twin, "record_", "") or record.id != twin.id:
            return False
        names = [field.name for field in model.records[kind].fields if (kind, field.name) in fields]
        return all(getattr(record, name) == getattr(twin, name) for name in names)

    return all(is_same(getattr(one, name), getattr(other, name)) for owner, name in fields if owner == one.record_)


def other_places(before: Situation, after: Situation) -> frozenset[Any]:
    """Name the places at which other pieces stand in one situation than in another, on one board."""
    one, other = before.standing_, after.standing_
    if one is other:
        return frozenset()
    found = {place for place, pieces in other.items() if one.get(place) != pieces}
    return frozenset(found | (one.keys() - other.keys()))


# ---------------------------------------------------------------------- locality
_SEARCHES = ("roll", "effects")


@dataclass(frozen=True)
class LocalTerms:
    """Names that stand for the places at hand, and for pieces that stand there or are at hand themselves.

    With `traces`, costs of routes may be asked as well.
    """

    places: frozenset[str]
    pieces: frozenset[str] = frozenset()
    traces: bool = False


class Locality:
    """Finds the terms and heads that read only pieces at given places.

    Such a term is the same in two situations on one board if the same pieces (the very same records) stand at
    these places, and nothing else is different that `apart_from_pieces` leaves of the fields that it reads.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._known: dict[tuple[str, LocalTerms], bool] = {}

    def of_head(self, head: Head, places: Iterable[str]) -> bool:
        return self._head(head, LocalTerms(frozenset(places)))

    def of_terms(self, terms: Iterable[Term], places: Iterable[str], known: Collection[Term] = ()) -> bool:
        """Whether some terms look at pieces at some places only; what is `known` is not looked at."""
        at = LocalTerms(frozenset(places))
        return all(self._term(term, at, known) for term in terms)

    def of_mover(self, terms: Iterable[Term], mover: str, places: Iterable[str]) -> bool:
        """Whether some terms look at one piece, at pieces at some places, and at costs of routes only."""
        at = LocalTerms(frozenset(places), frozenset((mover,)), traces=True)
        return all(self._term(term, at, ()) for term in terms)

    def apart_from_pieces(self, fields: Iterable[FieldOf], situation: str) -> frozenset[FieldOf]:
        """Leave out the fields of pieces, and the lists of a situation that hold them."""
        lists = {(situation, one.name) for one in self.model.records[situation].fields if self._is_piece(one.type)}
        return frozenset(one for one in fields if one not in lists and not self._is_piece(Type("record", one[0])))

    def _head(self, head: Head, at: LocalTerms) -> bool:
        if head.mode in _SEARCHES:
            return False
        if head.mode == "route":
            return at.traces
        key = (head.key, at)
        if key not in self._known:
            # No definition leads back to itself: the checker refuses it.
            said = [counts_when(head, one) for one in head.statements]
            values = [one.value for one in head.statements if one.value is not None]
            self._known[key] = all(self._term(term, at, ()) for term in (*said, *values))
        return self._known[key]

    def _term(self, term: Term, at: LocalTerms, known: Collection[Term]) -> bool:
        if known and term in known:
            return True
        match term:
            case Result() | Picks():
                return False
            case Root():
                return not leads_to_piece(self.model, term.type)
            case Standing(base=Root(), place=Var(name=name)):
                return name in at.places
            case Standing():
                return False
            case Field(base=base) if self._is_piece(base.type):
                seen = isinstance(base, Var) and base.name in at.pieces
                return seen and not self._is_piece(term.type)
            case Call(head=key, args=args):
                return self._call(self.model.heads[key], args, at, known)
            case Quantified(var=var, base=base, where=where, body=body) if self._is_piece(base.type):
                inner = replace(at, places=at.places - {var}, pieces=at.pieces | {var})
                # A list of pieces reads no others only if its members stand at the places at hand.
                is_here = not isinstance(base, Var) and self._term(base, at, known)
                return is_here and self._parts((where, body), inner, known)
            case Quantified(var=var, base=base, where=where, body=body):
                inner = replace(at, places=at.places - {var}, pieces=at.pieces - {var})
                return self._term(base, at, known) and self._parts((where, body), inner, known)
        return all(self._term(part, at, known) for part in children(term))

    def _parts(self, parts: Iterable[Term | None], at: LocalTerms, known: Collection[Term]) -> bool:
        return all(self._term(part, at, known) for part in parts if part is not None)

    def _call(self, head: Head, args: tuple[Term, ...], at: LocalTerms, known: Collection[Term]) -> bool:
        names = [name for name, _ in head.params]
        named = [(name, arg.name) for name, arg in zip(names, args, strict=False) if isinstance(arg, Var)]
        inner = LocalTerms(
            frozenset(name for name, given in named if given in at.places),
            frozenset(name for name, given in named if given in at.pieces),
            at.traces,
        )
        return all(self._term(arg, at, known) for arg in args) and self._head(head, inner)

    def _is_piece(self, wanted: Type) -> bool:
        record = self.model.records.get(wanted.name)
        return wanted.kind in ("record", "set") and record is not None and record.role == "piece"
