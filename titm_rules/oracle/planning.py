"""Choices with conditions: which legal ones meet them, which of those are best, and why none does.

A reason why none does is a minimal unsatisfiable set of conditions and clauses, found by deletion: each is necessary.
"""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean, meant_name
from titm_rules.engines.engine import ChoiceTest, Picked, line, pairs_in
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation, Model, Question, Selection, head_key
from titm_rules.oracle.odds import ShotTable, rolling_questions
from titm_rules.oracle.replies import WORST, ReplyValue, reply_to
from titm_rules.syntax.conditions import (
    Best,
    ChoiceCondition,
    JoinedCondition,
    PickCondition,
    parse_best,
    parse_condition,
)
from titm_rules.world.evaluate import PICKS
from titm_rules.world.records import Record

MAX_FOUND = 50_000  # so many choices are counted
MAX_STATES = 20_000  # that the search for a reason visits
MAX_MEMBERS = 10  # of which every set is looked at for a reason
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
        against: the reply that values are reckoned against: `worst`, or a plan of the other side; empty without one.
        is_chance: whether values are chances.
    """

    count: int
    is_all: bool
    listed: tuple[FoundChoice, ...]
    conditions: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    is_explained: bool = True
    against: str = ""
    is_chance: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values; fractions are texts such as `3/10`."""
        plans = [
            {"plan": one.plan} | ({} if one.value is None else {"value": str(one.value)}) for one in self.listed
        ]
        told: dict[str, Any] = {"count": self.count, "complete": self.is_all, "plans": plans}
        told |= {"against": self.against} if self.against else {}
        if not self.count:
            why = {"conditions": list(self.conditions), "clauses": list(self.clauses)}
            told["why"] = why if self.is_explained else None
        return told


def choices_where(
    asked: BoundQuestion, where: Sequence[str], best: str = "", top: int = 10, against: str = "",
    at: tuple[str, str, str] = ("where", "best", "against"),
) -> FoundChoices:  # fmt: skip
    """Find the legal choices of a question that meet all conditions, and list some of them.

    What the choosers lose themselves depends on the reply of the other side: `against` is a plan of it, or `worst`.
    `at` are the places of the conditions, of what is best and of the reply in the input. Raises `InputError` for a
    question that asks for no choices, a bad condition, a name that the choice does not have, or too many choices to
    compare.
    """
    require_choices(asked.model, asked.question, "$.query")
    if gap := asked.gap:
        raise bad(f"{gap} is missing from the rules, and the choices depend on it", "$.query", kind="bad-value")
    problem = _Problem(asked)
    conditions = [(text, problem.conditions(text, f"{at[0]}[{number}]")) for number, text in enumerate(where)]
    tests = [one.test(problem.choosers, problem.is_named) for _, parts in conditions for one in parts]
    wanted = parse_best(best, at[1]) if best else None
    value = problem.value(wanted, against, at[1:]) if wanted is not None else None
    if against and not isinstance(value, ReplyValue):
        what, fix = "no reply of the other side matters here", "leave it out, or ask what is best for those who pick"
        raise bad(what, at[2], fix, "bad-value")
    found: list[tuple[Fraction | int, str, Fraction | None]] = []
    is_all = True
    for picked in problem.engine.choices_where(problem.form, problem.given, tests):
        if len(found) == MAX_FOUND:
            is_all = False
            break
        worth = None if value is None else value.of(picked)
        rank = 0 if worth is None or wanted is None else -worth if wanted.most else worth
        found.append((rank, line(problem.form, picked), worth))
    if wanted is not None and not is_all:
        what, why, fix = "too many choices to compare", f"limit: {MAX_FOUND}", "ask with more conditions"
        raise InputError([Fault(what, at[1], why, fix, kind="too-large")])
    if found:
        listed = tuple(FoundChoice(text, worth) for _, text, worth in heapq.nsmallest(top, found, key=itemgetter(0, 1)))
        is_chance = wanted is not None and wanted.what == "destroyed"
        return FoundChoices(len(found), is_all, listed, against=against, is_chance=is_chance)
    reason = Reason(problem, conditions).minimal()
    if reason is None:
        return FoundChoices(0, True, (), is_explained=False)
    return FoundChoices(0, True, (), *reason)


def lists_choices(model: Model, question: Question) -> bool:
    """Whether a question lists choices: who picks whom, or sets of members."""
    return isinstance(model.forms.get(question.listing[0]), Allocation | Selection)


