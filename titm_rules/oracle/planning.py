"""FoundChoices with conditions: which legal ones meet them, which of those are best, and why none does.

A reason why none does is a minimal unsatisfiable set of conditions and clauses, found by deletion: each is necessary.
"""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import prod
from typing import Any

from titm_rules.diagnostics import cut, did_you_mean, meant_name
from titm_rules.engines.engine import ChoiceTest, Picked, hashable, line, pairs_in
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation, Model, Question, Selection, head_key
from titm_rules.oracle.odds import ShotTable, rolling_questions
from titm_rules.syntax.conditions import (
    Best,
    ChoiceCondition,
    CountCondition,
    JoinedCondition,
    PickCondition,
    parse_best,
    parse_condition,
)
from titm_rules.world.evaluate import PICKS
from titm_rules.world.records import Record

MAX_FOUND = 50_000  # so many choices are counted
MAX_STATES = 100_000  # that the search for a reason visits, for each set that it tries
MAX_MEMBERS = 14  # of which every set is looked at for a reason
_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq,
}  # fmt: skip
PickRow = Sequence[Any]  # what the choosers pick, in their order; the picks of counters; the members of a set


@dataclass(frozen=True)
class FoundChoice:
    """A legal choice, as the protocol writes it, and its value if the best were asked for."""

    plan: str
    value: Fraction | None


