"""The odds of plans for programs: exact fractions, as the command line gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from titm_rules.diagnostics import Fault, InputError, moved_to
from titm_rules.engines.asked import Asked
from titm_rules.formats.records import validate_as
from titm_rules.oracle.case import Case
from titm_rules.oracle.odds import odds_of_plan, ranked_plans, rolling_questions
from titm_rules.oracle.plans import PLAN, PLANS, Put, questions_of_plans
from titm_rules.oracle.position import Position
from titm_rules.rules.model import Model
from titm_rules.service.games import INPUT, POSITION, GameQuestion
from titm_rules.service.records import AboutOdds, AboutPlace

Json = dict[str, Any]
_IN_INPUT = {"FILE": INPUT, "QUERY": f"{INPUT}.query", "NAME=VALUE": INPUT}  # where a line of words goes wrong


def odds(call: GameQuestion) -> tuple[Json, Position | None]:
    """Give the odds of a plan, or of the legal plans; where nobody's are named, those of every side.

    The situation is given as it is, or as a position and a place in it.
    """
    given = call.as_(AboutOdds)
    rest = dict(given.model_extra or {})
    case, position = _case(call, rest)
    plan = given.plan or _plan_in(call.edition.model, rest)
    words = [*([given.query] if given.query else []), *(f"{name}={_text(value)}" for name, value in rest.items())]
    told = []
    for question, put in _put(case, words, plan):
        asked = call.edition.ask(question.name, case.full_input(question.name, put))
        told.append(_told(asked, given.top))
    digest = {"digest": call.seen.keep(position)} if position is not None else {}
    return {**(told[0] if len(told) == 1 else {"questions": told}), **digest}, position


def _put(case: Case, words: Sequence[str], plan: str) -> list[Put]:
    """List the questions to put; faults are told as standing in the input."""
    try:
        return questions_of_plans(case, words, plan)
    except InputError as error:
        for old, new in _IN_INPUT.items():
            error = moved_to(error, old, new)
        raise error from None


def _case(call: GameQuestion, rest: Json) -> tuple[Case, Position | None]:
    """Take the situation out of what is given: its own, or what a view shows of a place in a position."""
    model = call.edition.model
    known = sorted({q.situation for ask in (PLANS, PLAN) for q in rolling_questions(model, ask)})
    named = next((name for name in known if name in rest), "")
    if named:
        return Case(call.edition, named, rest.pop(named)), None
    view = next((name for name in known if name in model.views), "")
    if not view or POSITION not in rest:
        fix = f"known: {', '.join(known)}"
        raise InputError([Fault("no situation is given", INPUT, "", fix, kind="missing-field")])
    about = validate_as(AboutPlace, {name: rest.pop(name) for name in (POSITION, "place") if name in rest}, INPUT)
    position = call.position(about.position)
    return Case(call.edition, view, position.view(view, about.place, f"{INPUT}.place")), position


def _plan_in(model: Model, rest: Json) -> str:
    """Take the plan out of what is given, under the name that the question about it has for it."""
    names = [question.names[0] for question in rolling_questions(model, PLAN)]
    return next((_text(rest.pop(name)) for name in names if name in rest), "")


def _text(value: object) -> str:
    """Write a value as words do."""
    if isinstance(value, dict):
        return ",".join(f"{one}>{other}" for one, other in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _told(asked: Asked, top: int) -> Json:
    head = {"query": asked.question.name, "input": dict(asked.raw)}
    if asked.question.ask == PLANS:
        return {**head, **ranked_plans(asked, top).to_dict()}
    found = odds_of_plan(asked)
    return {**head, "legal": False} if found is None else {**head, "legal": True, **found.to_dict()}
