"""The orders in which an allocation can have been chosen, and what bars each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from titm_rules.engines.engine import Engine
from titm_rules.rules.model import Allocation, head_key
from titm_rules.world.evaluate import PICKS

Pair = tuple[Any, Any]
MAX_TRIES = 500


@dataclass(frozen=True)
class OrderedPick:
    """One pick of an order: who picks whom, what a clause may ask of it, and the clauses that bar it."""

    pair: Pair
    env: Mapping[str, Any]
    barred: tuple[str, ...] = ()


class Orders:
    """Finds orders in which choosers chose; those of a higher rank chose before those of a lower one."""

    def __init__(self, engine: Engine, form: Allocation, given: Mapping[str, Any]) -> None:
        self.engine, self.form, self.given = engine, form, given
        self._known: dict[tuple[Pair, frozenset[Pair]], tuple[str, ...]] = {}

    def best(self, pairs: Sequence[Pair]) -> list[OrderedPick]:
        """Find an order that no clause bars; if none is found, one that is barred late."""
        order: list[Pair] = []
        for group in self._ranks(pairs):
            order += self._ordered(order, group, lambda _: True) or self._greedy(order, group)
        return list(self._turns(order))

    def avoiding(self, pairs: Sequence[Pair], cited: frozenset[str]) -> list[OrderedPick] | None:
        """Find an order of which no pick is barred by one of these clauses; nothing if all are."""
        order: list[Pair] = []
        for group in self._ranks(pairs):
            found = self._ordered(order, group, lambda clauses: bool(cited & set(clauses)))
            if found is None:
                return None
            order += found
        return list(self._turns(order))

    def _ranks(self, pairs: Sequence[Pair]) -> list[list[Pair]]:
        """Group the pairs by the rank of their choosers, first to choose first."""
        if self.form.chooser is None:
            return [[pair] for pair in pairs]
        name, order = self.form.chooser[0], self.form.order
        rank = {who: self.engine.term(order, {**self.given, name: who}) if order else 0 for who, _ in pairs}
        ranks = sorted(set(rank.values()), reverse=True)
        return [[pair for pair in pairs if rank[pair[0]] == value] for value in ranks]

    def _ordered(
        self, before: list[Pair], group: list[Pair], stops: Callable[[tuple[str, ...]], bool]
    ) -> list[Pair] | None:
        """Order a group so that no pick is barred by clauses that count; give up after a number of tries."""
        failed: set[frozenset[Pair]] = set()

        def search(done: list[Pair], left: tuple[Pair, ...]) -> list[Pair] | None:
            key = frozenset(left)
            if not left or key in failed or len(failed) > MAX_TRIES:
                return [] if not left else None
            for number, pair in enumerate(left):
                clauses = self._barring(pair, [*before, *done])
                if clauses and stops(clauses):
                    continue
                rest = search([*done, pair], (*left[:number], *left[number + 1 :]))
                if rest is not None:
                    return [pair, *rest]
            failed.add(key)
            return None

        return search([], tuple(group))

    def _greedy(self, before: list[Pair], group: list[Pair]) -> list[Pair]:
        """Let those choose first whom nothing bars."""
        left, done = list(group), list[Pair]()
        while left:
            pair = next((one for one in left if not self._barring(one, [*before, *done])), left[0])
            left.remove(pair)
            done.append(pair)
        return done

    def _barring(self, pair: Pair, done: Sequence[Pair]) -> tuple[str, ...]:
        """Name the clauses that bar a pick after others."""
        key = (pair, frozenset(done))
        if key not in self._known:
            self._known[key] = self._asked(pair, done)
        return self._known[key]

    def _asked(self, pair: Pair, done: Sequence[Pair]) -> tuple[str, ...]:
        picks = _tally(done)
        if not self.engine.is_barred(self.form, self.given, *pair, picks):
            return ()
        said = self.engine.said(head_key(self.form.name, "choose"), self._env(pair, picks))
        return tuple(dict.fromkeys(statement.clause for statement in said))

    def _env(self, pair: Pair, picks: Mapping[Any, int]) -> dict[str, Any]:
        who, target = pair
        chooser = {} if self.form.chooser is None else {self.form.chooser[0]: who}
        return {**self.given, self.form.target[0]: target, PICKS: picks, **chooser}

    def _turns(self, order: Sequence[Pair]) -> Iterator[OrderedPick]:
        """Yield the picks of an order."""
        for number, pair in enumerate(order):
            done = order[:number]
            yield OrderedPick(pair, self._env(pair, _tally(done)), self._barring(pair, done))


def _tally(order: Sequence[Pair]) -> dict[Any, int]:
    """Count how often each target was picked."""
    picks: dict[Any, int] = {}
    for _, target in order:
        picks[target] = picks.get(target, 0) + 1
    return picks