@dataclass(frozen=True)
class FoundChoices:
    """The legal choices that meet some conditions.

    Attributes:
        count: how many there are; if not `is_all`, there are more.
        is_all: whether all were counted.
        listed: the first in the order of their texts, or the best.
        conditions: those that cannot be met together, as they were given; none if there is a choice.
        clauses: the clauses that with them leave no choice. Of both each is necessary.
        is_explained: whether such a reason was found, if there is no choice; it may be too large to look for.
    """

    count: int
    is_all: bool
    listed: tuple[FoundChoice, ...]
    conditions: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    is_explained: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values; fractions are texts such as `3/10`."""
        plans = [
            {"plan": one.plan} | ({} if one.value is None else {"value": str(one.value)}) for one in self.listed
        ]
        told: dict[str, Any] = {"count": self.count, "complete": self.is_all, "plans": plans}
        if not self.count:
            why = {"conditions": list(self.conditions), "clauses": list(self.clauses)}
            told["why"] = why if self.is_explained else None
        return told


def choices_where(
    asked: BoundQuestion, where: Sequence[str], best: str = "", top: int = 10, at: tuple[str, str] = ("where", "best")
) -> FoundChoices:
    """Find the legal choices of a question that meet all conditions, and list some of them.

    `at` are the places of the conditions and of what is best in the input. Raises `InputError` for a question that
    asks for no choices, a bad condition, a name that the choice does not have, or too many choices to compare.
    """
    require_choices(asked.model, asked.question, "$.query")
    problem = _Problem(asked)
    tests = [test for number, text in enumerate(where) for test in problem.tests(text, f"{at[0]}[{number}]")]
    value = problem.value(parse_best(best, at[1]), at[1]) if best else None
    found: list[tuple[Fraction | int, str, Picked]] = []
    is_all = True
    for picked in problem.engine.choices_where(problem.form, problem.given, tests):
        if len(found) == MAX_FOUND:
            is_all = False
            break
        found.append((0 if value is None else value.rank(picked), line(problem.form, picked), picked))
    listed = tuple(
        FoundChoice(text, None if value is None else value.of(picked))
        for _, text, picked in heapq.nsmallest(top, found, key=lambda one: one[:2])
    )
    if found:
        return FoundChoices(len(found), is_all, listed)
    reason = Reason(problem, [(text, problem.tests(text, "")) for text in where]).minimal()
    if reason is None:
        return FoundChoices(0, True, (), is_explained=False)
    return FoundChoices(0, True, (), *reason)


def require_choices(model: Model, question: Question, path: str) -> None:
    """Raise `InputError` if a question, whose name is at `path`, lists no choices."""
    if question.ask != "choices":
        known = [one.name for one in model.questions.values() if one.ask == "choices"]
        fix = did_you_mean(question.name, known)
        raise bad(f"`{question.name}` lists no choices", path, fix, "unknown-query")


class _Problem:
    """The choices that a question asks for, and the names that conditions may use."""

    def __init__(self, asked: BoundQuestion) -> None:
        self.asked, self.engine = asked, asked.engine
        self.form, self.given = asked.choice_form()
        form = self.form
        self.is_named = isinstance(form, Allocation) and form.chooser is not None
        self.choosers: list[Any] = []
        self._alike: dict[Record, tuple[Any, ...]] = {}
        if isinstance(form, Allocation):
            self.targets: list[Any] = list(self.engine.term(form.targets, self.given))
            if form.choosers is not None:
                choosers: list[Any] = self.engine.term(form.choosers, self.given)
                self.choosers = sorted(choosers, key=lambda one: one.index_)
        else:
            self.targets = list(self.engine.term(form.members, self.given))

    @cached_property
    def shots(self) -> ShotTable | None:
        """The dice of each pick; none if none are thrown for it."""
        is_rolled = self.asked.question in rolling_questions(self.asked.model, "choices")
        return ShotTable(self.asked, "choices") if is_rolled else None

    def row(self, picked: Picked) -> PickRow:
        return [target for _, target in picked] if self.is_named else picked

    def likeness(self, who: Record | None) -> tuple[Any, ...]:
        """Return a key that is the same for choosers who differ in their names alone."""
        if who is None:
            return ()
        if who not in self._alike:
            fields = self.asked.model.records[who.record_].fields
            self._alike[who] = tuple(hashable(getattr(who, one.name)) for one in fields if one.json != "id")
        return self._alike[who]

    # ------------------------------------------------------------------ names
    def _find(self, name: str, records: Sequence[Any], path: str) -> Any:
        known = [one.id for one in records]
        identity = meant_name(name, known, path)
        found = next((one for one in records if one.id == identity), None)
        if found is None:
            who = "picks" if records is self.choosers else "can be picked"
            raise bad(f"no `{cut(name)}` {who} here", path, did_you_mean(name, known), "unknown-name")
        return found

    def _shots(self, path: str) -> ShotTable:
        if self.shots is None:
            why = f"`{self.asked.question.name}` lists choices without dice"
            raise bad("no dice are thrown for these choices", path, "leave out what asks for dice", "bad-value", why)
        return self.shots

    # ------------------------------------------------------------------ conditions
    def tests(self, text: str, path: str) -> list[ChoiceTest]:
        """Parse a condition; what `and` joins becomes a test each."""
        parsed = parse_condition(text, path)
        parts = parsed.parts if isinstance(parsed, JoinedCondition) and parsed.op == "all" else (parsed,)
        return [self._test(part, path) for part in parts]

    def _test(self, condition: ChoiceCondition, path: str) -> ChoiceTest:
        names = dict.fromkeys(_choosers(condition))
        if not self.is_named or names.keys() == {None}:
            return ChoiceTest(None, self._function(condition, (), path))
        known = [self._find(name, self.choosers, path) for name in names if name]
        choosers = self.choosers if None in names or "" in names else known
        return ChoiceTest(tuple(choosers), self._function(condition, choosers, path))

    def _function(self, condition: ChoiceCondition, choosers: Sequence[Any], path: str) -> Callable[[PickRow], bool]:
        """Make a function of what some choosers pick."""
        match condition:
            case JoinedCondition(op="not", parts=(part,)):
                inner = self._function(part, choosers, path)
                return lambda row: not inner(row)
            case JoinedCondition(op=op, parts=parts):
                several = [self._function(part, choosers, path) for part in parts]
                join: Callable[[Iterator[bool]], bool] = all if op == "all" else any
                return lambda row: join(one(row) for one in several)
            case PickCondition(chooser=who, target=name):
                if not self.is_named:
                    fix = f"write `{name} is picked`"
                    raise bad(f"nothing has the name `{cut(who)}` that could pick here", path, fix, "unknown-name")
                at, target = choosers.index(self._find(who, self.choosers, path)), self._find(name, self.targets, path)
                return lambda row: row[at] is target
        target = self._find(condition.target, self.targets, path)
        compare, number = _OPERATORS[condition.op], condition.number
        if condition.what == "picks":
            return lambda row: compare(sum(one is target for one in row), number)
        shots = self._shots(path)
        if self.is_named and not choosers:
            return lambda _: compare(0, number)
        dice = [shots.shot(who, target)[0] for who in choosers or (None,)]
        if not choosers:
            return lambda row: compare(dice[0] * sum(one is target for one in row), number)
        return lambda row: compare(sum(n for n, one in zip(dice, row, strict=True) if one is target), number)

    # ------------------------------------------------------------------ what is best
    def value(self, best: Best, path: str) -> _Value:
        names = [self._find(name, self.targets, path) for name in best.targets]
        return _Value(self._shots(path), best, names or self.targets)


def _choosers(condition: ChoiceCondition) -> Iterator[str | None]:
    """Yield the names of the choosers whose picks decide a condition: "" for all, None if only how many pick does."""
    match condition:
        case JoinedCondition(parts=parts):
            yield from chain.from_iterable(map(_choosers, parts))
        case PickCondition(chooser=who):
            yield who
        case CountCondition(what=what):
            yield None if what == "picks" else ""


class _Value:
    """The value of choices: the chance that some targets are all destroyed, or what they lose on average."""

    def __init__(self, shots: ShotTable, best: Best, targets: Sequence[Any]) -> None:
        self._shots, self._best, self._targets = shots, best, targets
        self._known: dict[Any, Fraction] = {}

    def of(self, picked: Picked) -> Fraction:
        pairs = pairs_in(self._shots.form, picked)
        choosers = ((target, tuple([who for who, one in pairs if one is target])) for target in self._targets)
        values = (self._of_target(target, those) for target, those in choosers)
        return prod(values, start=Fraction(1)) if self._best.what == "destroyed" else sum(values, Fraction(0))

    def rank(self, picked: Picked) -> Fraction:
        """Rank a choice; the best has the least."""
        value = self.of(picked)
        return -value if self._best.most else value

    def _of_target(self, target: Record, choosers: tuple[Any, ...]) -> Fraction:
        key = target, choosers
        if key not in self._known:
            loss = self._shots.loss(target, choosers)
            self._known[key] = loss.destroyed if self._best.what == "destroyed" else loss.expected
        return self._known[key]


# ---------------------------------------------------------------------- why there is none
class TooLarge(Exception):
    """A search has visited too many states."""


class Reason:
    """Finds a minimal set of conditions and clauses that leave no choice.

    Only the clauses on the choice itself are tried, each with what it lifts left in force: those that say who chooses,
    and what can be chosen, are not among them.
    """

    def __init__(self, problem: _Problem, conditions: Sequence[tuple[str, Sequence[ChoiceTest]]]) -> None:
        self.problem, self.conditions = problem, conditions
        self._head = problem.asked.model.heads[head_key(problem.form.name, "choose")]
        self._barring: dict[Any, frozenset[str]] = {}

    def minimal(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the conditions and the clauses, each in its order; None if that takes too long."""
        clauses = list(dict.fromkeys(statement.clause for statement in self._head.statements))
        kept: list[int | str] = [*range(len(self.conditions)), *clauses]
        try:
            if self._has_choice(kept):
                return None  # what leaves none is not a clause on the choice
            for one in [*clauses, *range(len(self.conditions))]:
                without = [other for other in kept if other != one]
                if not self._has_choice(without):
                    kept = without
        except TooLarge:
            return None
        texts = tuple(self.conditions[one][0] for one in kept if isinstance(one, int))
        return texts, tuple(one for one in kept if isinstance(one, str))

    def _has_choice(self, kept: Sequence[int | str]) -> bool:
        tests = [test for one in kept if isinstance(one, int) for test in self.conditions[one][1]]
        clauses = frozenset(one for one in kept if isinstance(one, str))
        form = self.problem.form
        if isinstance(form, Selection):
            return self._has_set(form, tests, clauses)
        return self._has_allocation(form, tests, clauses)

    def _has_set(self, form: Selection, tests: Sequence[ChoiceTest], clauses: frozenset[str]) -> bool:
        members = self.problem.targets
        if len(members) > MAX_MEMBERS:
            raise TooLarge
        sets = chain.from_iterable(combinations(members, size) for size in range(len(members) + 1))
        named = ((one, {form.picked[0]: list(one)}) for one in sets)
        legal = [(one, env) for one, env in named if not self._bars(one, env) & clauses]
        rank, given = form.rank, self.problem.given
        ranks = [self.problem.engine.term(rank, {**given, **env}) if rank is not None else 0 for _, env in legal]
        best = [one for (one, _), its in zip(legal, ranks, strict=True) if its == min(ranks)]
        return any(all(test.holds(one) for test in tests) for one in best)

    def _bars(self, key: Hashable, named: dict[str, Any]) -> frozenset[str]:
        if key not in self._barring:
            said = self.problem.engine.said(self._head.key, {**self.problem.given, **named})
            self._barring[key] = frozenset(statement.clause for statement in said)
        return self._barring[key]

    def _has_allocation(self, form: Allocation, tests: Sequence[ChoiceTest], clauses: frozenset[str]) -> bool:
        """Search for an allocation depth first, in every order; states that tests cannot tell apart are seen once."""
        problem = self.problem
        choosers, targets, ranks = problem.choosers, problem.targets, self._ranks(form)
        open_to = {
            who: [one for one in targets if all(holds([one]) for those, holds in tests if those == (who,))]
            for who in (choosers or [None])
        }
        last = [(those, holds) for those, holds in tests if those is None or len(those) > 1]
        read = [at for at, who in enumerate(choosers) if any(who in (those or ()) for those, _ in last)]
        row: list[Any] = [None] * len(ranks)
        seen: set[Any] = set()

        def search(left: tuple[int, ...], counts: tuple[int, ...]) -> bool:
            if not left:
                picks = dict(zip(choosers, row, strict=True)) if problem.is_named else {}
                return all(holds(row if those is None else [picks[who] for who in those]) for those, holds in last)
            key = left, counts, tuple([row[at] for at in read])
            if key in seen:
                return False
            seen.add(key)
            if len(seen) > MAX_STATES:
                raise TooLarge
            turn, tried = ranks[left[0]], set()
            for number, at in enumerate(left):
                if ranks[at] != turn:
                    break
                who = choosers[at] if choosers else None
                alike = at if at in read or who is None else (problem.likeness(who), *map(id, open_to[who]))
                if alike in tried:  # of choosers that differ in their names alone the first chooses first
                    continue
                tried.add(alike)
                rest = left[:number] + left[number + 1 :]
                for target in open_to[who]:
                    if not self._pick_bars(form, who, target, counts) & clauses:
                        row[at] = target
                        place = places[target]
                        if search(rest, (*counts[:place], counts[place] + 1, *counts[place + 1 :])):
                            return True
                row[at] = None
            return False

        places = {target: number for number, target in enumerate(targets)}
        order = sorted(range(len(ranks)), key=ranks.__getitem__)
        return search(tuple(order), (0,) * len(targets))

    def _ranks(self, form: Allocation) -> list[int]:
        """Give for each chooser its turn: those of the least number choose first."""
        problem = self.problem
        if form.chooser is None:
            return list(range(problem.given[form.counter]))
        if form.order is None:
            return [0] * len(problem.choosers)
        name = form.chooser[0]
        return [-problem.engine.term(form.order, {**problem.given, name: one}) for one in problem.choosers]

    def _pick_bars(
        self, form: Allocation, who: Record | None, target: Record, counts: tuple[int, ...]
    ) -> frozenset[str]:
        key = self.problem.likeness(who), target, counts
        found = self._barring.get(key)
        if found is None:
            named = {} if form.chooser is None else {form.chooser[0]: who}
            picks = dict(zip(self.problem.targets, counts, strict=True))
            found = self._bars(key, {**named, form.target[0]: target, PICKS: picks})
        return found
