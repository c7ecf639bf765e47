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
MAX_ORDERS = 5_040
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
        order = _best_order(asked, reasons, form, given, pairs)
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
    for who, allowed in may.items():
        for target in targets:
            if target not in allowed:
                swapped = tuple((w, target if w is who else t) for w, t in legal[0])
                order = _best_order(asked, reasons, form, given, swapped)
                _replay(reasons, form, given, order)
    shown = {str(getattr(who, "id", who)): sorted(target.id for target in allowed) for who, allowed in may.items()}
    return {"may": shown}, {}


def explain_roll(asked: Asked, reasons: Reasons) -> Told:
    """Judge an attempt: what bars it, its factor, what is added to the die."""
    form = asked.form
    assert isinstance(form, Roll)
    for word in ("try", "factor", "adds"):
        reasons.head(head_key(form.name, word), asked.roles)
    return {}, {}


def _best_order(asked: Asked, reasons: Reasons, form: Allocation, given: Mapping[str, Any], pairs: Any) -> list[Any]:
    """Find the order of choosing that breaks the fewest clauses."""
    judged: dict[Any, bool] = {}
    best: tuple[int, list[Any]] | None = None
    for order in itertools.islice(_orders(asked, form, given, pairs), MAX_ORDERS):
        broken = _broken(reasons, form, given, order, judged)
        if best is None or broken < best[0]:
            best = (broken, order)
        if broken == 0:
            break
    return best[1] if best is not None else []


def _orders(asked: Asked, form: Allocation, given: Mapping[str, Any], pairs: Any) -> Iterator[list[Any]]:
    if form.chooser is None or form.order is None:
        yield list(pairs)
        return
    name = form.chooser[0]
    ranks = {who: asked.engine.term(form.order, {**given, name: who}) for who, _ in pairs}
    groups = [[pair for pair in pairs if ranks[pair[0]] == rank] for rank in sorted(set(ranks.values()), reverse=True)]
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain.from_iterable(parts))


def _replay(reasons: Reasons, form: Allocation, given: Mapping[str, Any], order: list[Any]) -> None:
    """Judge the picks of an order in turn, clause by clause."""
    for pair, env in _turns(form, given, order):
        reasons.head(head_key(form.name, "choose"), env, _shown(form, pair))


def _broken(
    reasons: Reasons, form: Allocation, given: Mapping[str, Any], order: list[Any], judged: dict[Any, bool]
) -> int:
    """Count the picks of an order that a clause forbids; `judged` keeps what orders have in common."""
    head = reasons.model.heads[head_key(form.name, "choose")]
    broken = 0
    for pair, env in _turns(form, given, order):
        state = pair, frozenset(env[PICKS].items())
        if state not in judged:
            judged[state] = bool(reasons.evaluator.head(head, env))
        broken += judged[state]
    return broken


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
