"""Forms by brute force: every path, every allocation in every order, every subset.

Nothing here is shared with the other engines, and what they share (paths step by step, whether a statement counts) is
said here once more: it is the yardstick that they are held against.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from titm_rules.engines.naive.evaluate import PICKS, NaiveEvaluator
from titm_rules.engines.naive.routes import NaiveRoutes, common_place
from titm_rules.rules.model import Allocation, Form, Model, Roll, Route, Selection, Statement, head_key
from titm_rules.world.records import Mover, Place, Record, Value
from titm_rules.world.world import World

Given = Mapping[str, Any]


class NaiveEngine(NaiveRoutes):
    """Answers every question by trying all candidates; only for small situations."""

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self.world = world
        self.evaluator = NaiveEvaluator(model, world, self._trace_once, self.reach, self.result)
        self._known: dict[Any, Any] = {}  # what expressions asked of forms, for they ask the same again and again

    def elsewhere(self, world: World) -> NaiveEngine:
        """Give an engine of the same rules for another world."""
        return NaiveEngine(self.model, world)

    @property
    def course(self) -> None:
        """Nothing: whoever asks goes through the parts of events."""
        return None

    def term(self, term: Any, env: Given) -> Any:
        """Evaluate a term under some variables."""
        return self.evaluator.term(term, env)

    def decide(self, key: str, env: Given) -> Any:
        """Decide a head."""
        return self.evaluator.head(self.model.heads[key], env)

    def decide_about(self, key: str, *about: Value) -> Any:
        """Decide a head of what it is about, in the order of its parameters."""
        return self.decide(key, dict(zip((name for name, _ in self.model.heads[key].params), about, strict=True)))

    def said(self, key: str, env: Given) -> list[Statement]:
        """List the statements of a head that count."""
        return list(self.evaluator.alive(self.model.heads[key], env))

    def held(self, key: str, env: Given) -> Sequence[bool]:
        """Say of each statement of a head whether its condition holds."""
        return [self.evaluator.holds(one, env) for one in self.model.heads[key].statements]

    # ------------------------------------------------------------------ allocations
    def sequences(self, form: Allocation, given: Given) -> Iterator[tuple[tuple[Any, Any], ...]]:
        """Yield every legal sequence of (chooser, target), in every order that is allowed.

        A counter chooses as its number, from 0.
        """
        head = self.model.heads[head_key(form.name, "choose")]
        targets = self.term(form.targets, given)
        for order in self._orders(form, given):
            for picked in itertools.product(targets, repeat=len(order)):
                if self._is_legal(form, head, given, order, picked, targets):
                    yield tuple(zip(order, picked, strict=True))

    def allocations(self, form: Allocation, given: Given) -> dict[tuple[Any, ...], None]:
        """Collect the legal results as they are found: who picks whom (for counters: the sequences of targets)."""
        if form.chooser is None:
            return dict.fromkeys(tuple(target for _, target in pairs) for pairs in self.sequences(form, given))
        by_chooser = (tuple(sorted(pairs, key=lambda p: p[0].index_)) for pairs in self.sequences(form, given))
        return dict.fromkeys(by_chooser)

    def _orders(self, form: Allocation, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the orders in which choosers may choose: by rank, ties in every order."""
        if form.chooser is None:
            yield tuple(range(given[form.counter]))
            return
        choosers = self.term(form.choosers, given)
        ranks = {one: self.term(form.order, {**given, form.chooser[0]: one}) for one in choosers} if form.order else {}
        for order in itertools.permutations(choosers):
            if all(ranks.get(a, 0) >= ranks.get(b, 0) for a, b in itertools.pairwise(order)):
                yield order

    def _is_legal(self, form: Allocation, head: Any, given: Given, order: Any, picked: Any, targets: Any) -> bool:
        picks = dict.fromkeys(targets, 0)
        for chooser, target in zip(order, picked, strict=True):
            env = {**given, form.target[0]: target, PICKS: picks}
            if form.chooser is not None:
                env[form.chooser[0]] = chooser
            if self.evaluator.head(head, env):
                return False
            picks[target] += 1
        return True

    # ------------------------------------------------------------------ the common interface
    def count(self, form: Allocation | Selection, given: Given) -> int:
        """Count the legal choices."""
        return sum(1 for _ in self.choices(form, given))

    def choices(self, form: Allocation | Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield the legal choices."""
        if isinstance(form, Selection):
            yield from self.best(form, given)
        else:
            yield from self.allocations(form, given)

    def example(
        self, form: Allocation | Selection, given: Given, pick: tuple[Record | None, Record] | None
    ) -> tuple[Any, ...] | None:
        """Give a legal choice, with some pick in it if one is given: go through all of them."""
        for picked in self.choices(form, given):
            named = isinstance(form, Allocation) and form.chooser is not None
            pairs = picked if named else [(None, one) for one in picked]
            if pick is None or any(what is pick[1] and pick[0] in (None, who) for who, what in pairs):
                return picked
        return None

    def is_legal(self, form: Allocation | Selection, given: Given, picked: tuple[Any, ...]) -> bool:
        """Whether one choice is legal: whether it is among all of them."""
        if isinstance(form, Selection):
            return set(picked) in map(set, self.best(form, given)) and len(set(picked)) == len(picked)
        return tuple(picked) in self.allocations(form, given)

    def is_barred(
        self, form: Allocation, given: Given, chooser: Record, target: Record, picks: Mapping[Any, int]
    ) -> bool:
        """Whether a clause bars one pick, when each target was picked so often."""
        named = {} if form.chooser is None else {form.chooser[0]: chooser}
        env = {**given, **named, form.target[0]: target, PICKS: picks}
        return bool(self.evaluator.head(self.model.heads[head_key(form.name, "choose")], env))

    # ------------------------------------------------------------------ selections and rolls
    def selections(self, form: Selection, given: Given) -> Iterator[tuple[Any, ...]]:
        """Yield every legal set, members in the order of the situation."""
        head = self.model.heads[head_key(form.name, "choose")]
        members = self.term(form.members, given)
        for size in range(len(members) + 1):
            for picked in itertools.combinations(members, size):
                if not self.evaluator.head(head, {**given, form.picked[0]: list(picked)}):
                    yield picked

    def best(self, form: Selection, given: Given) -> list[tuple[Any, ...]]:
        """List the legal sets: of those that nothing bars the ones of the lowest rank, if sets have one."""
        legal = list(self.selections(form, given))
        if form.rank is None:
            return legal
        ranks = [self.term(form.rank, {**given, form.picked[0]: list(picked)}) for picked in legal]
        return [picked for picked, rank in zip(legal, ranks, strict=True) if rank == min(ranks)]

    def lowest(self, form: Selection, given: Given) -> int | None:
        """What the legal sets of a selection that prefers have least of; nothing if there are none."""
        ranks = [self.term(form.rank, {**given, form.picked[0]: list(one)}) for one in self.selections(form, given)]
        return min(ranks, default=None)

    def result(self, what: str, name: str, roles: Given) -> Any:
        """Say what the form of a name comes to; it is judged in the situation before the move."""
        if self.world.origin is not self.world:
            before = self.elsewhere(self.world.origin)
            return _twins(self.world, before.result(what, name, {r: _twins(before.world, v) for r, v in roles.items()}))
        key = (what, name, *((role, _key(value)) for role, value in roles.items()))
        if key not in self._known:
            self._known[key] = self._result(self.model.forms[name], what, roles)
        return self._known[key]

    def _trace_once(self, route: Route, mover: Mover, start: Place | None) -> int | None:
        key = (route.name, _key(mover), start)
        if key not in self._known:
            self._known[key] = self.trace(route, mover, start)
        found: int | None = self._known[key]
        return found

    def _counted_once(
        self, route: Route, mover: Mover, given: Given, start: Place
    ) -> list[tuple[Any, tuple[int, ...]]]:
        key = ("counted", route.name, _key(mover), start, *map(_key, given.values()))
        if key not in self._known:
            self._known[key] = self.counted(route, mover, given, start)
        found: list[tuple[Any, tuple[int, ...]]] = self._known[key]
        return found

    def _result(self, form: Form, what: str, roles: Given) -> Any:
        if isinstance(form, Route):
            return self._route_result(form, what, roles)
        assert isinstance(form, Allocation | Selection)
        if what == "best" and isinstance(form, Selection):
            return self.lowest(form, roles)
        if what != "some":
            return self.count(form, roles)
        chooser = form.chooser[0] if isinstance(form, Allocation) and form.chooser is not None else ""
        target = roles.get((form.target if isinstance(form, Allocation) else form.picked)[0])
        return self.example(form, roles, None if target is None else (roles.get(chooser), target)) is not None

    def _route_result(self, route: Route, what: str, roles: Given) -> Any:
        mover, given = roles[route.mover[0]], {name: roles[name] for name, _ in route.given}
        start = roles.get("start") or common_place(mover)
        if start is None or mover is None:
            return {"ends": [], "choices": 0}.get(what)
        if what == "ends":
            ends = self.ends(route, mover, given, start)
            return [place for place in self.world.places if place in ends]
        if what == "cost" and roles["end"] is start and not route.ranks:
            return 0 if self.stays(route, mover, given, start) else None
        if what == "cost":
            return self.ends(route, mover, given, start).get(roles["end"])
        if what in dict(route.counters):
            number = list(dict(route.counters)).index(what)
            found = self._counted_once(route, mover, given, start)
            return min((counts[number] for place, counts in found if place is roles["end"]), default=None)
        ways = self.ways(route, mover, given, start)
        if what == "choices":
            return len(ways)
        return self.first_rank(route, mover, given, ways)

    def roll(self, roll: Roll, env: Given) -> tuple[int, dict[str, int], int] | None:
        """Give factor, what is added to the die by name, and the highest die that succeeds."""
        highest = self.evaluator.last_face(roll, env)
        if highest is None:
            return None
        factor = self._head(roll.name, "factor", env)
        head = self.model.heads[head_key(roll.name, "adds")]
        added: dict[str, int] = {}
        for statement in self.evaluator.alive(head, env):
            value = self.evaluator.term(statement.value, env) if statement.value is not None else 0
            if value:
                added[statement.label] = added.get(statement.label, 0) + value
        return factor, added, highest


def _key(value: Value) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _twins(world: World, value: Value) -> Any:
    """Give what stands in a world for a record of another, or for a list of such; all else is the same."""
    if isinstance(value, list):
        return [_twins(world, one) for one in value]
    return world.twin(value) if isinstance(value, Record) else value
