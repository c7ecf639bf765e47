"""Records of a search file: the small worlds in which editions are compared, and what is asked in them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from titm_rules.formats.maps import WordsText
from titm_rules.formats.records import Identity, validate

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
ListedValues = Annotated[list[Any], Field(min_length=1, max_length=100)]
ListSize = Annotated[int, Field(ge=0, le=40)]


class AnyOf(BaseModel):
    """Values that are all as plain as each other."""

    model_config = _STRICT
    any: ListedValues


# A list begins with its plain value; each other one makes a world larger by one.
Domains = dict[Identity, ListedValues | AnyOf]


class Group(BaseModel):
    """Records of a list: how many there may be, and what their fields may be; each makes a world larger by one."""

    model_config = _STRICT
    records: Identity = Field(alias="list")
    named: Identity
    least: ListSize = 0
    most: ListSize = 1
    fixed: dict[Identity, Any] = Field(default_factory=dict)
    fields: Domains = Field(default_factory=dict)
    distinct: Annotated[list[Identity], Field(max_length=10)] = Field(default_factory=list)


class WorldSpec(BaseModel):
    """Small worlds: a situation with what is fixed, what its fields may be, and groups of records."""

    model_config = _STRICT
    says: WordsText
    situation: Identity
    fixed: dict[Identity, Any] = Field(default_factory=dict)
    fields: Domains = Field(default_factory=dict)
    records: Annotated[list[Group], Field(max_length=20)] = Field(default_factory=list)


class Hunt(BaseModel):
    """A question to put to all worlds of a kind up to a size."""

    model_config = _STRICT
    question: Identity
    world: Identity
    takes: Domains = Field(default_factory=dict)
    most: ListSize


class Survey(BaseModel):
    """A question to put to all worlds of a kind with so many records in each group at most.

    `bounds` tells for each group which of the numbers that an atlas is given bounds it; default: their order.
    `idle` names fields, by list, that play no part in the question: worlds that differ in them alone are asked once.
    """

    model_config = _STRICT
    says: WordsText
    question: Identity
    world: Identity
    takes: Domains = Field(default_factory=dict)
    bounds: Annotated[list[ListSize], Field(max_length=20)] | None = None
    idle: dict[Identity, list[Identity]] = Field(default_factory=dict)


class PlayedCourse(BaseModel):
    """Situations from which games are played under two editions side by side, and how far."""

    model_config = _STRICT
    world: Identity
    actions: Annotated[int, Field(ge=1, le=60)]


class SearchFile(BaseModel):
    """What is searched for differences between editions.

    `grounds` names, by situation, the worlds in which a question is asked that `find` does not name.
    """

    model_config = _STRICT
    format: Literal[1]
    worlds: dict[Identity, WorldSpec]
    grounds: dict[Identity, Identity] = Field(default_factory=dict)
    play: Annotated[list[PlayedCourse], Field(max_length=50)] = Field(default_factory=list)
    find: Annotated[list[Hunt], Field(max_length=200)] = Field(default_factory=list)
    atlas: Annotated[list[Survey], Field(max_length=50)] = Field(default_factory=list)
    asked: dict[Identity, dict[Identity, ListedValues]] = Field(default_factory=dict)


def check_search(raw: object, where: str) -> SearchFile:
    """Check the values of a search file.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    validate(SearchFile, raw, where)
    return SearchFile.model_validate(raw)
