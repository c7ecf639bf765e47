"""Records of force files and scenario files; what the rules know of a piece is checked in a position."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from titm_rules.formats.maps import AskCheck, Count, Mark, Names, Slug, Source, WordsText
from titm_rules.formats.records import Identity, validate
from titm_rules.formats.sound import MAX_ITEMS

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
Match = dict[Identity, Any]


class ForceRow(BaseModel):
    """A piece, or one that waits: what describes it here, and fields of its record in the rules."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    id: Identity
    formation: Identity | None = None
    branch: Identity | None = None
    marks: Names = Field(default_factory=list)
    note: WordsText = ""
    source: dict[Identity, Identity] = Field(default_factory=dict)


class Total(BaseModel):
    """How many rows have some values, over all lists, and what a field of theirs adds up to."""

    model_config = _STRICT
    id: Slug
    says: WordsText
    source: Identity
    where: Match
    rows: Count | None = None
    sum: dict[Identity, Count] = Field(default_factory=dict)


class Catalogue(BaseModel):
    """What force files and scenario files share: sources, and rows by the list of the position that they go to."""

    model_config = _STRICT
    format: Literal[1]
    name: Slug
    game: Identity | None = None
    title: WordsText
    about: WordsText = ""
    sources: dict[Identity, Source] = Field(default_factory=dict)
    defaults: dict[Identity, dict[Identity, Identity]] = Field(default_factory=dict)
    marks: dict[Slug, Mark] = Field(default_factory=dict)
    lists: dict[Identity, Annotated[list[ForceRow], Field(max_length=MAX_ITEMS)]] = Field(default_factory=dict)
    totals: Annotated[list[Total], Field(max_length=200)] = Field(default_factory=list)


class ForceFile(Catalogue):
    """Units with their set-up places and arrivals, from which scenarios choose."""


class Choice(BaseModel):
    """Rows of the force file that have some values; the scenario may set others."""

    model_config = _STRICT
    where: Match
    set: Match = Field(default_factory=dict)
    source: Identity


class Level(BaseModel):
    """A row of a victory table: the clause that has it, if one does, and the points, if points decide."""

    model_config = _STRICT
    clause: Identity | None = None
    level: Identity
    says: WordsText
    least: int | None = None
    most: int | None = None


class LastImpulse(BaseModel):
    """When the scenario ends: after the last player impulse, given by fields of the position."""

    model_config = _STRICT
    clause: Identity | None = None
    says: WordsText
    after: Match


class PlayingArea(BaseModel):
    """A part of the map that is in play on the whole map: places outside it get these values."""

    model_config = _STRICT
    part: Slug
    outside: Match


class EachCheck(AskCheck):
    """A question about every row of a list; its id goes into the input that is named."""

    id: Slug
    says: WordsText
    each: Identity
    as_: Identity = Field(alias="as")


class ScenarioFile(Catalogue):
    """A scenario: map, part, forces, start, end, victory, and the clauses of its own."""

    edition: Identity | None = None
    situation: Identity
    map: Slug
    part: Slug | None = None
    playing_area: PlayingArea | None = None
    forces: Slug | None = None
    choose: Annotated[list[Choice], Field(max_length=500)] | None = None
    start: Match
    end: LastImpulse
    victory: Annotated[list[Level], Field(max_length=50)]
    special: Slug | None = None
    checks: Annotated[list[EachCheck], Field(max_length=50)] = Field(default_factory=list)


def check_forces(raw: object, where: str) -> dict[str, Any]:
    """Check the values of a force file.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    return validate(ForceFile, raw, where)


def check_scenario(raw: object, where: str) -> dict[str, Any]:
    """Check the values of a scenario file.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    return validate(ScenarioFile, raw, where)


def scenario_schemas() -> dict[str, Any]:
    """Give the JSON Schemas of force files and scenario files."""
    return {"forces": ForceFile.model_json_schema(), "scenario": ScenarioFile.model_json_schema()}
