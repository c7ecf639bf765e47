"""What looks at the pieces of some places alone, so that it stays what it is while they do."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from titm_rules.rules.counting import counts_when
from titm_rules.rules.model import Head, Model
from titm_rules.rules.rests import FieldOf
from titm_rules.rules.terms import (
    Call,
    Field,
    Picks,
    Quantified,
    Result,
    Root,
    Standing,
    Term,
    Var,
    children,
)
from titm_rules.rules.types import Type
from titm_rules.world.changes import leads_to_piece

_SEARCHES = ("roll", "effects")


@dataclass(frozen=True)
class AtHand:
    """Names that stand for the places at hand, and for pieces that stand there or are at hand themselves.

    With `traces`, costs of routes may be asked as well.
    """

    places: frozenset[str]
    pieces: frozenset[str] = frozenset()
    traces: bool = False


class Locality:
    """Tells which terms and heads look at pieces at given places only.

    Such a term is the same in two situations on one board if the same pieces (the very same records) stand at
    these places, and nothing else is different that `apart_from_pieces` leaves of the fields that it reads.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._known: dict[tuple[str, AtHand], bool] = {}

    def of_head(self, head: Head, places: Iterable[str]) -> bool:
        """Whether a head looks at pieces at the places of some of its parameters only."""
        return self._head(head, AtHand(frozenset(places)))

    def of_terms(self, terms: Iterable[Term], places: Iterable[str], known: Collection[Term] = ()) -> bool:
        """Whether some terms look at pieces at some places only; what is `known` is not looked at."""
        at = AtHand(frozenset(places))
        return all(self._term(term, at, known) for term in terms)

    def of_mover(self, terms: Iterable[Term], mover: str, places: Iterable[str]) -> bool:
        """Whether some terms look at one piece, at pieces at some places, and at costs of routes only."""
        at = AtHand(frozenset(places), frozenset((mover,)), traces=True)
        return all(self._term(term, at, ()) for term in terms)

    def apart_from_pieces(self, fields: Iterable[FieldOf], situation: str) -> frozenset[FieldOf]:
        """Leave out the fields of pieces, and the lists of a situation that hold them."""
        lists = {(situation, one.name) for one in self.model.records[situation].fields if self._is_piece(one.type)}
        return frozenset(one for one in fields if one not in lists and not self._is_piece(Type("record", one[0])))

    def _head(self, head: Head, at: AtHand) -> bool:
        if head.mode in _SEARCHES:
            return False
        if head.mode == "route":
            return at.traces
        key = (head.key, at)
        if key not in self._known:
            self._known[key] = True  # definitions that lead back to themselves are refused elsewhere
            said = [counts_when(head, one) for one in head.statements]
            values = [one.value for one in head.statements if one.value is not None]
            self._known[key] = all(self._term(term, at, ()) for term in (*said, *values))
        return self._known[key]

    def _term(self, term: Term, at: AtHand, known: Collection[Term]) -> bool:
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
                return self._members(base, at, known) and self._parts((where, body), inner, known)
            case Quantified(var=var, base=base, where=where, body=body):
                inner = replace(at, places=at.places - {var}, pieces=at.pieces - {var})
                return self._term(base, at, known) and self._parts((where, body), inner, known)
        return all(self._term(part, at, known) for part in children(term))

    def _parts(self, parts: Iterable[Term | None], at: AtHand, known: Collection[Term]) -> bool:
        return all(self._term(part, at, known) for part in parts if part is not None)

    def _members(self, base: Term, at: AtHand, known: Collection[Term]) -> bool:
        """Whether all members of a list of pieces stand at the places at hand."""
        return not isinstance(base, Var) and self._term(base, at, known)

    def _call(self, head: Head, args: tuple[Term, ...], at: AtHand, known: Collection[Term]) -> bool:
        names = [name for name, _ in head.params]
        named = [(name, arg.name) for name, arg in zip(names, args, strict=False) if isinstance(arg, Var)]
        inner = AtHand(
            frozenset(name for name, given in named if given in at.places),
            frozenset(name for name, given in named if given in at.pieces),
            at.traces,
        )
        return all(self._term(arg, at, known) for arg in args) and self._head(head, inner)

    def _is_piece(self, wanted: Type) -> bool:
        record = self.model.records.get(wanted.name)
        return wanted.kind in ("record", "set") and record is not None and record.role == "piece"
