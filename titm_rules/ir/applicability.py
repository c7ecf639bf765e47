"""Decide whether a statement applies: its condition holds and no exception overrides it; and what may be assumed there.

This is default logic with named exceptions. A statement fails to apply in three ways: its condition does not hold; an
exception lifts it that is not lifted itself; or another statement replaces it, whose condition holds and which nothing
lifts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from titm_rules.ir.model import Always, Head, Lift, RecordSpec, Statement
from titm_rules.ir.terms import Call, Const, Logic, Quantified, Root, Term, free_names, substitute, subterms
from titm_rules.ir.types import FLAG, PLACE, Type

COUNTS, UNMET, LIFTED, REPLACED = "counts", "unmet", "lifted", "replaced"
TRUE, FALSE = Const(True, FLAG), Const(False, FLAG)
HoldsTest = Callable[[Statement | Lift], bool]


class Judged(NamedTuple):
    """A statement, whether it applies, and why not.

    Attributes:
        how: counts, unmet (its condition), lifted or replaced.
        by: the exception that lifts it, or the statement that replaces it.
    """

    statement: Statement
    how: str
    by: Lift | Statement | None = None


def judged(head: Head, holds: HoldsTest, known: Sequence[bool] | None = None) -> Iterator[Judged]:
    """Judge every statement of a head; `holds` decides the condition of a sentence, for statements if not `known`."""
    held = [holds(statement) for statement in head.statements] if known is None else known
    rivals = [one for one, is_held in zip(head.statements, held, strict=True) if is_held and one.instead]
    for statement, is_held in zip(head.statements, held, strict=True):
        if not is_held:
            yield Judged(statement, UNMET)
        elif head.lifts and (lift := lifted_by(head, statement.clause, holds)) is not None:
            yield Judged(statement, LIFTED, lift)
        else:
            other = replaced_by(head, statement, rivals, holds)
            yield Judged(statement, COUNTS if other is None else REPLACED, other)


def lifted_by(head: Head, clause: str, holds: HoldsTest) -> Lift | None:
    """Find an exception that lifts a clause on a head, and is not lifted itself."""
    for lift in head.lifts:
        if lift.target == clause and holds(lift) and lifted_by(head, lift.clause, holds) is None:
            return lift
    return None


def replaced_by(head: Head, statement: Statement, rivals: Iterable[Statement], holds: HoldsTest) -> Statement | None:
    for other in rivals:
        if statement.clause in other.instead and lifted_by(head, other.clause, holds) is None:
            return other
    return None


# The same as a condition, for compilers and checkers:
def counts_when(head: Head, statement: Statement) -> Term:
    parts = [condition(statement), negation(lifted_when(head, statement.clause))]
    for other in head.statements:
        if statement.clause in other.instead:
            parts.append(negation(every_of([condition(other), negation(lifted_when(head, other.clause))])))
    return every_of(parts)


def lifted_when(head: Head, clause: str) -> Term:
    lifts = (lift for lift in head.lifts if lift.target == clause)
    return some_of([every_of([condition(lift), negation(lifted_when(head, lift.clause))]) for lift in lifts])


def condition(sentence: Statement | Lift) -> Term:
    return TRUE if sentence.when is None else sentence.when


def never_holds(heads: Mapping[str, Head], when: Term | None) -> bool:
    """Whether a condition needs a flag that no clause sets."""
    match when:
        case Call(head=key):
            return heads[key].mode == "any" and not heads[key].statements
        case Logic(op="all", parts=parts):
            return any(never_holds(heads, part) for part in parts)
        case Logic(op="any", parts=parts):
            return all(never_holds(heads, part) for part in parts)
    return False


def every_of(parts: list[Term]) -> Term:
    """Join conditions with `and`, and fold constants."""
    kept = [part for part in parts if part != TRUE]
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Logic("all", tuple(kept), FLAG) if kept else TRUE


def some_of(parts: list[Term]) -> Term:
    """Join conditions with `or`, and fold constants."""
    kept = [part for part in parts if part != FALSE]
    if TRUE in kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Logic("any", tuple(kept), FLAG) if kept else FALSE


def negation(part: Term) -> Term:
    if isinstance(part, Const):
        return FALSE if part.value else TRUE
    if isinstance(part, Logic) and part.op == "not":
        return part.parts[0]
    return Logic("not", (part,), FLAG)


# ---------------------------------------------------------------------- what always holds
Invariants = Mapping[str, tuple[Always, ...]]  # by situation


def invariants_on(
    terms: Iterable[Term], situation: str, invariants: Invariants, records: Mapping[str, RecordSpec]
) -> list[Term]:
    """List the invariants that hold wherever some terms are evaluated, of what these terms name.

    `situation` is the situation in which that is; empty: it may be any.
    """
    known, asked = list[Term](), list[Term]()
    for invariant in (each for group in invariants.values() for each in group):
        if not invariant.var:
            known += [invariant.condition] if invariant.situation == situation else []
        elif _is_of_all(invariant, situation, records):
            asked = asked or [*terms]
            known += _instances(invariant, asked, records)
    return known


def _is_of_all(invariant: Always, situation: str, records: Mapping[str, RecordSpec]) -> bool:
    """Whether every record of its type that a situation has is in the list of an invariant."""
    base = invariant.base
    if not isinstance(base, Root) or base.type.name not in records:
        return False
    lists = [
        (owner.name, spec.name) for owner in records.values() for spec in owner.fields
        if spec.owns and spec.type.name == base.type.name and situation in ("", owner.name)
    ]  # fmt: skip
    return records[base.type.name].has_id and lists == [(invariant.situation, base.field)]


def _instances(invariant: Always, terms: Iterable[Term], records: Mapping[str, RecordSpec]) -> Iterator[Term]:
    """Instantiate an invariant for each part of some terms that is such a record, and that nothing in them binds."""
    assert invariant.base is not None
    record = records[invariant.base.type.name]
    places = [one.name for one in records.values() if one.role == "place"]
    types = [Type("record", record.name), *([PLACE] if places == [record.name] else [])]
    bound = {part.var for part in subterms(invariant.condition) if isinstance(part, Quantified)}
    parts = ((part, term) for term in terms for part in subterms(term) if part.type in types)
    for subject in dict.fromkeys(part for part, term in parts if free_names(part) <= free_names(term)):
        if not bound & free_names(subject):
            yield substitute(invariant.condition, {invariant.var: subject})
