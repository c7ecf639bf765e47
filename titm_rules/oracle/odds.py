"""The odds of an allocation whose picks are rolled for: exact chances of every loss.

What is rolled for a pick, and what a success does, the rules say where they declare the allocation. Dice are
independent, so that the losses of two targets are too, once the plan (who picked whom) is fixed.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.engines.engine import line, pairs_in
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation, Model, Question, Roll
from titm_rules.ir.terms import Term
from titm_rules.world import chance
from titm_rules.world.chance import Chances
from titm_rules.world.records import Record

# At most so many kinds of plan are compared; a plan that is named is judged in any case.
COMPARED = 10_000


@dataclass(frozen=True)
class Loss:
    """What one target may lose of the points that it has: entry k of `chances` (`has` + 1 entries) for a loss of k."""

    target: str
    has: int
    chances: Chances

    @property
    def expected(self) -> Fraction:
        return chance.mean(self.chances)

    @property
    def destroyed(self) -> Fraction:
        """The chance that it loses all it has."""
        return self.chances[self.has]


@dataclass(frozen=True)
class Odds:
    """The odds of one plan (who picks whom, as the protocol writes it), with the losses of all targets.

    `ways` counts the legal plans with these odds that differ only by pieces that the rules cannot tell apart, this one
    included; it is 1 for a plan that was named.
    """

    plan: str
    ways: int
    losses: tuple[Loss, ...]

    @cached_property
    def total(self) -> Chances:
        """The chances of the losses of all targets together, from none on."""
        return chance.total(loss.chances for loss in self.losses)

    @cached_property
    def expected(self) -> Fraction:
        """The expected loss of all targets together."""
        return sum((loss.expected for loss in self.losses), Fraction(0))

    def chance(self, lost: Mapping[str, int]) -> Fraction:
        """Give the chance that each target named loses exactly so much, whatever the others lose.

        Raises `InputError` for a target that is not there.
        """
        known = {loss.target: loss.chances for loss in self.losses}
        strange = [name for name in lost if name not in known]
        if strange:
            faults = [Fault(f"`{name}` is not a target", "", "", did_you_mean(name, known)) for name in strange]
            raise InputError(faults)
        if any(not 0 <= number < len(known[name]) for name, number in lost.items()):
            return Fraction(0)
        return prod((known[name][number] for name, number in lost.items()), start=Fraction(1))

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values; fractions are texts such as `3/10`."""
        targets = {
            loss.target: {
                "has": loss.has, "chances": list(map(str, loss.chances)),
                "expected": str(loss.expected), "destroyed": str(loss.destroyed),
            }
            for loss in self.losses
        }  # fmt: skip
        total = {"chances": list(map(str, self.total)), "expected": str(self.expected)}
        return {"plan": self.plan, "ways": self.ways, "targets": targets, "total": total}