def require_choices(model: Model, question: Question, path: str) -> None:
    """Raise `InputError` if a question, whose name is at `path`, lists no choices."""
    if not lists_choices(model, question):
        known = [one.name for one in model.questions.values() if lists_choices(model, one)]
        fix = did_you_mean(question.name, known)
        raise bad(f"`{question.name}` lists no choices", path, fix, "unknown-query")


Judge = Callable[[Sequence[int], Sequence[int]], bool | None]


class _Sum(NamedTuple):
    """What the picks of one target add up to: by chooser what its pick adds (None: a pick without a name)."""

    target: Any
    adds: Mapping[Record | None, int]
    number: int  # what it is compared with


@dataclass(frozen=True, eq=False)
class _Condition:
    """A condition as sums over picks, and a function of their least and greatest values: holds, does not, or unknown.

    No pick adds less than nothing, so that the sums of a part of the picks bound those of the whole.
    """

    sums: tuple[_Sum, ...]
    judge: Judge

    def test(self, choosers: Sequence[Record], is_named: bool) -> ChoiceTest:
        """Make a test of what those pick whose picks count."""
        who = [one for one in choosers if any(one in its.adds for its in self.sums)] if is_named else []
        sums = [(its.target, [its.adds.get(one, 0) for one in who], its.adds.get(None, 0)) for its in self.sums]

        def holds(row: PickRow) -> bool:
            values = [
                sum(add for add, one in zip(adds, row, strict=True) if one is target) if is_named
                else each * sum(one is target for one in row)
                for target, adds, each in sums
            ]  # fmt: skip
            return self.judge(values, values) is True

        return ChoiceTest(tuple(who) if is_named else None, holds)


class _Problem:
    """The choices that a question asks for, and the names that conditions may use."""

    def __init__(self, asked: BoundQuestion) -> None:
        self.asked, self.engine = asked, asked.engine
        self.form, self.given = asked.choice_form()
        form = self.form
        self.is_named = isinstance(form, Allocation) and form.chooser is not None
        self.choosers: list[Any] = []
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
    def conditions(self, text: str, path: str) -> list[_Condition]:
        """Parse a condition; what `and` joins becomes one each."""
        parsed = parse_condition(text, path)
        parts = parsed.parts if isinstance(parsed, JoinedCondition) and parsed.op == "all" else (parsed,)
        found = []
        for part in parts:
            sums: list[_Sum] = []
            judge = self._judge(part, sums, path)
            found.append(_Condition(tuple(sums), judge))
        return found

    def _judge(self, condition: ChoiceCondition, sums: list[_Sum], path: str) -> Judge:
        """Make the function of a condition, and add its sums to those there are."""
        match condition:
            case JoinedCondition(op="not", parts=(part,)):
                return _negated(self._judge(part, sums, path))
            case JoinedCondition(op=op, parts=parts):
                several = [self._judge(part, sums, path) for part in parts]
                return _every(several) if op == "all" else _negated(_every(list(map(_negated, several))))
            case PickCondition(chooser=who, target=name):
                if not self.is_named:
                    fix = f"write `{name} is picked`"
                    raise bad(f"nothing has the name `{cut(who)}` that could pick here", path, fix, "unknown-name")
                adds = {self._find(who, self.choosers, path): 1}
                sums.append(_Sum(self._find(name, self.targets, path), adds, 1))
                return _compared(len(sums) - 1, ">=", 1)
        target = self._find(condition.target, self.targets, path)
        pickers: Sequence[Any] = self.choosers if self.is_named else (None,)
        if condition.what == "picks":
            adds = dict.fromkeys(pickers, 1)
        else:
            shots = self._shots(path)
            adds = {who: shots.shot(who, target)[0] for who in pickers}
        sums.append(_Sum(target, adds, condition.number))
        return _compared(len(sums) - 1, condition.op, condition.number)

    # ------------------------------------------------------------------ what is best
    def value(self, best: Best, against: str, at: Sequence[str]) -> _Value | ReplyValue:
        """Make the value of choices by what targets lose to them, or choosers to the reply."""
        choosers = {one.id for one in self.choosers}
        known = {name: meant_name(name, [*choosers, *(one.id for one in self.targets)], at[0]) for name in best.targets}
        own = [name for name, identity in known.items() if identity in choosers]
        if not own:
            names = [self._find(name, self.targets, at[0]) for name in best.targets]
            return _Value(self._shots(at[0]), best, names or self.targets)
        if len(own) < len(known):
            raise bad("those that are named are of both sides", at[0], "name units of one side", "bad-value")
        reply = reply_to(self.asked)
        if reply is None:
            fix = did_you_mean(own[0], [one.id for one in self.targets])
            what, why = f"no `{cut(own[0])}` can be picked here", "it picks, and no reply to that is known"
            raise bad(what, at[0], fix, "unknown-name", why)
        if not against:
            why, fix = "it picks; what it loses depends on the reply of the other side", f"name a reply, or `{WORST}`"
            raise bad("against which reply?", at[1], fix, "missing-field", why)
        wanted = replace(best, targets=tuple(known.values()))
        value = ReplyValue(self.asked, self._shots(at[0]), reply, wanted, at[1])
        if against != WORST:
            value.state(against)
        return value


