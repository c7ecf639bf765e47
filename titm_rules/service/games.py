"""Questions about whole games, which every game answers: what may be done, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeVar

from pydantic import BaseModel

from titm_rules.diagnostics import Fault, InputError, cut, moved_to
from titm_rules.explain.verdict import LEGAL, Verdict
from titm_rules.formats.jsonin import bad
from titm_rules.formats.records import validate_as
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.listing import action_filter
from titm_rules.oracle.position import Position
from titm_rules.play.action import Action
from titm_rules.play.chance import Fell
from titm_rules.play.machine import Happened
from titm_rules.play.options import Option
from titm_rules.service.records import (
    AboutAction,
    AboutActions,
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
    ThrowOutcome,
)
from titm_rules.service.seen import Seen

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
    seen: Seen

    def as_(self, made_of: type[ModelT]) -> ModelT:
        """Give the input as a record.

        Raises:
            InputError: with every fault of the input.
        """
        return validate_as(made_of, self.given, INPUT)

    def position(self, given: str | Ref | Mapping[str, object]) -> Position:
        """Give a position that is told in one of the three ways.

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

    An action by nobody in particular is taken by whoever may.

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
        InputError: of kind `bad-dice` for a word there that is no face, or for other dice than those beside the text.
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
    return action if action.by else (position.taken_by_whoever_may(action) or action)


def action_told(position: Position, action: Action) -> ActionTold:
    """Tell an action in its parts and as text."""
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
    """Name the kinds of action that a question is about; none if it is about all."""
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
    legal = position.is_legal(action) or verdict_on(position, action).outcome == LEGAL  # which tells bad input apart
    return Judgement(legal=legal, digest=call.seen.keep(position)), position


def verdict_on(position: Position, action: Action) -> Verdict:
    """Give the judgment about an action with its reasons.

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
    """Take an action with the dice thrown for it, and let happen what follows by itself."""
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


def position_told(seen: Seen, position: Position) -> Json:
    """Tell a position that was come to, and whether the game is over there."""
    over, summary = not position.legal_actions, dict(position.summary)
    result = summary if over else None
    digest = seen.keep(position)
    return {
        "position": position.to_dict(), "digest": digest, "over": over, "result": result, "summary": summary,
    }  # fmt: skip


def _event_told(position: Position, one: Happened) -> EventTold:
    return EventTold(**_parts(position, one.action), clauses=list(one.clauses), course=list(one.course))


def outcomes(call: GameQuestion) -> tuple[Outcomes, Position]:
    """List what the dice of an action may bring, each with its exact probability."""
    given = call.as_(AboutAction)
    position = call.position(given.position)
    told = [
        _outcome(fell, str(chance), call.seen.keep(after))
        for fell, chance, after in position.outcomes(_legal(position, given.action))
    ]
    return Outcomes(outcomes=told, digest=call.seen.keep(position)), position


def _outcome(fell: Fell, probability: str, digest: str) -> OutcomeTold | ThrowOutcome:
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
