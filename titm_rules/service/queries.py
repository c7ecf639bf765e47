"""Which questions there are, and how each is answered for one edition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.explain.judge import MAX_DECIDING, changing_sets
from titm_rules.explain.verdict import DEPENDS, Verdict
from titm_rules.formats.records import validate_as
from titm_rules.oracle.position import Position
from titm_rules.rules.model import Model
from titm_rules.rules.rests import rests_of
from titm_rules.service import games
from titm_rules.service.games import INPUT, POSITION, GameQuestion
from titm_rules.service.odds import odds
from titm_rules.service.records import (
    AboutAction,
    AboutActions,
    AboutOdds,
    AboutPlace,
    AboutPosition,
    ActionsListed,
    Applied,
    Judgement,
    NotationTold,
    Outcomes,
    PositionMade,
    Ref,
    Replayed,
    ReplayTold,
)
from titm_rules.service.replays import replay

Json = dict[str, Any]
Answered = tuple[BaseModel | Mapping[str, Any], Position | None]
VIEW_OF = "_of"  # behind the name of a view: the question that shows it


@dataclass(frozen=True)
class Query:
    """A question about whole games.

    Attributes:
        input: the record of its input; `told` that of its answer, if it is the same for every game.
        answer: works it out.
        judges: whether the answer says legal or not.
    """

    input: type[BaseModel]
    answer: Callable[[GameQuestion], Answered]
    told: type[BaseModel] | None = None
    judges: bool = False


GAME_QUERIES: Mapping[str, Query] = {
    "legal_actions": Query(AboutActions, games.legal_actions, ActionsListed),
    "judge": Query(AboutAction, games.judge, Judgement, judges=True),
    "apply": Query(Applied, games.apply, PositionMade),
    "outcomes": Query(AboutAction, games.outcomes, Outcomes),
    "replay": Query(Replayed, replay, ReplayTold, judges=True),
    "notation": Query(AboutPosition, games.notation, NotationTold),
    "odds": Query(AboutOdds, odds),
}


def queries_of(model: Model) -> dict[str, Query]:
    """Map the questions that every game answers by name, with those about the views of this one."""
    views = {
        f"{name}{VIEW_OF}": Query(AboutPlace, partial(games.view_of, view=name))
        for name, view in model.views.items() if view.situation == POSITION
    }  # fmt: skip
    return {**GAME_QUERIES, **views}


def answer(call: GameQuestion, query: str, explain: bool, is_open: bool) -> Json:
    """Answer a question for one edition, as the fields of a reply.

    Args:
        call: the rules and the input.
        query: its name.
        explain: whether the reasons are asked for.
        is_open: whether no reading is fixed: the outcome may then be that it depends on them.

    Raises:
        InputError: for an unknown question or bad input.
    """
    model = call.edition.model
    if query in model.questions:
        return _of_rules(call, query, explain, is_open)
    known = queries_of(model)
    if query not in known:
        what, why = f"unknown query `{cut(query)}`", "the rules answer no question of this name"
        fix = did_you_mean(query, [*model.questions, *known])
        raise InputError([Fault(what, "$.query", why, fix, kind="unknown-query")])
    return _of_games(call, known[query], explain, is_open)


# ---------------------------------------------------------------------- questions of the rule set
def _of_rules(call: GameQuestion, query: str, explain: bool, is_open: bool) -> Json:
    position, inputs = _position_in(call, query)
    notes = position.notes if position is not None else call.edition.notes(_situation(call, query))
    told: Json = {"notes": list(notes)} if notes else {}
    if position is not None:
        told["digest"] = call.seen.keep(position)
    if not (explain or is_open):
        asked = position.asked(query, inputs) if position is not None else call.edition.ask(query, inputs)
        return {"answer": asked.answer(), **told}
    if position is not None:
        verdict = position.verdict(query, inputs, is_open)
    else:
        verdict = call.edition.verdict(query, inputs, is_open)
    reasons = verdict.explanation() if explain else {}
    return {"answer": dict(verdict.answer), **reasons, **(_outcome(verdict) if is_open else {}), **told}


def _outcome(verdict: Verdict) -> Json:
    return {"outcome": verdict.outcome, "deciding": [dict(one) for one in verdict.deciding]}


def _situation(call: GameQuestion, query: str) -> object:
    return call.given.get(call.edition.model.questions[query].situation)


def _position_in(call: GameQuestion, query: str) -> tuple[Position | None, Mapping[str, object]]:
    """Take the position out of the input of a question about one, however it is told."""
    name = call.edition.model.questions[query].situation
    given = call.given.get(name)
    rest = {key: value for key, value in call.given.items() if key != name}
    if name != POSITION or not isinstance(given, str | dict):
        return None, call.given
    if isinstance(given, dict) and given.keys() == {"ref"}:
        given = validate_as(Ref, given, f"{INPUT}.{name}")
    return call.position(given), rest


# ---------------------------------------------------------------------- questions about games
def _of_games(call: GameQuestion, query: Query, explain: bool, is_open: bool) -> Json:
    answer, position = query.answer(call)
    plain = _plain(answer)
    told: Json = {"digest": position.digest} if position is not None else {}
    if position is not None and position.notes:
        told["notes"] = list(position.notes)
    reasons = _reasons(call, query, position) if explain else {}
    if is_open or (explain and query.judges):
        deciding = _deciding(call, query, plain, MAX_DECIDING if is_open else 1)
        reasons["deciding"] = [dict(one) for one in deciding]
        if is_open:
            told["outcome"] = DEPENDS if deciding else _settled(plain)
        if explain:
            reasons["depends_on"] = _alone(deciding)
    return {"answer": plain, **reasons, **told}


def _plain(answer: BaseModel | Mapping[str, Any]) -> Json:
    return answer.model_dump() if isinstance(answer, BaseModel) else dict(answer)


def _settled(plain: Json) -> str:
    return {True: "legal", False: "illegal", None: "answered"}[plain.get("legal")]


def _reasons(call: GameQuestion, query: Query, position: Position | None) -> Json:
    """Give the reasons of a judgment about an action; other questions have none."""
    if query.answer is not games.judge or position is None:
        return {}
    action = games.read_action(position, call.as_(AboutAction).action)
    return games.verdict_on(position, action).explanation()


def _deciding(call: GameQuestion, query: Query, plain: Json, largest: int) -> tuple[Mapping[str, str], ...]:
    edition = call.edition

    def changes(choices: Mapping[str, str]) -> bool:
        other = GameQuestion(edition.with_readings(choices), call.given, call.seen)
        return _plain(query.answer(other)[0]) != plain

    return changing_sets(edition.model, _behind(call, query), changes, tuple(edition.readings), largest)


def _behind(call: GameQuestion, query: Query) -> Iterable[str]:
    """Collect the readings that an answer may rest on: for an action, those of its kind."""
    model = call.edition.model
    kinds = games.kinds_meant(call) if query.input in (AboutAction, AboutActions) else ()
    events = [event for name, event in model.events.items() if not kinds or name in kinds]
    return frozenset().union(*(rests_of(model).of_event(event).readings for event in events))


def _alone(deciding: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for choices in deciding:
        if len(choices) == 1:
            [(name, choice)] = choices.items()
            found.setdefault(name, []).append(choice)
    return found