def _compared(at: int, op: str, number: int) -> Judge:
    compare = _OPERATORS[op]

    def judge(low: Sequence[int], high: Sequence[int]) -> bool | None:
        first = compare(low[at], number)
        if low[at] == high[at]:
            return first
        last = compare(high[at], number)
        if op == "==":
            return None if low[at] <= number <= high[at] else False
        return first if first is last else None

    return judge


def _negated(judge: Judge) -> Judge:
    def negated(low: Sequence[int], high: Sequence[int]) -> bool | None:
        its = judge(low, high)
        return None if its is None else not its

    return negated


def _every(several: Sequence[Judge]) -> Judge:
    def every(low: Sequence[int], high: Sequence[int]) -> bool | None:
        found: bool | None = True
        for judge in several:
            its = judge(low, high)
            if its is False:
                return False
            if its is None:
                found = None
        return found

    return every


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

    def __init__(self, problem: _Problem, conditions: Sequence[tuple[str, Sequence[_Condition]]]) -> None:
        self.problem, self.conditions = problem, conditions
        self._head = problem.asked.model.heads[head_key(problem.form.name, "choose")]
        self._barring: dict[Any, frozenset[str]] = {}
        self._left = MAX_STATES

    def minimal(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the conditions and the clauses, each in its order; None if that takes too long."""
        numbers = list(range(len(self.conditions)))
        clauses = list(dict.fromkeys(statement.clause for statement in self._head.statements))
        whole: list[int | str] = [*numbers, *clauses]
        try:
            if not self._has_choice(numbers):
                kept = self._shrunk(whole[: len(numbers)], numbers)
            elif self._has_choice(whole):
                return None  # what leaves none is not a clause on the choice
            else:
                kept = self._shrunk(self._shrunk(whole, numbers), clauses)
            while any(not self._has_choice(without := [other for other in kept if other != one]) for one in kept):
                kept = without  # where some choices are preferred, what is legal decides which
        except TooLarge:
            return None
        texts = tuple(self.conditions[one][0] for one in kept if isinstance(one, int))
        return texts, tuple(one for one in kept if isinstance(one, str))

    def _shrunk(self, kept: list[int | str], some: Sequence[int | str]) -> list[int | str]:
        """Take away as many of some members as leave no choice, half of them at once where that can be."""
        for part in (some[: len(some) // 2], some[len(some) // 2 :]):
            without = [one for one in kept if one not in part]
            if part and not self._has_choice(without):
                kept = without
            elif len(part) > 1:
                kept = self._shrunk(kept, part)
        return kept

    def _has_choice(self, kept: Sequence[int | str]) -> bool:
        conditions = [part for one in kept if isinstance(one, int) for part in self.conditions[one][1]]
        clauses = frozenset(one for one in kept if isinstance(one, str))
        form = self.problem.form
        if isinstance(form, Selection):
            return self._has_set(form, [one.test((), is_named=False) for one in conditions], clauses)
        return self._has_allocation(form, conditions, clauses)

    def _has_set(self, form: Selection, tests: Sequence[ChoiceTest], clauses: frozenset[str]) -> bool:
        members = self.problem.targets
        if len(members) > MAX_MEMBERS:
            raise TooLarge
        sets = chain.from_iterable(combinations(members, size) for size in range(len(members) + 1))
        named = ((one, {form.picked[0]: list(one)}) for one in sets)
        legal = [(one, env) for one, env in named if not clauses or not self._bars(one, env) & clauses]
        rank, given = form.rank, self.problem.given
        ranks = [self.problem.engine.term(rank, {**given, **env}) if rank is not None else 0 for _, env in legal]
        best = [one for (one, _), its in zip(legal, ranks, strict=True) if its == min(ranks)]
        return any(all(test.holds(one) for test in tests) for one in best)

    def _bars(self, key: Hashable, named: dict[str, Any]) -> frozenset[str]:
        if key not in self._barring:
            said = self.problem.engine.said(self._head.key, {**self.problem.given, **named})
            self._barring[key] = frozenset(statement.clause for statement in said)
        return self._barring[key]

    def _has_allocation(self, form: Allocation, conditions: Sequence[_Condition], clauses: frozenset[str]) -> bool:
        """Search for an allocation depth first, in every order of equals, within the bounds of the sums.

        Of choosers, targets and states that neither the clauses nor the sums tell apart one is tried.
        """
        problem, targets, ranks = self.problem, self.problem.targets, self._ranks(form)
        pickers: Sequence[Any] = problem.choosers if problem.is_named else [None] * len(ranks)
        sums = [its for one in conditions for its in one.sums]
        starts = [sum(len(one.sums) for one in conditions[:number]) for number in range(len(conditions))]
        spans = [
            (one.judge, slice(start, start + len(one.sums))) for one, start in zip(conditions, starts, strict=True)
        ]
        adds = [tuple([its.adds.get(who, 0) for its in sums]) for who in pickers]
        kinds = [(self._keys[0].get(who), adds[at]) for at, who in enumerate(pickers)]
        meant = [tuple([number for number, its in enumerate(sums) if its.target is target]) for target in targets]
        classes = [(meant[place], self._keys[1][target]) for place, target in enumerate(targets)]
        numbers = [classes.index(one) for one in classes]
        most = [its.number + 1 for its in sums]  # what is more than it is compared with is all the same
        seen: set[Any] = set()

        def search(left: tuple[int, ...], counts: tuple[int, ...], low: tuple[int, ...]) -> bool:
            state = left, tuple(sorted(zip(numbers, counts, strict=True))), low
            if state in seen:
                return False
            seen.add(state)
            self._left -= 1
            if self._left < 0:
                raise TooLarge
            high = [least + sum([adds[at][number] for at in left]) for number, least in enumerate(low)]
            if any(judge(low[span], high[span]) is False for judge, span in spans):
                return False
            if not left:
                return True
            tried = set[Any]()
            for number, at in enumerate(left):
                if ranks[at] != ranks[left[0]] or (tried and not clauses):  # without clauses the order means nothing
                    break
                if kinds[at] in tried:
                    continue
                tried.add(kinds[at])
                rest = left[:number] + left[number + 1 :]
                same = set[Any]()
                for place, target in enumerate(targets):
                    if (numbers[place], counts[place]) in same:
                        continue
                    same.add((numbers[place], counts[place]))
                    if clauses and self._pick_bars(form, pickers[at], target, counts) & clauses:
                        continue
                    after = list(low)
                    for one in meant[place]:
                        after[one] = min(after[one] + adds[at][one], most[one])
                    if search(rest, (*counts[:place], counts[place] + 1, *counts[place + 1 :]), tuple(after)):
                        return True
            return False

        order = sorted(range(len(ranks)), key=ranks.__getitem__)
        return search(tuple(order), (0,) * len(targets), (0,) * len(sums))

    def _ranks(self, form: Allocation) -> list[int]:
        """Give for each chooser its turn: those of the least number choose first."""
        problem = self.problem
        if form.chooser is None:
            return list(range(problem.given[form.counter]))
        if form.order is None:
            return [0] * len(problem.choosers)
        name = form.chooser[0]
        return [-problem.engine.term(form.order, {**problem.given, name: one}) for one in problem.choosers]

    @cached_property
    def _keys(self) -> tuple[dict[Any, int], dict[Any, int]]:
        """Numbers of the choosers and of the targets, the same for those that clauses do not tell apart."""
        problem, form = self.problem, self.problem.form
        assert isinstance(form, Allocation)
        choosers, targets = problem.engine.pick_keys(form, problem.choosers, problem.targets)
        return (
            {one: choosers.index(key) for one, key in zip(problem.choosers, choosers, strict=True)},
            {one: targets.index(key) for one, key in zip(problem.targets, targets, strict=True)},
        )

    def _pick_bars(
        self, form: Allocation, who: Record | None, target: Record, counts: tuple[int, ...]
    ) -> frozenset[str]:
        (choosers, kinds), targets = self._keys, self.problem.targets
        cells = [(kinds[one], count) for one, count in zip(targets, counts, strict=True)]
        key = choosers.get(who), cells[targets.index(target)], tuple(sorted(cells))
        found = self._barring.get(key)
        if found is None:
            named = {} if form.chooser is None else {form.chooser[0]: who}
            picks = dict(zip(targets, counts, strict=True))
            found = self._bars(key, {**named, form.target[0]: target, PICKS: picks})
        return found
