"""Answer each query of the protocol for one edition: questions, games, odds and replays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeGuard, TypeVar

from pydantic import BaseModel

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean, moved_to
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.explain import MAX_DECIDING, changing_sets
from titm_rules.explain.verdict import DEPENDS, LEGAL, Verdict
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import bad
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Model
from titm_rules.oracle.case import Case, Rules
from titm_rules.oracle.choice_listing import PLAN, PLANS, Put, action_filter, questions_of_plans
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import Replay, open_recorded_start, rules_of_record
from titm_rules.oracle.game import replay as replayed
from titm_rules.oracle.odds import odds_of_plan, ranked_plans, rolling_questions
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action, Fell
from titm_rules.play.machine import Happened
from titm_rules.play.options import Option
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.records import (
    AboutAction,
    AboutActions,
    AboutOdds,
    AboutPlace,
    AboutPosition,
    ActionGiven,
    ActionOffered,
    ActionsListed,
    ActionTold,
    Applied,
    DiceTold,
    EventTold,
    Json,
    Judgement,
    NotationTold,
    Outcomes,
    OutcomeTold,
    PositionMade,
    Ref,
    RefusedLine,
    Replayed,
    ReplayTold,
    StepsTold,
    StepTold,
    ThrowOutcome,
)
from titm_rules.syntax.game_record import GameRecord, RecordedAction, read_record

# ---------------------------------------------------------------------- games
POSITION, INPUT = "position", "$.input"
DICE = " : "  # stands before the dice in the line of a record
_FACE = re.compile(r"\d{1,9}", re.ASCII)
_STAMP = re.compile(r"\d+(?:-\d+)*", re.ASCII)
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True)
class GameQuestion:
    """A question to one edition: its rules, its input, and the positions that were seen."""

    edition: Edition
    given: Mapping[str, object]
    seen: PositionCache

    def as_(self, made_of: type[ModelT]) -> ModelT:
        """Give the input as a record.

        Raises:
            InputError: with every fault of the input.
        """
        return validate_as(made_of, self.given, INPUT)

    def position(self, given: str | Ref | Mapping[str, object]) -> Position:
        """Return the position that is given as an object, in notation or by digest.

        Raises:
            InputError: for one that cannot be read, or that was not seen.
        """
        where = f"{INPUT}.{POSITION}"
        if isinstance(given, Ref):
            return self.seen.find(given.ref, self.edition, where)
        if isinstance(given, str):
            make = partial(Position.from_notation, given, self.edition, where)
        else:
            make = partial(Position.from_dict, given, self.edition, POSITION, INPUT)
        return self.seen.made_of(given, self.edition, make)


# ---------------------------------------------------------------------- actions
def read_action(position: Position, given: str | ActionGiven) -> Action:
    """Read an action from its parts, or from the text of a line of a record: time, side and dice may be left out.

    An action without a side is taken by a side that may take it.

    Raises:
        InputError: for an action that the rules do not know.
    """
    where = f"{INPUT}.action"
    if not isinstance(given, str):
        return _by_somebody(position, position.chosen(given.kind, given.by or "", given.choices, where))
    words = given.partition(DICE)[0].split()
    words = words[1:] if words and _STAMP.fullmatch(words[0]) else words
    by = words.pop(0) if words and position.names_a_side(words[0]) else ""
    if not words:
        raise bad("the text names no action", where, "write `SIDE ACTION WORD...`", "bad-value")
    return _by_somebody(position, position.read(words[0], by, words[1:], where))


def _dice(given: Applied) -> list[int]:
    """Give the dice that were thrown; they may stand in the text of the action.

    Raises:
        InputError: of kind `bad-dice` for a word there that is not a face, or for dice that differ from those given.
    """
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


def action_told(position: Position, action: Action) -> ActionTold:
    """Return an action in its parts and as text."""
    return ActionTold(**_parts(position, action))


def _parts(position: Position, action: Action) -> Json:
    text = " ".join(word for word in (action.by, action.kind, *position.words(action)) if word)
    return {**action.to_dict(), "by": action.by or None, "text": text}


def _offered(position: Position, option: Option) -> ActionOffered:
    dice = option.dice
    told = DiceTold(count=dice.count, low=dice.low, high=dice.high) if dice is not None and dice.count else None
    return ActionOffered(**_parts(position, option.action), dice=told)


def legal_actions(call: GameQuestion) -> tuple[ActionsListed, Position]:
    """List the legal actions of a position, or those of some kinds or about one piece or place."""
    given = call.as_(AboutActions)
    position = call.position(given.position)
    wanted = action_filter(position, given.kinds, given.actor, (f"{INPUT}.kinds", f"{INPUT}.actor"))
    options = list(position.options)
    to_act = sorted({option.action.by for option in options})
    found = [option for option in options if wanted(option.action)]
    page = islice(found, given.offset, given.offset + given.limit)
    actions = [_offered(position, option) for option in page]
    digest = call.seen.keep(position)
    return ActionsListed(count=len(found), to_act=to_act, actions=actions, digest=digest), position


def kinds_meant(call: GameQuestion) -> tuple[str, ...]:
    """Return the kinds of action that a question is about; none if it is about all."""
    given = call.given
    if "action" not in given:
        return tuple(call.as_(AboutActions).kinds or ())
    asked = call.as_(AboutAction)
    return (read_action(call.position(asked.position), asked.action).kind,)


# ---------------------------------------------------------------------- what comes of it
def judge(call: GameQuestion) -> tuple[Judgement, Position]:
    """Say whether an action is legal."""
    given = call.as_(AboutAction)
    position = call.position(given.position)
    action = read_action(position, given.action)
    legal = position.is_legal(action) or verdict_on(position, action).outcome == LEGAL  # which reports bad input
    return Judgement(legal=legal, digest=call.seen.keep(position)), position


def verdict_on(position: Position, action: Action) -> Verdict:
    """Return the judgment about an action with its reasons.

    Raises:
        InputError: for an action that nobody ever chooses.
    """
    try:
        return position.judge(action)
    except InputError as error:
        raise moved_to(error, "$.action", f"{INPUT}.action") from None


def _legal(position: Position, given: str | ActionGiven) -> Action:
    """Read an action that is to be taken.

    Raises:
        InputError: of kind `illegal-action` if it is not legal.
    """
    action = read_action(position, given)
    if not position.is_legal(action):
        why = verdict_on(position, action).sentence()
        fault = Fault(f"`{action}` is not legal here", f"{INPUT}.action", why, "choose a legal action",
                      kind="illegal-action")  # fmt: skip
        raise InputError([fault])
    return action


def apply(call: GameQuestion) -> tuple[PositionMade, Position]:
    """Take an action with the dice thrown for it, and then the automatic events."""
    given = call.as_(Applied)
    before = call.position(given.position)
    action = _legal(before, given.action)
    try:
        after, happened = before.play(action, _dice(given))
    except InputError as error:
        raise moved_to(error, "$.dice", f"{INPUT}.dice") from None
    call.seen.keep(before)
    told = [_event_told(before, one) for one in happened]
    return PositionMade(**position_told(call.seen, after), happened=told), before


def position_told(seen: PositionCache, position: Position) -> Json:
    """Describe the position that was reached, and whether the game is over there."""
    over, summary = not position.legal_actions, dict(position.summary)
    result = summary if over else None
    digest = seen.keep(position)
    return {
        "position": position.to_dict(), "digest": digest, "over": over, "result": result, "summary": summary,
    }  # fmt: skip


def _event_told(position: Position, one: Happened) -> EventTold:
    return EventTold(**_parts(position, one.action), clauses=list(one.clauses), course=list(one.course))


def outcomes(call: GameQuestion) -> tuple[Outcomes, Position]:
    """List the outcomes of an action's dice, each with its exact probability."""
    given = call.as_(AboutAction)
    position = call.position(given.position)
    told = [
        _throw_outcome(fell, str(chance), call.seen.keep(after))
        for fell, chance, after in position.outcomes(_legal(position, given.action))
    ]
    return Outcomes(outcomes=told, digest=call.seen.keep(position)), position


