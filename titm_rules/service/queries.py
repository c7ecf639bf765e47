"""Answer each query of the protocol for one edition: questions, games, odds and replays."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any, TypeGuard, TypeVar

from pydantic import BaseModel

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean, moved_to
from titm_rules.engines.query import BoundQuestion, find_question
from titm_rules.explain.explain import MAX_DECIDING, changing_sets
from titm_rules.explain.headline import headline
from titm_rules.explain.verdict import DEPENDS, LEGAL, Verdict
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import bad
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Model
from titm_rules.oracle.case import Case, Rules
from titm_rules.oracle.choice_listing import PLAN, PLANS, action_filter, questions_of_plans
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import POLICIES, Replay, open_recorded_start, rules_of_record
from titm_rules.oracle.game import replay as replayed
from titm_rules.oracle.joint_moves import joint_moves
from titm_rules.oracle.odds import odds_of_plan, ranked_plans, rolling_questions
from titm_rules.oracle.planning import choices_where, lists_choices, require_choices
from titm_rules.oracle.position import IllegalAction, Position
from titm_rules.oracle.supply_lines import supply_lines
from titm_rules.play.action import Action
from titm_rules.play.options import Option
from titm_rules.render.style import load_style
from titm_rules.service import records
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.records import Json
from titm_rules.syntax.game_record import GameRecord, RecordedAction, read_record

POSITION, INPUT = "position", "$.input"
DICE = " : "  # stands before the dice in the line of a record
_FACE = re.compile(r"\d{1,9}", re.ASCII)
_STAMP = re.compile(r"\d+(?:-\d+)*", re.ASCII)
Answered = tuple[Json, Position | None]
GivenT = TypeVar("GivenT", bound=BaseModel)
AboutT = TypeVar("AboutT", bound=records.AboutPosition)


@dataclass(frozen=True)
class GameQuestion:
    """A question to one edition: its rules, its input, and the positions that were seen."""

    edition: Edition
    given: Mapping[str, object]
    seen: PositionCache

    def as_(self, made_of: type[GivenT]) -> GivenT:
        return validate_as(made_of, self.given, INPUT)

    def about(self, made_of: type[AboutT]) -> tuple[AboutT, Position]:
        given = self.as_(made_of)
        return given, self.position(given.position)

    def position(self, given: str | records.Ref | Mapping[str, object]) -> Position:
        """Return the position that is given as an object, in notation or by the digest of one that was seen."""
        where = f"{INPUT}.{POSITION}"
        if isinstance(given, records.Ref):
            return self.seen.find(given.ref, self.edition, where)
        if isinstance(given, str):
            make = partial(Position.from_notation, given, self.edition, where)
        else:
            make = partial(Position.from_dict, given, self.edition, POSITION, INPUT)
        return self.seen.made_of(given, self.edition, make)


# ---------------------------------------------------------------------- actions
def read_action(position: Position, given: str | records.ActionGiven) -> Action:
    """Read an action from its parts, or a line of a record; time, side (any that may) and dice may be left out."""
    where = f"{INPUT}.action"
    if not isinstance(given, str):
        return _by_somebody(position, position.chosen(given.kind, given.by or "", given.choices, where))
    words = given.partition(DICE)[0].split()
    words = words[1:] if words and _STAMP.fullmatch(words[0]) else words
    by = words.pop(0) if words and position.names_a_side(words[0]) else ""
    if not words:
        raise bad("the text names no action", where, "write `SIDE ACTION WORD...`", "bad-value")
    return _by_somebody(position, position.read(words[0], by, words[1:], where))


def _dice(given: records.Applied) -> list[int]:
    """Give the dice that were thrown, which may stand in the text of the action; a fault is of kind `bad-dice`."""
    words = given.action.partition(DICE)[2].split() if isinstance(given.action, str) else []
    strange = next((word for word in words if not _FACE.fullmatch(word)), "")
    if strange:
        what, fix = f"`{cut(strange)}` is not a face of a die", "write the faces as numbers, with blanks between"
        raise bad(what, f"{INPUT}.action", fix, "bad-dice")
    faces = [int(word) for word in words]
    if faces and given.dice and faces != given.dice:
        what = "the dice in the text are not those in `dice`"
        raise bad(what, f"{INPUT}.dice", "give them in one place", "bad-dice")
    return given.dice or faces


def _by_somebody(position: Position, action: Action) -> Action:
    return action if action.by else (position.with_actor(action) or action)


def _action_told(position: Position, action: Action) -> Json:
    text = " ".join(word for word in (action.by, action.kind, *position.words(action)) if word)
    return {**action.to_dict(), "by": action.by or None, "text": text}


def _offered(position: Position, option: Option) -> Json:
    dice = option.dice
    told: Json | None = None
    if dice is not None and dice.count:
        told = {"count": dice.count, "low": dice.low, "high": dice.high}
        told |= {} if dice.named else {"lowest": dice.lowest, "highest": dice.highest}
    return {**_action_told(position, option.action), "dice": told}


def legal_actions(call: GameQuestion) -> Answered:
    given, position = call.about(records.AboutActions)
    wanted = action_filter(position, given.kinds, given.actor, (f"{INPUT}.kinds", f"{INPUT}.actor"))
    options = list(position.options)
    found = [option for option in options if wanted(option.action)]
    page = islice(found, given.offset, given.offset + given.limit)
    return {
        "count": len(found),
        "to_act": sorted({option.action.by for option in options}),
        "actions": [_offered(position, option) for option in page],
        "digest": call.seen.keep(position),
    }, position


def advise(call: GameQuestion) -> Answered:
    """Choose an action as one of the players does; the same seed gives the same choice."""
    given, position = call.about(records.AboutAdvice)
    actions = [action for action in position.legal_actions if given.by in (None, action.by)]
    if given.player not in POLICIES:
        what, fix = f"unknown player `{cut(given.player)}`", did_you_mean(given.player, POLICIES)
        raise bad(what, f"{INPUT}.player", fix, "unknown-name")
    if not actions:
        raise bad("there is no action to choose", INPUT, "leave out `by`, or ask before the game is over", "bad-value")
    action = POLICIES[given.player](position, actions, Random(given.seed))
    option = next(option for option in position.options if option.action == action)
    return {"action": _offered(position, option), "digest": call.seen.keep(position)}, position


# ---------------------------------------------------------------------- what comes of it
def judge(call: GameQuestion) -> Answered:
    given, position = call.about(records.AboutAction)
    action = read_action(position, given.action)
    legal = position.is_legal(action) or verdict_on(position, action).outcome == LEGAL  # which reports bad input
    return {"legal": legal, "digest": call.seen.keep(position)}, position


def verdict_on(position: Position, action: Action) -> Verdict:
    try:
        return position.judge(action)
    except InputError as error:
        raise moved_to(error, "$.action", f"{INPUT}.action") from None


def _legal(position: Position, given: str | records.ActionGiven) -> Action:
    """Read an action that is to be taken; one that is not legal is an `InputError` of kind `illegal-action`."""
    action = read_action(position, given)
    if not position.is_legal(action):
        raise moved_to(IllegalAction(action, verdict_on(position, action)), "$.action", f"{INPUT}.action")
    return action


def apply(call: GameQuestion) -> Answered:
    given, before = call.about(records.Applied)
    action = _legal(before, given.action)
    try:
        after, happened = before.play(action, _dice(given))
    except InputError as error:
        raise moved_to(error, "$.dice", f"{INPUT}.dice") from None
    call.seen.keep(before)
    events = [
        {**_action_told(before, one.action), "clauses": list(one.clauses), "course": list(one.course)}
        for one in happened
    ]
    return position_told(call.seen, after, happened=events), before


def position_told(seen: PositionCache, position: Position, **more: object) -> Json:
    over, summary = not position.legal_actions, dict(position.summary)
    told = {"position": position.to_dict(), "digest": seen.keep(position), **more}
    return {**told, "over": over, "result": summary if over else None, "summary": summary}


def outcomes(call: GameQuestion) -> Answered:
    """List outcomes (successes, or faces where the rules read them) with exact probabilities, which sum to 1."""
    given, position = call.about(records.AboutAction)
    told = [
        {"probability": str(chance)}
        | ({"successes": fell} if isinstance(fell, int) else {"faces": list(fell)})
        | {"digest": call.seen.keep(after)}
        for fell, chance, after in position.outcomes(_legal(position, given.action))
    ]
    return {"outcomes": told, "digest": call.seen.keep(position)}, position


def notation(call: GameQuestion) -> Answered:
    _, position = call.about(records.AboutPosition)
    return {"notation": position.notation, "digest": call.seen.keep(position)}, position


def view_of(call: GameQuestion, view: str) -> Answered:
    """Show a place of a position as the situation of another kind that a view makes of it."""
    given, position = call.about(records.AboutPlace)
    seen = position.view(view, given.place, f"{INPUT}.place")
    return {view: seen, "digest": call.seen.keep(position)}, position


# ---------------------------------------------------------------------- odds
_IN_INPUT = {"FILE": INPUT, "QUERY": f"{INPUT}.query", "NAME=VALUE": INPUT}  # where a line of words goes wrong


def odds(call: GameQuestion) -> Answered:
    """Give the odds of a plan, or of the legal plans; where nobody's are named, those of every side."""
    given = call.as_(records.AboutOdds)
    rest = dict(given.model_extra or {})
    rolling = {q.situation for ask in (PLANS, PLAN) for q in rolling_questions(call.edition.model, ask)}
    case, position = _case(call, rest, rolling)
    # A question about one plan has a name of its own for it.
    plans = [question.names[0] for question in rolling_questions(call.edition.model, PLAN)]
    plan = given.plan or next((_text(rest.pop(name)) for name in plans if name in rest), "")
    words = [*([given.query] if given.query else []), *(f"{name}={_text(value)}" for name, value in rest.items())]
    try:
        put = questions_of_plans(case, words, plan)
    except InputError as error:
        for old, new in _IN_INPUT.items():
            error = moved_to(error, old, new)
        raise error from None
    asked = (call.edition.ask(question.name, case.full_input(question.name, inputs)) for question, inputs in put)
    style = load_style(call.edition.game)
    told = [
        {**_odds_told(one, given.top), "assumes": style.circumstances(case.situation, case.data, one.raw)}
        for one in asked
    ]
    digest = {"digest": call.seen.keep(position)} if position is not None else {}
    return {**(told[0] if len(told) == 1 else {"questions": told}), **digest}, position


