"""Pydantic records of map, force, scenario and search files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model, model_validator

from titm_rules.formats.record_schemas import Identity, SchemaBuilder, json_schema, validate
from titm_rules.formats.validate import MAX_ITEMS, table_fields
from titm_rules.ir.model import Model, Question, RecordSpec

# ---------------------------------------------------------------------- maps
BASES = ("attested", "deduced", "reconstructed")
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$", strict=True)]
WordsText = Annotated[str, StringConstraints(max_length=2_000, strict=True)]
Degrees = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False, strict=False)]
Coordinate = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False, strict=False)]
Number = Annotated[int, Field(ge=1, le=100_000)]
Count = Annotated[int, Field(ge=0, le=100_000)]
PlainValue = bool | int | Identity | None
Names = Annotated[list[Identity], Field(max_length=MAX_ITEMS)]
ValueNames = dict[Identity, PlainValue]
AllowedValues = dict[Identity, list[PlainValue]]


class Source(BaseModel):
    """The origin of data, and how sure they are."""

    model_config = _STRICT
    basis: Literal[BASES]  # type: ignore[valid-type]
    title: WordsText
    why: WordsText = ""
    sure: Literal["certain", "strong", "fair", "weak"] | None = None


class Mark(BaseModel):
    """Something printed on places that the rules do not know."""

    model_config = _STRICT
    says: WordsText
    source: Identity


class Part(BaseModel):
    """A part of the map that a scenario plays on; a list of places that is left out is whole.

    `edge` names a flag that connections have which lead out of the part, unless they say otherwise.
    """

    model_config = _STRICT
    title: WordsText
    source: Identity
    places: dict[Identity, Names]
    edge: Identity | None = None


class ShortForm(BaseModel):
    """A short way for a position to change one field of rows: a key that maps names to values."""

    model_config = _STRICT
    table: Identity
    field: Identity


class Traveller(BaseModel):
    """The piece that travels by a route of the rules, and the fields of the situation in which it does."""

    model_config = _STRICT
    route: Identity
    situation: dict[Identity, PlainValue]
    table: Identity
    piece: ValueNames


class Fact(BaseModel):
    """Something that a map must hold; exactly one kind of check is given."""

    model_config = _STRICT
    id: Slug
    says: WordsText
    source: Identity

    @model_validator(mode="after")
    def _has_one_check(self) -> Fact:
        if len(self.model_fields_set - {"id", "says", "source"}) != 1:
            checks = sorted(set(type(self).model_fields) - {"id", "says", "source"})
            raise ValueError(f"a fact has one check of: {', '.join(checks)}")
        return self

    have: HaveCheck | None = None
    absent: Names | None = None
    only: OnlyCheck | None = None
    count: CountCheck | None = None
    when: WhenCheck | None = None
    border: BorderCheck | None = None
    numbered: NumberedCheck | None = None
    part: PartCheck | None = None
    ring: Names | None = None
    ask: AskCheck | None = None


class HaveCheck(BaseModel):
    """The rows named are there, and their field has one of the values, or lies between bounds."""

    model_config = _STRICT
    names: Names
    field: Identity | None = None
    among: list[PlainValue] = Field(default_factory=list)
    least: int | None = None
    most: int | None = None


class OnlyCheck(BaseModel):
    """The rows of a table that have these values are exactly the ones named; marks are values too."""

    model_config = _STRICT
    table: Identity
    where: ValueNames
    names: Names


class CountCheck(BaseModel):
    """A table has at least so many rows, or so many that have one of these values, field by field."""

    model_config = _STRICT
    table: Identity
    has: AllowedValues = Field(default_factory=dict)
    least: Count


class WhenCheck(BaseModel):
    """Every row of a table that has one of the first values has one of the second, field by field."""

    model_config = _STRICT
    table: Identity
    has: AllowedValues
    wants: AllowedValues


class BorderCheck(BaseModel):
    """Where a connection joins a place with the first values to one with the second, more must hold.

    The far place has the values of `wants`, the connection those of `link`. Under `table` a place
    gives the name of its table.
    """

    model_config = _STRICT
    table: Identity
    near: ValueNames
    far: ValueNames
    wants: ValueNames = Field(default_factory=dict)
    link: ValueNames = Field(default_factory=dict)


class NumberedCheck(BaseModel):
    """Numbers run from 1 without a gap, and places with consecutive numbers are joined."""

    model_config = _STRICT
    table: Identity


class PartCheck(BaseModel):
    """A part holds the places named, of some tables nothing else, and has a place in common with another part."""

    model_config = _STRICT
    part: Identity
    names: Names = Field(default_factory=list)
    exactly: dict[Identity, Names] = Field(default_factory=dict)
    shares: Identity | None = None


class AskCheck(BaseModel):
    """A question to the rules on this map: the situation besides the map, the input, and what is to come out."""

    model_config = _STRICT
    query: Identity
    situation: dict[Identity, Any]
    input: dict[Identity, Any] = Field(default_factory=dict)
    answer: dict[Identity, Any] = Field(default_factory=dict)
    above: dict[Identity, int] = Field(default_factory=dict)
    most: dict[Identity, int] = Field(default_factory=dict)


class Grid(BaseModel):
    """Hexes in columns: two digits of an id are the column, the next two the row, counted from the top.

    Attributes:
        ways: the list that has a row for every two hexes that touch, besides those that are given.
        lower: the columns that lie half a hex lower: odd or even.
    """

    model_config = _STRICT
    ways: Identity | None = None
    lower: Literal["odd", "even"] = "even"


class Header(BaseModel):
    """The header of a map file: all but its tables."""

    model_config = _STRICT
    format: Literal[1]
    name: Slug
    game: Identity | None = None
    title: WordsText
    about: WordsText = ""
    fragment: bool = False
    grid: Grid | None = None
    holds: Annotated[list[Slug], Field(max_length=20)] = Field(default_factory=list)
    sources: dict[Identity, Source]
    defaults: dict[Identity, dict[Identity, Identity]]
    marks: dict[Slug, Mark] = Field(default_factory=dict)
    parts: dict[Slug, Part] = Field(default_factory=dict)
    changes: dict[Identity, ShortForm] = Field(default_factory=dict)
    traveller: Traveller | None = None
    facts: Annotated[list[Fact], Field(max_length=500)] = Field(default_factory=list)


Fact.model_rebuild()

_OWN: dict[str, dict[str, Any]] = {
    "place": {
        "number": (Number, None),
        "aliases": (Names, []),
        "lon": (Degrees, None),
        "lat": (Degrees, None),
        "x": (Coordinate, None),
        "y": (Coordinate, None),
        "marks": (Names, []),
    },
    "connection": {"aliases": (Names, []), "over": (Identity, None), "marks": (Names, [])},
}
_COMMON: dict[str, Any] = {"note": (WordsText, ""), "source": (dict[Identity, Identity], {})}


def map_class(model: Model) -> type[BaseModel]:
    """Build the class of map files for a rule set."""
    builder = SchemaBuilder(model)
    tables: dict[str, Any] = {
        name: (Annotated[list[_row(builder, model.records[spec.type.name])], Field(max_length=MAX_ITEMS)], [])  # type: ignore[misc]
        for name, spec in table_fields(model).items()
    }
    made: type[BaseModel] = create_model("MapFile", __base__=Header, **tables)
    return made


def _row(builder: SchemaBuilder, record: RecordSpec) -> Any:
    """Build the class of a row: what the rules know of it, all but its ends optional, and the map's own fields."""
    fields: dict[str, Any] = {"id": (Identity, ... if record.role == "place" else None)}
    for spec in record.fields:
        annotation, default = builder.field(spec)
        fields[spec.json] = (annotation, ... if spec.type.kind == "pair" else _unset(default))
    own = {name: field for name, field in {**_OWN[record.role], **_COMMON}.items() if name not in fields}
    name = "".join(part.capitalize() for part in record.name.split("-"))
    return create_model(f"{name}Row", __config__=_STRICT, **fields, **own)


