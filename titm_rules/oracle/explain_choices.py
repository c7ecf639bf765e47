"""Reasons for allocations, selections and rolls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from titm_rules.model.model import Allocation, Roll, Selection, head_key
from titm_rules.naive.evaluate import PICKS
from titm_rules.oracle.answer import Asked, line
from titm_rules.oracle.findings import Reasons

Told = tuple[Mapping[str, Any], Mapping[str, Any]]
MAX_TRIES = 500
MAX_REFUSED = 60
MAX_LISTED = 50_000


def explain_choice(
    asked: Asked, answer: Mapping[str, Any], reasons: Reasons, picked: tuple[Any, ...] | None = None
) -> Told:
    """Replay an allocation in its best order, or judge a set; give the nearest legal one."""
    form, given = asked.choice_form()
    picked = asked.picked() if picked is None else picked
    if picked is None:
        return {"why": "every one of the side that chooses must choose, each once"}, _nearest(asked, form, given, ())
    if isinstance(form, Selection):
        reasons.head(head_key(form.name, "choose"), {**given, form.picked[0]: list(picked)})
        witness: dict[str, Any] = {}
    else:
        pairs = picked if form.chooser is not None else tuple(enumerate(picked))
        order = _best_order(asked, form, given, pairs)
        witness = {"order": [_shown(form, pair) for pair in order]}
        _replay(reasons, form, given, order)
    return witness, ({} if answer["legal"] else _nearest(asked, form, given, picked))


def explain_choices(asked: Asked, answer: Mapping[str, Any], reasons: Reasons) -> Told:
    """Tell whom each chooser may pick in some legal allocation, and what forbids the others."""
    form, given = asked.choice_form()
    if not isinstance(form, Allocation) or not 0 < answer["count"] <= MAX_LISTED:
        return {}, {}
    listed = asked.engine.choices(form, given)
    legal = [one if form.chooser is not None else tuple(enumerate(one)) for one in listed]
    may: dict[Any, dict[Any, None]] = {}
    for one in legal:
        for who, target in one:
            may.setdefault(who, {})[target] = None
    targets = asked.engine.term(form.targets, given)
    refused = [(who, target) for who, allowed in may.items() for target in targets if target not in allowed]
    for who, target in refused[:MAX_REFUSED]:
        swapped = tuple((w, target if w is who else t) for w, t in legal[0])
        _replay(reasons, form, given, _best_order(asked, form, given, swapped), (who, target))
    shown = {str(getattr(who, "id", who)): sorted(target.id for target in allowed) for who, allowed in may.items()}
    return {"may": shown}, {}


def explain_roll(asked: Asked, reasons: Reasons) -> Told:
    """Judge an attempt: what bars it, its factor, what is added to the die."""
    form = asked.form
    assert isinstance(form, Roll)
    for word in ("try", "factor", "adds"):
        reasons.head(head_key(form.name, word), asked.roles)
    return {}, {}


def _best_order(asked: Asked, form: Allocation, given: Mapping[str, Any], pairs: Any) -> list[Any]:
    """Find an order of choosing that no clause bars; if none is found, one that is barred late."""
    order: list[Any] = []
    for group in _ranks(asked, form, given, pairs):
        search = _OrderSearch(asked, form, given, _tally(order))
        order += search.legal(tuple(group)) or search.greedy(group)
    return order


def _ranks(asked: Asked, form: Allocation, given: Mapping[str, Any], pairs: Any) -> list[list[Any]]:
    """Group the pairs by the rank of their choosers, first to choose first."""
    if form.chooser is None:
        return [[pair] for pair in pairs]
    name = form.chooser[0]
    rank = {who: asked.engine.term(form.order, {**given, name: who}) if form.order else 0 for who, _ in pairs}
    return [[pair for pair in pairs if rank[pair[0]] == value] for value in sorted(set(rank.values()), reverse=True)]


def _tally(order: list[Any]) -> dict[Any, int]:
    picks: dict[Any, int] = {}
    for _, target in order:
        picks[target] = picks.get(target, 0) + 1
    return picks


class _OrderSearch:
    """Looks for the order in which the choosers of one rank chose."""

    def __init__(self, asked: Asked, form: Allocation, given: Mapping[str, Any], picks: dict[Any, int]) -> None:
        self.asked, self.form, self.given, self.picks = asked, form, given, picks
        self.failed: set[frozenset[Any]] = set()

    def is_barred(self, pair: Any) -> bool:
        who, target = pair
        return self.asked.engine.is_barred(self.form, self.given, who, target, self.picks)

    def legal(self, left: tuple[Any, ...]) -> list[Any] | None:
        """Find an order that nothing bars, if one is found within a bounded number of tries."""
        if not left:
            return []
        key = frozenset(left)
        if key in self.failed or len(self.failed) > MAX_TRIES:
            return None
        for number, pair in enumerate(left):
            if self.is_barred(pair):
                continue
            self._count(pair, 1)
            rest = self.legal((*left[:number], *left[number + 1 :]))
            self._count(pair, -1)
            if rest is not None:
                return [pair, *rest]
        self.failed.add(key)
        return None

    def greedy(self, group: list[Any]) -> list[Any]:
        """Let those choose first whom nothing bars."""
        left, order = list(group), []
        while left:
            pair = next((one for one in left if not self.is_barred(one)), left[0])
            left.remove(pair)
            order.append(pair)
            self._count(pair, 1)
        return order

    def _count(self, pair: Any, change: int) -> None:
        self.picks[pair[1]] = self.picks.get(pair[1], 0) + change


def _replay(reasons: Reasons, form: Allocation, given: Mapping[str, Any], order: list[Any], only: Any = None) -> None:
    """Judge the picks of an order in turn, clause by clause; or one of them."""
    for pair, env in _turns(form, given, order):
        if only is None or pair == only:
            reasons.head(head_key(form.name, "choose"), env, _shown(form, pair))


def _turns(form: Allocation, given: Mapping[str, Any], order: list[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each pick of an order with what a clause may ask of it."""
    picks: dict[Any, int] = {}
    for who, target in order:
        chooser = {} if form.chooser is None else {form.chooser[0]: who}
        yield (who, target), {**given, form.target[0]: target, PICKS: dict(picks), **chooser}
        picks[target] = picks.get(target, 0) + 1


def _shown(form: Allocation, pair: Any) -> str:
    who, target = pair
    return f"{who.id}>{target.id}" if form.chooser is not None else f"{who + 1}. {target.id}"


def _nearest(
    asked: Asked, form: Allocation | Selection, given: Mapping[str, Any], picked: tuple[Any, ...]
) -> dict[str, Any]:
    """Find the legal choice that differs least."""
    nearest = getattr(asked.engine, "nearest", None)
    if nearest is not None and isinstance(form, Allocation) and form.chooser is not None:
        found = nearest(form, given, picked)
    else:
        options = itertools.islice(asked.engine.choices(form, given), MAX_LISTED)
        found = min(options, key=lambda one: _difference(form, one, picked), default=None)
    if found is None:
        return {}
    return {"legal_choice": line(form, found), "changes": _difference(form, found, picked)}


def _difference(form: Allocation | Selection, one: tuple[Any, ...], other: tuple[Any, ...]) -> int:
    if isinstance(form, Selection):
        return len(set(one) ^ set(other))
    return sum(a != b for a, b in itertools.zip_longest(one, other))