def _throw_outcome(fell: Fell, probability: str, digest: str) -> OutcomeTold | ThrowOutcome:
    if isinstance(fell, int):
        return OutcomeTold(probability=probability, successes=fell, digest=digest)
    return ThrowOutcome(probability=probability, faces=list(fell), digest=digest)


def notation(call: GameQuestion) -> tuple[NotationTold, Position]:
    """Write a position on one line."""
    position = call.position(call.as_(AboutPosition).position)
    return NotationTold(notation=position.notation, digest=call.seen.keep(position)), position


def view_of(call: GameQuestion, view: str) -> tuple[Json, Position]:
    """Show a place of a position as the situation of another kind that a view makes of it."""
    given = call.as_(AboutPlace)
    position = call.position(given.position)
    seen = position.view(view, given.place, f"{INPUT}.place")
    return {view: seen, "digest": call.seen.keep(position)}, position


# ---------------------------------------------------------------------- odds
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
    """List the questions to put; faults are reported at their place in the input."""
    try:
        return questions_of_plans(case, words, plan)
    except InputError as error:
        for old, new in _IN_INPUT.items():
            error = moved_to(error, old, new)
        raise error from None


def _case(call: GameQuestion, rest: Json) -> tuple[Case, Position | None]:
    """Return the situation that a question is about: a given one, or the view of a place in a position."""
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


def _told(asked: BoundQuestion, top: int) -> Json:
    head = {"query": asked.question.name, "input": dict(asked.raw)}
    if asked.question.ask == PLANS:
        return {**head, **ranked_plans(asked, top).to_dict()}
    found = odds_of_plan(asked)
    return {**head, "legal": False} if found is None else {**head, "legal": True, **found.to_dict()}


