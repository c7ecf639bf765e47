"""Reasons for allocations, selections and rolls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from titm_rules.engines.asked import Asked
from titm_rules.engines.shower import line
from titm_rules.explain.findings import Reasons
from titm_rules.explain.nearest import MAX_LISTED, other_choice
from titm_rules.explain.orders import OrderedPick, Orders, Pair
from titm_rules.explain.verdict import WitnessAndNearest
from titm_rules.rules.model import Allocation, Roll, Selection, head_key
from titm_rules.rules.terms import Term
from titm_rules.world.show import listed

MAX_REFUSED = 60


def explain_choice(
    asked: Asked, answer: Mapping[str, Any], reasons: Reasons, picked: tuple[Any, ...] | None
) -> WitnessAndNearest:
    """Replay an allocation in its best order, or judge a set; give the nearest legal one."""
    form, given = asked.choice_form()
    if picked is None:
        _cite(reasons, form.choosers if isinstance(form, Allocation) else None, given, _left_out(asked))
        return {"why": _left_out(asked)}, other_choice(asked, form, given, _as_far_as_chosen(asked, form, given))
    strange = _not_offered(asked, form, given, picked)
    if strange:
        _cite(reasons, form.targets if isinstance(form, Allocation) else form.members, given, strange)
        return {"why": strange}, other_choice(asked, form, given, picked)
    if isinstance(form, Selection):
        chosen = [one for one in asked.engine.term(form.members, given) if one in picked]
        reasons.head(head_key(form.name, "choose"), {**given, form.picked[0]: chosen})
        witness: dict[str, Any] = {}
    else:
        orders = Orders(asked.engine, form, given)
        turns = orders.best(_pairs(form, picked))
        witness = {"order": [_shown(form, turn.pair) for turn in turns]}
        _replay(reasons, form, turns)
        _other_orders(reasons, form, orders, turns, picked)
    return witness, ({} if answer["legal"] else other_choice(asked, form, given, picked))


def _cite(reasons: Reasons, term: Term | None, given: Mapping[str, Any], why: str) -> None:
    """Note the clauses that say who chooses, or what can be chosen."""
    for cause in reasons.blame.because(term, given):
        reasons.note(cause.clause, "forbids", "", why)


def _as_far_as_chosen(asked: Asked, form: Allocation | Selection, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Give what those choose who have a choice; who has to choose and does not picks nothing."""
    assert isinstance(form, Allocation)
    assert form.choosers is not None
    names = asked.picked_names()
    targets = {one.id: one for one in asked.engine.term(form.targets, given)}
    return tuple((who, targets.get(names.get(who.id))) for who in asked.engine.term(form.choosers, given))


def _left_out(asked: Asked) -> str:
    """Say who has to choose and does not, or chooses without having a choice."""
    form, given = asked.choice_form()
    assert isinstance(form, Allocation)
    assert form.choosers is not None
    assert form.chooser is not None
    choosers = {one.id for one in asked.engine.term(form.choosers, given)}
    chosen = set(asked.picked_names())
    missing, strange = sorted(choosers - chosen), sorted(chosen - choosers)
    parts = [f"{listed(missing)} must choose a {form.target[0]} too"] if missing else []
    if strange:
        parts.append(f"{listed(strange)} {'is' if len(strange) == 1 else 'are'} not among those who choose")
    return "; ".join(parts)


def _not_offered(asked: Asked, form: Allocation | Selection, given: Mapping[str, Any], picked: tuple[Any, ...]) -> str:
    """Say what is picked that cannot be picked at all, or twice; empty if there is no such thing."""
    if isinstance(form, Allocation):
        offered, taken, name = form.targets, [target for _, target in _pairs(form, picked)], form.target[0]
    else:
        offered, taken, name = form.members, list(picked), form.picked[1].name
    known = asked.engine.term(offered, given)
    wrong = sorted({one.id for one in taken if one not in known})
    if wrong:
        return f"{listed(wrong)} {'is' if len(wrong) == 1 else 'are'} no {name} here"
    twice = sorted({one.id for one in taken if taken.count(one) > 1}) if isinstance(form, Selection) else []
    return f"{listed(twice)} can be picked only once" if twice else ""


def _pairs(form: Allocation, picked: tuple[Any, ...]) -> tuple[Pair, ...]:
    return picked if form.chooser is not None else tuple(enumerate(picked))


def _other_orders(reasons: Reasons, form: Allocation, orders: Orders, turns: list[OrderedPick], picked: Any) -> None:
    """Note what bars the other orders of choosing, as far as nothing noted yet bars them too."""
    cited = {clause for turn in turns for clause in turn.barred[:1]}
    while cited and (order := orders.avoiding(_pairs(form, picked), frozenset(cited))):
        barred = [turn for turn in order if turn.barred]
        if not barred:
            return
        _replay(reasons, form, barred[:1])
        cited.add(barred[0].barred[0])


def explain_choices(asked: Asked, answer: Mapping[str, Any], reasons: Reasons) -> WitnessAndNearest:
    """Tell whom each chooser may pick in some legal allocation, and what forbids the others.

    Of a selection it is told by which clauses something has to be picked, if it has to.
    """
    form, given = asked.choice_form()
    if isinstance(form, Selection):
        nothing_picked = {**given, form.picked[0]: []}
        for cause in reasons.blame.of_head(asked.model.heads[head_key(form.name, "choose")], nothing_picked):
            reasons.note(cause.clause, "rests", "", reasons.title(cause.clause))
    if not isinstance(form, Allocation) or not 0 < answer["count"] <= MAX_LISTED:
        return {}, {}
    legal = [_pairs(form, one) for one in sorted(asked.engine.choices(form, given), key=partial(line, form))]
    orders = Orders(asked.engine, form, given)
    may: dict[Any, dict[Any, None]] = {}
    for one in legal:
        for who, target in one:
            may.setdefault(who, {})[target] = None
    targets = asked.engine.term(form.targets, given)
    refused = [(who, target) for who, allowed in may.items() for target in targets if target not in allowed]
    for who, target in refused[:MAX_REFUSED]:
        swapped = tuple((w, target if w is who else t) for w, t in legal[0])
        _replay(reasons, form, [turn for turn in orders.best(swapped) if turn.pair == (who, target)])
    shown = {str(getattr(who, "id", who)): sorted(target.id for target in allowed) for who, allowed in may.items()}
    return {"may": shown}, {}


def explain_roll(asked: Asked, reasons: Reasons) -> WitnessAndNearest:
    """Judge an attempt: what bars it, its factor, what is added to the die."""
    form = asked.form
    assert isinstance(form, Roll)
    for word in ("try", "factor", "adds"):
        reasons.head(head_key(form.name, word), asked.roles)
    return {}, {}


def _replay(reasons: Reasons, form: Allocation, turns: list[OrderedPick]) -> None:
    """Judge picks in turn, clause by clause."""
    for turn in turns:
        reasons.head(head_key(form.name, "choose"), turn.env, _shown(form, turn.pair), also=turn.barred[1:])


def _shown(form: Allocation, pair: Any) -> str:
    who, target = pair
    return f"{who.id}>{target.id}" if form.chooser is not None else f"{who + 1}. {target.id}"
