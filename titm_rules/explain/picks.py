"""Reasons for a pick: a legal choice that holds it, or the clauses that bar it from all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from titm_rules.diagnostics import InputError
from titm_rules.engines.engine import Engine, Pick
from titm_rules.engines.results import has_pick, pairs_in, pick_in
from titm_rules.engines.shower import line
from titm_rules.explain.findings import Reasons
from titm_rules.explain.orders import Orders
from titm_rules.explain.verdict import WitnessAndNearest
from titm_rules.rules.model import Allocation, Selection, head_key
from titm_rules.world.records import Record

MAX_LISTED = 2_000
MAX_CHANGED = 60
Roles = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Barred:
    """What bars a choice at one of its picks: what a clause may ask there, where that is, and the clauses."""

    env: Roles
    where: str
    clauses: tuple[str, ...]


def explain_pick(reasons: Reasons, engine: Engine, form: Allocation | Selection, roles: Roles) -> WitnessAndNearest:
    """Show a legal choice that holds a pick; if none does, note what bars it, or say why it cannot be."""
    return _Pick(reasons, engine, form, roles).told()


class _Pick:
    """One pick that is asked about."""

    def __init__(self, reasons: Reasons, engine: Engine, form: Allocation | Selection, roles: Roles) -> None:
        self.reasons, self.engine, self.form = reasons, engine, form
        self.given = {name: roles[name] for name, _ in form.given}
        self.pick: Pick | None = pick_in(form, roles)
        self.key = head_key(form.name, "choose")

    def told(self) -> WitnessAndNearest:
        legal = self._legal()
        found = next((one for one in legal if has_pick(self.form, one, self.pick)), None)
        if found is not None:
            return {"legal_choice": line(self.form, found)}, {}
        why = self._not_offered()
        if self.pick is None or why:
            return {"why": why or "no choice is legal"}, {}
        changed = [list(self._barring(pairs)) for pairs in self._changed(legal, self.pick)]
        self._note([one for one in changed if one])
        if changed and all(changed):
            return {}, {}
        return {"why": "better choices leave it out" if legal else "no choice is legal"}, {}

    def _legal(self) -> Sequence[tuple[Any, ...]]:
        """List the legal choices, all if they are not too many; else one with the pick, or one without it."""
        try:
            few = self.engine.count(self.form, self.given) <= MAX_LISTED
        except InputError:  # too many to be counted
            few = False
        if few:
            return sorted(self.engine.choices(self.form, self.given), key=lambda one: line(self.form, one))
        examples = (self.engine.example(self.form, self.given, pick) for pick in (self.pick, None))
        return [one for one in examples if one is not None][:1]

    def _not_offered(self) -> str:
        """Say who cannot pick here, or what cannot be picked; empty if both can."""
        who, what = self.pick or (None, None)
        form, term = self.form, self.engine.term
        if isinstance(form, Allocation):
            name, offered = form.target[0], form.targets
            if who is not None and form.choosers is not None and who not in term(form.choosers, self.given):
                return f"{who.id} is not among those who choose"
        else:
            name, offered = form.picked[1].name, form.members
        return f"{what.id} is no {name} here" if what is not None and what not in term(offered, self.given) else ""

    def _changed(self, legal: Sequence[tuple[Any, ...]], pick: Pick) -> Iterator[tuple[tuple[Any, Any], ...]]:
        """Yield legal choices changed so that they hold the pick, or the pick alone where nothing is legal."""
        who, what = pick
        if not legal:
            yield from (((one, what),) for one in self._who(who))
        for one in legal[:MAX_CHANGED]:
            pairs = pairs_in(self.form, one)
            if isinstance(self.form, Selection):
                yield (*pairs, (None, what))
                continue
            if self.form.chooser is None:
                pairs = tuple(enumerate(one))
            for at, (chooser, _) in enumerate(pairs):
                if who in (None, chooser):
                    yield (*pairs[:at], (chooser, what), *pairs[at + 1 :])

    def _who(self, who: Record | None) -> Sequence[Record | int]:
        """List those who may be the one that picks; a nameless counter is a number."""
        form = self.form
        if who is not None:
            return [who]
        if isinstance(form, Allocation) and form.choosers is not None:
            return list(self.engine.term(form.choosers, self.given))
        return [0]

    def _barring(self, pairs: tuple[tuple[Any, Any], ...]) -> Iterator[Barred]:
        """Yield what bars a choice, pick by pick in the order that comes furthest."""
        form = self.form
        if isinstance(form, Selection):
            picked = {what for _, what in pairs}
            members = [one for one in self.engine.term(form.members, self.given) if one in picked]
            env = {**self.given, form.picked[0]: members}
            clauses = tuple(dict.fromkeys(one.clause for one in self.engine.said(self.key, env)))
            if clauses:
                yield Barred(env, line(form, tuple(members)), clauses)
            return
        for turn in Orders(self.engine, form, self.given).best(pairs):
            if turn.barred:
                who, what = turn.pair
                yield Barred(turn.env, f"{who.id}>{what.id}" if form.chooser else what.id, turn.barred)

    def _note(self, changed: list[list[Barred]]) -> None:
        """Note the clauses that bar every one of some choices; if no clause does, few that together bar all."""
        enough = enough_of([tuple(clause for one in bars for clause in one.clauses) for bars in changed])
        for one in (one for bars in changed for one in bars):
            new = enough & set(one.clauses)
            if new:
                self.reasons.head(self.key, one.env, one.where, also=[c for c in one.clauses if c not in new])
                enough -= new


def enough_of(barred: Sequence[Sequence[str]]) -> set[str]:
    """Choose clauses of which each choice is barred by at least one: those that bar all, or one after the other.

    Args:
        barred: for each choice the clauses that bar it.
    """
    common = set.intersection(*map(set, barred)) if barred else set()
    chosen = set(common)
    for clauses in barred:
        if not chosen & set(clauses):
            chosen.add(clauses[0])
    return chosen