def _unset(default: Any) -> Any:
    return None if default is ... else default


def own_fields(role: str) -> tuple[str, ...]:
    """Name the fields of a row that are the map's and not the rules'."""
    return (*_OWN[role], *_COMMON)


def check_map_file(model: Model, raw: object, where: str) -> dict[str, Any]:
    """Check the values of a map file; return them with defaults left out.

    Raises:
        InputError: with a fault for every place that is wrong.
    """
    return validate(map_class(model), raw, where)


def question_schema(model: Model, question: Question) -> Mapping[str, Any]:
    """Give the JSON Schema of a question's input; a situation with places may name a map instead of listing them."""
    schema = dict(json_schema(model, question))
    tables = table_fields(model, question.situation) if question.situation else {}
    if not tables:
        return schema
    whole = schema["properties"][question.situation]
    spelled = schema["$defs"][whole["$ref"].rsplit("/", 1)[1]]
    rows = {"type": "array", "items": {"type": "object", "required": ["id"]}, "maxItems": MAX_ITEMS}
    named = {
        "title": f"{spelled['title']} on a map that ships",
        "description": "Lists of the map give rows that differ; the map may declare further keys for changes.",
        "type": "object",
        "required": ["map", *(name for name in spelled.get("required", ()) if name not in tables)],
        "properties": {
            **spelled["properties"],
            **dict.fromkeys(tables, rows),
            "map": {"type": "string"},
            "map_part": {"type": "string"},
        },
    }
    return {**schema, "properties": {**schema["properties"], question.situation: {"anyOf": [whole, named]}}}


def map_schema(model: Model) -> Mapping[str, Any]:
    """Give the JSON Schema of map files."""
    return map_class(model).model_json_schema()


# ---------------------------------------------------------------------- scenarios
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
    """The number of rows with some values, over all lists, and the sum of a field of theirs."""

    model_config = _STRICT
    id: Slug
    says: WordsText
    source: Identity
    where: Match
    rows: Count | None = None
    sum: dict[Identity, Count] = Field(default_factory=dict)


class Catalogue(BaseModel):
    """The common part of force and scenario files: sources, and rows by the list of the position that they go to."""

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


# ---------------------------------------------------------------------- search
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

    `bounds` gives for each group the index of the atlas's number that bounds it; default: their order.
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
    """The worlds that are searched for differences between editions.

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