def choices(call: GameQuestion) -> Answered:
    """Find the legal choices that meet conditions, the best of them, or why there is none."""
    given = call.as_(records.AboutChoices)
    rest, model = dict(given.model_extra or {}), call.edition.model
    require_choices(model, find_question(model, given.query, f"{INPUT}.query"), f"{INPUT}.query")
    case, position = _case(call, rest, {q.situation for q in model.questions.values() if lists_choices(model, q)})
    asked = call.edition.ask(given.query, {**rest, case.situation: case.data})
    at = f"{INPUT}.where", f"{INPUT}.best", f"{INPUT}.against"
    found = choices_where(asked, given.where, given.best, given.top, given.against, at)
    told = {"query": given.query, "input": dict(asked.raw), "engine": call.edition.engine, **found.to_dict()}
    return {**told, **({"digest": call.seen.keep(position)} if position is not None else {})}, position


def lines(call: GameQuestion) -> Answered:
    """Find what holds the traces of a piece or a side together, and the fewest losses that cut it off."""
    given, position = call.about(records.AboutLines)
    found = supply_lines(
        position, given.of, route=given.route, kinds=given.kinds, top=given.top, reach=given.reach
    )
    return {**found.to_dict(), "digest": call.seen.keep(position)}, position


def joint(call: GameQuestion) -> Answered:
    """Find the ways in which several stacks can all move to where each may end."""
    given, position = call.about(records.AboutJointMoves)
    found = joint_moves(position, [(one.units, one.to) for one in given.stacks], top=given.top, against=given.against)
    return {**found.to_dict(), "digest": call.seen.keep(position)}, position


