"""The records of the protocol: one set of requests and errors for lines, HTTP and Python.

The input of a question of the rule set is checked against the record that its vocabulary declares; the records here are
the frame, and the questions about whole games, which every game answers.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from titm_rules.editions.registry import MAX_NAME
from titm_rules.formats.fields import MAX_TEXT
from titm_rules.formats.record_schemas import TAG

MAX_EDITIONS, MAX_OVERLAYS, MAX_LISTED = 50, 8, 20_000
ALL = "all"
Name = Annotated[str, StringConstraints(max_length=MAX_NAME)]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]
Json = dict[str, Any]


def _form_of(value: object) -> str:
    """Return the form of a value, so that a fault is about that form alone."""
    if isinstance(value, str):
        return f"{TAG}text"
    if isinstance(value, dict) and value.keys() == {"ref"}:
        return f"{TAG}ref"
    return f"{TAG}list" if isinstance(value, list) else f"{TAG}object"


class StrictRecord(BaseModel):
    """What a request holds: no other fields, and no values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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
    Annotated[str, Tag(f"{TAG}text")] | Annotated[Ref, Tag(f"{TAG}ref")] | Annotated[Json, Tag(f"{TAG}object")], _Either
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

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    query: Identifier | None = None
    plan: str | None = None
    top: Annotated[int, Field(ge=1, le=1_000)] = 10


class FaultTold(BaseModel):
    """One fault: its kind, its place, a message, and a remedy."""

    kind: str
    at: str
    message: str
    fix: str


class ErrorTold(FaultTold):
    """The faults of a request: the first, the others, and how many those are.

    `shown` is the fault with its line of text, where it is one of rule text.
    """

    more: str | None = None
    others: list[FaultTold] | None = None
    shown: str | None = None
