"""The records of the protocol: one set of requests, answers and errors for lines, HTTP and Python.

The input of a question of the rule set is checked against the record that its vocabulary declares; the records here are
the frame, and the questions about whole games, which every game answers. Requests are checked when they come. Answers
are dictionaries; the schemas that clients read are made from their types, and tests compare both.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NotRequired, Required, get_type_hints

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag
from typing_extensions import TypeAliasType, TypedDict

from titm_rules.editions.registry import MAX_NAME
from titm_rules.explain.verdict import Finding
from titm_rules.formats.fields import MAX_TEXT
from titm_rules.formats.record_schemas import STRICT_LATER, TAG, object_type

MAX_EDITIONS, MAX_OVERLAYS, MAX_LISTED = 50, 8, 20_000
ALL = "all"
Name = Annotated[str, StringConstraints(max_length=MAX_NAME)]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]
Json = dict[str, Any]
# What the rule set declares: `capabilities.reply_schemas` puts the schemas of a game in their place.
PositionTold = TypeAliasType("PositionTold", Json)
SummaryTold = TypeAliasType("SummaryTold", Json)


def _form_of(value: object) -> str:
    """Return the form of a value, so that a fault is about that form alone."""
    if isinstance(value, str):
        return f"{TAG}text"
    if isinstance(value, dict) and value.keys() == {"ref"}:
        return f"{TAG}ref"
    return f"{TAG}list" if isinstance(value, list) else f"{TAG}object"


class StrictRecord(BaseModel):
    """What a request holds: no other fields, and no values of another type."""

    model_config = STRICT_LATER


class Ref(StrictRecord):
    """A position that was seen before, by its digest."""

    ref: Identifier


class OverlayText(StrictRecord):
    """House rules as text."""

    name: Name
    text: str


class ActionGiven(StrictRecord):
    """An action: its kind, the side that takes it (left out: any side that may), and what it chooses."""

    kind: Identifier
    by: Identifier | None = None
    choices: Json = Field(default_factory=dict)


_Either = Discriminator(_form_of)
EditionGiven = Annotated[
    Annotated[Name, Tag(f"{TAG}text")]
    | Annotated[Annotated[list[Name], Field(min_length=1, max_length=MAX_EDITIONS)], Tag(f"{TAG}list")],
    _Either,
]
OverlayGiven = Annotated[
    Annotated[Identifier, Tag(f"{TAG}text")] | Annotated[OverlayText, Tag(f"{TAG}object")], _Either
]
ReadingsGiven = Annotated[
    Annotated[Literal["all"], Tag(f"{TAG}text")] | Annotated[dict[str, str], Tag(f"{TAG}object")], _Either
]
PositionGiven = Annotated[
    Annotated[str, Tag(f"{TAG}text")] | Annotated[Ref, Tag(f"{TAG}ref")] | Annotated[PositionTold, Tag(f"{TAG}object")],
    _Either,
]
StructuredAction = Annotated[
    Annotated[Identifier, Tag(f"{TAG}text")] | Annotated[ActionGiven, Tag(f"{TAG}object")], _Either
]


class Request(StrictRecord):
    """A request: what is asked, and under which rules.

    `edition` is the name of an edition, a date, a list of them, or `all`. `readings` fixes some, or with `all` none.
    With `words` the answer to a question of the rules has a `headline`, which says both in words.
    """

    id: Any = None
    game: Name | None = None
    edition: EditionGiven
    overlays: Annotated[list[OverlayGiven], Field(max_length=MAX_OVERLAYS)] = Field(default_factory=list)
    readings: ReadingsGiven = Field(default_factory=dict)
    query: Name
    input: Json
    explain: bool = False
    words: bool = False


# ---------------------------------------------------------------------- inputs of the questions about games
class AboutPosition(StrictRecord):
    """A position, as an object, in notation, or by the digest of one that was seen."""

    position: PositionGiven


class AboutPlace(AboutPosition):
    """A position and a place in it."""

    place: Identifier


class AboutActions(AboutPosition):
    """Legal actions of some kinds, or that choose a piece or a place; and which page of them."""

    kinds: Annotated[list[Identifier], Field(max_length=MAX_TEXT)] | None = None
    actor: Identifier | None = None
    limit: Annotated[int, Field(ge=0, le=MAX_LISTED)] = MAX_LISTED
    offset: Annotated[int, Field(ge=0)] = 0


class AboutAdvice(AboutPosition):
    """The name of a player, as `titm play --policy` takes it, the side that it plays, and the seed of its chance."""

    player: Name = "greedy"
    by: Identifier | None = None
    seed: int = 0


class AboutAction(AboutPosition):
    """A position and an action in it."""

    action: StructuredAction


class Applied(AboutAction):
    """An action with the faces of the dice that were thrown for it."""

    dice: Annotated[list[int], Field(max_length=1_000)] = Field(default_factory=list)


class Replayed(StrictRecord):
    """The record of a game, how far it is to be played (up to a line and with it), and whether each step is listed."""

    record: str
    until: Annotated[int, Field(ge=1)] | None = None
    steps: bool = False


class AboutOdds(BaseModel):
    """A situation, and what the question about plans takes; the rest is checked by that question."""

    model_config: ClassVar[ConfigDict] = {**STRICT_LATER, "extra": "allow"}
    query: Identifier | None = None
    plan: str | None = None
    top: Annotated[int, Field(ge=1, le=1_000)] = 10


class AboutChoices(BaseModel):
    """A situation, a question about choices with its inputs, conditions, what is best against which reply, how many."""

    model_config: ClassVar[ConfigDict] = {**STRICT_LATER, "extra": "allow"}
    query: Identifier
    where: Annotated[list[str], Field(max_length=50)] = Field(default_factory=list)
    best: str = ""
    against: str = ""
    top: Annotated[int, Field(ge=0, le=1_000)] = 10


class AboutLines(AboutPosition):
    """A piece or a side, the route that it traces, the losses that count, how many to list, and whether who can."""

    of: Identifier
    route: str = ""
    kinds: Annotated[list[str], Field(max_length=2)] = Field(default_factory=list)
    top: Annotated[int, Field(ge=1, le=1_000)] = 10
    reach: bool = False


class StackGiven(StrictRecord):
    """Pieces that move together, and the places where they may end."""

    units: Annotated[list[Identifier], Field(min_length=1, max_length=50)]
    to: Annotated[list[Identifier], Field(min_length=1, max_length=200)]


class AboutJointMoves(AboutPosition):
    """The stacks that are to move, how many ways to list, and whether each must survive any one attempt to stop it."""

    stacks: Annotated[list[StackGiven], Field(min_length=1, max_length=8)]
    top: Annotated[int, Field(ge=1, le=1_000)] = 5
    against: bool = False


# ---------------------------------------------------------------------- replies
# These are rows of tables; the documentation of the protocol describes them.
FaultTold = TypedDict("FaultTold", {"kind": str, "at": str, "message": str, "fix": str})
ErrorTold = TypedDict("ErrorTold", {  # the first fault, how many others there are, and, of rule text, the line
    "kind": str, "at": str, "message": str, "fix": str, "more": NotRequired[str],
    "others": NotRequired[list[FaultTold]], "shown": NotRequired[str],
})  # fmt: skip
ErrorReply = TypedDict("ErrorReply", {"id": Any, "ok": Literal[False], "error": ErrorTold})
DigestsTold = TypedDict("DigestsTold", {"rules": str, "wording": str})
SingleReply = TypedDict("SingleReply", {  # under one edition
    "id": Any, "ok": Literal[True], "answer": Json, "edition": NotRequired[str], "headline": NotRequired[str],
    "outcome": NotRequired[Literal["legal", "illegal", "depends", "answered", "undetermined"]],
    "why": NotRequired[list[Finding]], "witness": NotRequired[Json | None], "nearest": NotRequired[Json | None],
    "assumed": NotRequired[list[str]], "revised": NotRequired[dict[str, str]],
    "depends_on": NotRequired[dict[str, list[str]]], "deciding": NotRequired[list[dict[str, str]]],
    "digest": NotRequired[str], "notes": NotRequired[list[str]],
    "digests": NotRequired[DigestsTold],  # of the rules that were asked
})  # fmt: skip
SHARED = ("digest", "notes")  # fields of a reply about the position, which are the same in every edition


def reply_of(name: str, answer: Any) -> Any:
    """Make the type of a reply with an answer of some type: of one edition, or as `protocol.by_edition` makes it."""
    each: Json = {field: NotRequired[kind if field in SHARED else dict[str, kind]]  # type: ignore[valid-type]
                  for field, kind in get_type_hints(SingleReply).items()}  # fmt: skip
    each |= {"id": Any, "ok": Literal[True], "answer": dict[str, answer], "changes": list[str],
             "errors": NotRequired[dict[str, ErrorTold]]}  # fmt: skip
    single = object_type(f"{name}Reply", {**SingleReply.__annotations__, "answer": answer})
    return single | object_type(f"{name}ReplyByEdition", each)


EditionNamed = TypedDict("EditionNamed", {"edition": str, "title": str})
ReadingTold = TypedDict("ReadingTold", {
    "question": str, "choices": dict[str, str], "editions": dict[str, list[str]], "default": str, "because": str,
})  # fmt: skip
ListingTold = TypedDict("ListingTold", {
    "protocol": int, "game": str, "editions": list[EditionNamed], "overlays": list[str],
    "ships": dict[str, dict[str, str]], "readings": dict[str, ReadingTold], "queries": list[str],
})  # fmt: skip
HealthTold = TypedDict("HealthTold", {"ok": Literal[True], "workers": int, "well": int, "waiting": int})

# ---------------------------------------------------------------------- answers to the questions about games
DiceTold = TypedDict("DiceTold", {
    "count": int, "low": int, "high": int, "lowest": NotRequired[int], "highest": NotRequired[int],
})  # fmt: skip
ActionOffered = TypedDict("ActionOffered", {
    "kind": str, "by": str | None, "choices": Json, "text": str, "dice": DiceTold | None,
})  # fmt: skip
ActionsListed = TypedDict("ActionsListed", {
    "count": int, "to_act": list[str], "actions": list[ActionOffered], "digest": str,
})  # fmt: skip
ActionAdvised = TypedDict("ActionAdvised", {"action": ActionOffered, "digest": str})
ActionJudged = TypedDict("ActionJudged", {"legal": bool, "digest": str})
EventTold = TypedDict("EventTold", {
    "kind": str, "by": str | None, "choices": Json, "text": str, "clauses": list[str], "course": list[str],
})  # fmt: skip
ActionApplied = TypedDict("ActionApplied", {
    "position": PositionTold, "digest": str, "happened": list[EventTold], "over": bool, "result": SummaryTold | None,
    "summary": SummaryTold,
})  # fmt: skip
OutcomeTold = TypedDict("OutcomeTold", {
    "probability": str, "successes": NotRequired[int], "faces": NotRequired[list[int]], "digest": str,
})  # fmt: skip
OutcomesTold = TypedDict("OutcomesTold", {"outcomes": list[OutcomeTold], "digest": str})
NotationTold = TypedDict("NotationTold", {"notation": str, "digest": str})
StepTold = TypedDict("StepTold", {"line": int, "text": str, "summary": SummaryTold, "changes": dict[str, Json]})
CourseTold = TypedDict("CourseTold", {"start": PositionTold, "summary": SummaryTold, "steps": list[StepTold]})
LineRefused = TypedDict("LineRefused", {
    "line": int, "text": str, "reason": str, "clauses": list[str], "why": list[Finding],
})  # fmt: skip
RecordJudged = TypedDict("RecordJudged", {
    "legal": bool, "actions": int, "refused": LineRefused | None, "position": PositionTold, "digest": str, "over": bool,
    "result": SummaryTold | None, "summary": SummaryTold, "course": CourseTold | None,
})  # fmt: skip
LossTold = TypedDict("LossTold", {
    "has": NotRequired[int], "chances": list[str], "expected": str, "destroyed": NotRequired[str],
})  # fmt: skip
PlanTold = TypedDict("PlanTold", {"plan": str, "ways": int, "targets": dict[str, LossTold], "total": LossTold})
OddsOfQuestion = TypedDict("OddsOfQuestion", {
    "query": Required[str], "input": Required[Json], "legal": bool, "plan": str, "ways": int,
    "targets": dict[str, LossTold], "total": LossTold, "count": int, "kinds": int | None, "plans": list[PlanTold],
    "assumes": list[str], "digest": str,
}, total=False)  # fmt: skip
ChoiceTold = TypedDict("ChoiceTold", {"plan": str, "value": NotRequired[str]})
NoChoice = TypedDict("NoChoice", {"conditions": list[str], "clauses": list[str]})
ChoicesTold = TypedDict("ChoicesTold", {
    "query": str, "input": Json, "engine": str, "count": int, "complete": bool, "plans": list[ChoiceTold],
    "against": NotRequired[str], "why": NotRequired[NoChoice | None], "digest": NotRequired[str],
})  # fmt: skip
LossOfLine = TypedDict("LossOfLine", {"kind": str, "id": str, "text": str, "by": NotRequired[list[str]]})
CutTold = TypedDict("CutTold", {"losses": list[LossOfLine], "pieces": list[str], "clauses": list[str]})
LinesTold = TypedDict("LinesTold", {
    "of": str, "route": str, "size": int | None, "at_least": int, "pieces": list[str], "places": list[str],
    "connections": list[str], "safe": list[str], "lost_for_good": list[str], "pockets": list[CutTold],
    "cuts": list[CutTold], "restores": list[CutTold], "complete": bool, "digest": str,
})  # fmt: skip
JointPlanTold = TypedDict("JointPlanTold", {"ends": list[str], "cost": int, "actions": list[str]})
NoJointPlan = TypedDict("NoJointPlan", {"stacks": list[str], "clauses": list[str], "stopped_by": str})
JointMovesTold = TypedDict("JointMovesTold", {
    "plans": list[JointPlanTold], "complete": bool, "why": NotRequired[NoJointPlan], "digest": str,
})  # fmt: skip
OddsOfQuestions = TypedDict("OddsOfQuestions", {"questions": list[OddsOfQuestion], "digest": NotRequired[str]})