def _case(call: GameQuestion, rest: Json, situations: Collection[str]) -> tuple[Case, Position | None]:
    """Return the situation that a question is about: a given one, or the view of a place in a position."""
    model, known = call.edition.model, sorted(situations)
    named = next((name for name in known if name in rest), "")
    if named:
        return Case(call.edition, named, rest.pop(named)), None
    view = next((name for name in known if name in model.views), "")
    if not view or POSITION not in rest:
        fix = f"known: {', '.join(known)}"
        raise InputError([Fault("no situation is given", INPUT, "", fix, kind="missing-field")])
    about = validate_as(
        records.AboutPlace, {name: rest.pop(name) for name in (POSITION, "place") if name in rest}, INPUT
    )
    position = call.position(about.position)
    return Case(call.edition, view, position.view(view, about.place, f"{INPUT}.place")), position


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ",".join(f"{one}>{other}" for one, other in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _odds_told(asked: BoundQuestion, top: int) -> Json:
    head = {"query": asked.question.name, "input": dict(asked.raw)}
    if asked.question.ask == PLANS:
        return {**head, **ranked_plans(asked, top).to_dict()}
    found = odds_of_plan(asked)
    return {**head, "legal": False} if found is None else {**head, "legal": True, **found.to_dict()}


# ---------------------------------------------------------------------- replays
RECORD = f"{INPUT}.record"


def replay(call: GameQuestion) -> Answered:
    """Play a record under the edition that is asked, up to its first line that is not legal or a line that is named."""
    given = call.as_(records.Replayed)
    record = read_record(given.record, RECORD)
    if given.until is not None:
        until = given.until
        record = replace(record, actions=tuple(one for one in record.actions if one.line <= until))
    start = open_recorded_start(record, _rules(record, call.edition), RECORD)
    course, add = _steps_from(start.settled) if given.steps else (None, None)
    found = replayed(record, start, RECORD, add)
    return replay_told(found, call.seen, course), found.final


def replay_told(found: Replay, seen: PositionCache, course: Json | None = None) -> Json:
    """Describe a record that was judged; the position reached is kept among those that were seen."""
    refused = _refusal(*found.refused) if found.refused is not None else None
    head = {"legal": found.is_legal, "actions": len(found.turns), "refused": refused}
    return {**head, **position_told(seen, found.final), "course": course}


def _steps_from(start: Position) -> tuple[Json, Callable[[RecordedAction, Position], None]]:
    """Begin the steps of a game, each by what it changed; the function adds a line that was played."""
    steps: list[Json] = []
    last = begun = start.to_dict()

    def add(line: RecordedAction, after: Position) -> None:
        nonlocal last
        before, last = last, after.to_dict()
        summary = dict(after.summary)
        steps.append({"line": line.line, "text": str(line), "summary": summary, "changes": difference(before, last)})

    return {"start": begun, "summary": dict(start.summary), "steps": steps}, add


def difference(before: Json, after: Json) -> dict[str, Json]:
    """Describe how a position differs from another, by its fields.

    A change is `{"is": value}`, with null for a field that is gone, or for a list of records `{"rows": {id: row}}`,
    with null for a row that is gone.
    """
    found: dict[str, Json] = {}
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old != new:
            found[name] = {"rows": _rows_changed(old, new)} if _has_ids(old) and _has_ids(new) else {"is": new}
    return found


def _has_ids(value: object) -> TypeGuard[list[Json]]:
    return isinstance(value, list) and all(isinstance(row, dict) and "id" in row for row in value)


def _rows_changed(before: list[Json], after: list[Json]) -> Json:
    was, now = ({row["id"]: row for row in rows} for rows in (before, after))
    return {one: None for one in was if one not in now} | {one: row for one, row in now.items() if row != was.get(one)}


def _rules(record: GameRecord, edition: Edition) -> Rules:
    """Give the rules of a record under an edition: its readings, where that has them, and its house rules."""
    rules = rules_of_record(record, Rules(engine=edition.engine, game=edition.game), RECORD)
    offered = edition.all_readings
    fitting = {name: one for name, one in rules.readings.items() if name in offered and one in offered[name].offered}
    overlays = (*(one for one in rules.overlays if one not in edition.overlays), *edition.overlays)
    return replace(rules, edition=edition.date, readings={**fitting, **edition.readings}, overlays=overlays)


def _refusal(line: RecordedAction, verdict: Verdict) -> Json:
    clauses = list(dict.fromkeys(finding.clause for finding in verdict.failing))
    why = verdict.explanation()["why"]
    return {"line": line.line, "text": cut(str(line)), "reason": verdict.sentence(), "clauses": clauses, "why": why}


# ---------------------------------------------------------------------- queries
VIEW_OF = "_of"  # behind the name of a view: the question that shows it


@dataclass(frozen=True)
class Query:
    """A question about whole games: the record of its input; `judges` if its answer says legal or not."""

    input: type[BaseModel]
    answers: Any  # the type of its answer; none: the rule set declares it
    answer: Callable[[GameQuestion], Answered]
    judges: bool = False


GAME_QUERIES: Mapping[str, Query] = {
    "legal_actions": Query(records.AboutActions, records.ActionsListed, legal_actions),
    "advise": Query(records.AboutAdvice, records.ActionAdvised, advise),
    "judge": Query(records.AboutAction, records.ActionJudged, judge, judges=True),
    "apply": Query(records.Applied, records.ActionApplied, apply),
    "outcomes": Query(records.AboutAction, records.OutcomesTold, outcomes),
    "replay": Query(records.Replayed, records.RecordJudged, replay, judges=True),
    "notation": Query(records.AboutPosition, records.NotationTold, notation),
    "choices": Query(records.AboutChoices, records.ChoicesTold, choices),
    "supply_lines": Query(records.AboutLines, records.LinesTold, lines),
    "joint_moves": Query(records.AboutJointMoves, records.JointMovesTold, joint),
    "odds": Query(records.AboutOdds, records.OddsOfQuestion | records.OddsOfQuestions, odds),
}


def queries_of(model: Model) -> dict[str, Query]:
    """Map the questions that every game answers by name, with those about the views of this one."""
    views = {
        f"{name}{VIEW_OF}": Query(records.AboutPlace, None, partial(view_of, view=name))
        for name, view in model.views.items() if view.situation == POSITION
    }  # fmt: skip
    return {**GAME_QUERIES, **views}


@dataclass(frozen=True)
class Details:
    """What an answer says besides itself: its reasons, its words, and, if no reading is fixed, whether it depends."""

    explain: bool = False
    words: bool = False
    is_open: bool = False


PLAIN = Details()


def answer(call: GameQuestion, query: str, details: Details = PLAIN) -> Json:
    model = call.edition.model
    if query in model.questions:
        return _of_rules(call, query, details)
    known = queries_of(model)
    if query not in known:
        what, why = f"unknown query `{cut(query)}`", "the rules answer no question of this name"
        fix = did_you_mean(query, [*model.questions, *known])
        raise InputError([Fault(what, "$.query", why, fix, kind="unknown-query")])
    return _of_games(call, known[query], details.explain, details.is_open)


def _of_rules(call: GameQuestion, query: str, details: Details) -> Json:
    """Answer a question of the rules; a position in its input may be given as in a question about games."""
    edition, given = call.edition, call.given
    name = edition.model.questions[query].situation
    situation = given.get(name)
    position: Position | None = None
    if name == POSITION and isinstance(situation, str | dict):
        is_ref = isinstance(situation, dict) and situation.keys() == {"ref"}
        position = call.position(validate_as(records.Ref, situation, f"{INPUT}.{name}") if is_ref else situation)
        given = {key: value for key, value in given.items() if key != name}
    notes = edition.notes(situation) if position is None else position.notes
    told: Json = {"notes": list(notes)} if notes else {}
    if position is not None:
        told["digest"] = call.seen.keep(position)
    if not (details.explain or details.is_open):
        asked = edition.ask(query, given) if position is None else position.asked(query, given)
        plain = asked.answer()
        return {"answer": plain, **({"headline": headline(asked, plain)} if details.words else {}), **told}
    verdict = (edition if position is None else position).verdict(query, given, details.is_open)
    reasons: Json = {"headline": verdict.headline} if details.words else {}
    reasons |= verdict.explanation() if details.explain else {}
    if details.is_open:
        reasons |= {"outcome": verdict.outcome, "deciding": [dict(one) for one in verdict.deciding]}
    return {"answer": dict(verdict.answer), **reasons, **told}


# ---------------------------------------------------------------------- questions about games
def _of_games(call: GameQuestion, query: Query, explain: bool, is_open: bool) -> Json:
    answer, position = query.answer(call)
    told: Json = {}
    if position is not None:
        told = {"digest": position.digest, **({"notes": list(position.notes)} if position.notes else {})}
    reasons: Json = {}
    if explain and query.answer is judge and position is not None:
        action = read_action(position, call.as_(records.AboutAction).action)
        reasons = verdict_on(position, action).explanation()
    if is_open or (explain and query.judges):
        deciding = _deciding(call, query, answer, MAX_DECIDING if is_open else 1)
        reasons["deciding"] = [dict(one) for one in deciding]
        if is_open:
            settled = {True: "legal", False: "illegal", None: "answered"}[answer.get("legal")]
            told["outcome"] = DEPENDS if deciding else settled
        if explain:
            alone: dict[str, list[str]] = {}
            for name, choice in (pair for choices in deciding if len(choices) == 1 for pair in choices.items()):
                alone.setdefault(name, []).append(choice)
            reasons["depends_on"] = alone
    return {"answer": answer, **reasons, **told}


def _deciding(call: GameQuestion, query: Query, answer: Json, largest: int) -> tuple[Mapping[str, str], ...]:
    edition = call.edition

    def changes(choices: Mapping[str, str]) -> bool:
        return query.answer(replace(call, edition=edition.with_readings(choices)))[0] != answer

    return changing_sets(edition.model, _behind(call, query), changes, tuple(edition.readings), largest)


def _behind(call: GameQuestion, query: Query) -> Iterable[str]:
    """Collect the readings that an answer may rest on: for actions, those of their kinds."""
    model = call.edition.model
    kinds: Collection[str] = ()
    if query.input is records.AboutActions:
        kinds = call.as_(records.AboutActions).kinds or ()
    elif query.input is records.AboutAction:
        given, position = call.about(records.AboutAction)
        kinds = (read_action(position, given.action).kind,)
    events = [event for name, event in model.events.items() if not kinds or name in kinds]
    return dependencies_of(model).of_events(events).readings