# ---------------------------------------------------------------------- replays
RECORD = f"{INPUT}.record"


def replay(call: GameQuestion) -> tuple[ReplayTold, Position]:
    """Play a record under the edition that is asked, up to its first line that is not legal or a line that is named."""
    given = call.as_(Replayed)
    record = read_record(given.record, RECORD)
    if given.until is not None:
        until = given.until
        record = replace(record, actions=tuple(one for one in record.actions if one.line <= until))
    start = open_recorded_start(record, _rules(record, call.edition), RECORD)
    steps = ReplayReport(start.settled) if given.steps else None
    found = replayed(record, start, RECORD, steps.add if steps else None)
    return replay_told(found, call.seen, steps.told() if steps else None), found.final


def replay_told(found: Replay, seen: PositionCache, course: StepsTold | None = None) -> ReplayTold:
    """Describe a record that was judged; the position reached is kept among those that were seen."""
    refused = _refusal(*found.refused) if found.refused is not None else None
    told = position_told(seen, found.final)
    return ReplayTold(legal=found.is_legal, actions=len(found.turns), refused=refused, course=course, **told)


class ReplayReport:
    """The steps of a game, each by what it changed."""

    def __init__(self, start: Position) -> None:
        self._start, self._summary = start.to_dict(), dict(start.summary)
        self._last: Json = self._start
        self._steps: list[StepTold] = []

    def add(self, line: RecordedAction, after: Position) -> None:
        """Take in a line that was played."""
        now = after.to_dict()
        changes = difference(self._last, now)
        self._steps.append(StepTold(line=line.line, text=str(line), summary=dict(after.summary), changes=changes))
        self._last = now

    def told(self) -> StepsTold:
        """Give the start and the steps."""
        return StepsTold(start=self._start, summary=self._summary, steps=self._steps)


def difference(before: Json, after: Json) -> dict[str, Json]:
    """Describe how a position differs from another: fields, and rows of lists by id; null marks a removed row."""
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


def _refusal(line: RecordedAction, verdict: Verdict) -> RefusedLine:
    clauses = list(dict.fromkeys(finding.clause for finding in verdict.failing))
    why = verdict.explanation()["why"]
    return RefusedLine(line=line.line, text=cut(str(line)), reason=verdict.sentence(), clauses=clauses, why=why)


# ---------------------------------------------------------------------- queries
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
    "legal_actions": Query(AboutActions, legal_actions, ActionsListed),
    "judge": Query(AboutAction, judge, Judgement, judges=True),
    "apply": Query(Applied, apply, PositionMade),
    "outcomes": Query(AboutAction, outcomes, Outcomes),
    "replay": Query(Replayed, replay, ReplayTold, judges=True),
    "notation": Query(AboutPosition, notation, NotationTold),
    "odds": Query(AboutOdds, odds),
}


def queries_of(model: Model) -> dict[str, Query]:
    """Map the questions that every game answers by name, with those about the views of this one."""
    views = {
        f"{name}{VIEW_OF}": Query(AboutPlace, partial(view_of, view=name))
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
    return {"answer": dict(verdict.answer), **reasons, **(_verdict_outcome(verdict) if is_open else {}), **told}


def _verdict_outcome(verdict: Verdict) -> Json:
    return {"outcome": verdict.outcome, "deciding": [dict(one) for one in verdict.deciding]}


def _situation(call: GameQuestion, query: str) -> object:
    return call.given.get(call.edition.model.questions[query].situation)


def _position_in(call: GameQuestion, query: str) -> tuple[Position | None, Mapping[str, object]]:
    """Take the position out of the input of a question about one, however it is given."""
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
    if query.answer is not judge or position is None:
        return {}
    action = read_action(position, call.as_(AboutAction).action)
    return verdict_on(position, action).explanation()


def _deciding(call: GameQuestion, query: Query, plain: Json, largest: int) -> tuple[Mapping[str, str], ...]:
    edition = call.edition

    def changes(choices: Mapping[str, str]) -> bool:
        other = GameQuestion(edition.with_readings(choices), call.given, call.seen)
        return _plain(query.answer(other)[0]) != plain

    return changing_sets(edition.model, _behind(call, query), changes, tuple(edition.readings), largest)


def _behind(call: GameQuestion, query: Query) -> Iterable[str]:
    """Collect the readings that an answer may rest on: for an action, those of its kind."""
    model = call.edition.model
    kinds = kinds_meant(call) if query.input in (AboutAction, AboutActions) else ()
    events = [event for name, event in model.events.items() if not kinds or name in kinds]
    return frozenset().union(*(dependencies_of(model).of_event(event).readings for event in events))


def _alone(deciding: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for choices in deciding:
        if len(choices) == 1:
            [(name, choice)] = choices.items()
            found.setdefault(name, []).append(choice)
    return found