@dataclass(frozen=True)
class Plans:
    """The legal plans: how many, and the best by expected loss; without `kinds` they are too many to compare."""

    count: int
    kinds: int | None
    best: tuple[Odds, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values."""
        return {"count": self.count, "kinds": self.kinds, "plans": [odds.to_dict() for odds in self.best]}


def odds_of_plan(asked: BoundQuestion) -> Odds | None:
    """Give the odds of the plan that a question of `check` is about; nothing if it is not legal.

    Raises `InputError` for a question about no plan that dice are rolled for.
    """
    table = ShotTable(asked, "choice")
    picked = asked.picked()
    if picked is None or not asked.engine.is_legal(table.form, table.given, picked):
        return None
    return table.odds(picked, 1)


def ranked_plans(asked: BoundQuestion, top: int) -> Plans:
    """Compare the legal plans that a question of `choices` is about.

    Plans of equal expected loss stand in the order of their texts; at most `top` are given with their odds. Raises
    `InputError` for a question about no plans that dice are rolled for.
    """
    table = ShotTable(asked, "choices")
    count = asked.engine.count(table.form, table.given)
    found = asked.engine.plans(table.form, table.given, COMPARED)
    if found is None:
        return Plans(count, None, ())
    ranked = ((-table.expected(picked), line(table.form, picked), picked, ways) for picked, ways in found)
    best = heapq.nsmallest(top, ranked, key=lambda one: one[:2])
    return Plans(count, len(found), tuple(table.odds(picked, ways) for _, _, picked, ways in best))


def chances_of_shots(asked: BoundQuestion) -> dict[tuple[str, str], tuple[int, Fraction]]:
    """Give the dice of every chooser at every target, by their ids, and the chance that a die succeeds.

    Whether a plan may have the shot is another question. Raises `InputError` as `ranked_plans`.
    """
    table = ShotTable(asked, "choices")
    choosers = asked.engine.term(table.form.choosers, table.given) if table.form.choosers is not None else ()
    return {(who.id, target.id): table.shot(who, target)[:2] for who in choosers for target in table.targets}


def rolling_questions(model: Model, ask: str) -> list[Question]:
    """List the questions that ask for `choices`, or for the check of a `choice`, that dice are rolled for."""
    shots = {name for name, form in model.forms.items() if isinstance(form, Allocation) and form.shot is not None}
    return [question for question in model.questions.values() if question.ask == ask and question.form in shots]


# One shot: its dice, the chance of each, and what a success takes.
_Shot = tuple[int, Fraction, int]


class ShotTable:
    """The dice of every pick of an allocation, each worked out once."""

    def __init__(self, asked: BoundQuestion, ask: str) -> None:
        """Bind the shots of the plans that a question asks for, or of the plan that it judges.

        Raises `InputError` for a question about no such plans.
        """
        known = [question.name for question in rolling_questions(asked.model, ask)]
        name = asked.question.name
        if name not in known:
            what = "judges no plan" if ask == "choice" else "lists no plans"
            fix = did_you_mean(name, known)
            raise bad(f"`{name}` {what} that dice are rolled for", "$.query", fix, "unknown-query")
        form, given = asked.choice_form()
        assert isinstance(form, Allocation)
        assert form.shot is not None
        self.form, self.given, self.engine, self.spec = form, given, asked.engine, form.shot
        roll = asked.model.forms[form.shot.roll.head]
        assert isinstance(roll, Roll)
        self.roll = roll
        self.targets: list[Any] = asked.engine.term(form.targets, given)
        self._shots: dict[Any, _Shot] = {}
        self._chances: dict[Any, tuple[Chances, Fraction]] = {}
        self._has = {target: max(0, self._number(form.shot.left, {form.target[0]: target})) for target in self.targets}

    def _number(self, term: Term, env: Mapping[str, Any]) -> int:
        return int(self.engine.term(term, {**self.given, **env}) or 0)

    def shot(self, who: Record | None, target: Record) -> _Shot:
        """Work out a shot; a roll that a clause bars has no dice."""
        key = (who, target)
        if key not in self._shots:
            env: dict[str, Record | None] = {self.form.target[0]: target}
            if self.form.chooser is not None:
                env[self.form.chooser[0]] = who
            names = [name for name, _ in self.roll.params]
            args = [self.engine.term(arg, {**self.given, **env}) for arg in self.spec.roll.args]
            rolled = self.engine.roll(self.roll, dict(zip(names, args, strict=True)))
            dice = max(0, self._number(self.spec.dice, env)) if rolled is not None else 0
            low, high = self.roll.low, self.roll.high
            hit = chance.share(self.roll.winning(rolled[2]), low, high) if rolled is not None else Fraction(0)
            self._shots[key] = (dice, hit, max(0, self._number(self.spec.loss, env)))
        return self._shots[key]

    def loss(self, target: Record, choosers: Iterable[Record | None]) -> Loss:
        """Give what a target may lose to the dice of some choosers."""
        has = self._has[target]
        return Loss(target.id, has, _loss(has, tuple(sorted(self.shot(who, target) for who in choosers))))

    def _lost(self, picked: tuple[Any, ...]) -> Iterable[tuple[Any, tuple[Chances, Fraction]]]:
        shots: defaultdict[Any, list[_Shot]] = defaultdict(list)
        for who, target in pairs_in(self.form, picked):
            shots[target].append(self.shot(who, target))
        for target in self.targets:
            key = (self._has[target], tuple(sorted(shots[target])))
            if key not in self._chances:
                chances = _loss(*key)
                self._chances[key] = chances, chance.mean(chances)
            yield target, self._chances[key]

    def expected(self, picked: tuple[Any, ...]) -> Fraction:
        return sum((mean for _, (_, mean) in self._lost(picked)), Fraction(0))

    def odds(self, picked: tuple[Any, ...], ways: int) -> Odds:
        losses = tuple(Loss(target.id, self._has[target], chances) for target, (chances, _) in self._lost(picked))
        return Odds(line(self.form, picked), ways, losses)


def _loss(has: int, shots: tuple[_Shot, ...]) -> Chances:
    found = chance.NONE
    for dice, hit, loss in shots:
        shot = chance.at_most(chance.times(chance.binomial(dice, hit), loss), has)
        found = chance.at_most(chance.plus(found, shot), has)
    return (*found, *[Fraction(0)] * (has + 1 - len(found)))
