"""Pydantic records of map, force, scenario and search files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model, model_validator
from pydantic.json_schema import models_json_schema

from titm_rules.formats.fields import MAX_ITEMS, table_fields
from titm_rules.formats.record_schemas import STRICT, STRICT_LATER, Identity, Schemas, class_name, schemas_of
from titm_rules.ir.model import Model, Question, RecordSpec

DEFS = "#/$defs/"  # where a JSON Schema keeps what it refers to

# ---------------------------------------------------------------------- maps
BASES = ("attested", "deduced", "reconstructed")
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


class Strict(BaseModel):
    """Values of a file: no other keys, no other types."""

    model_config = STRICT_LATER


class Source(Strict):
    """The origin of data, and how sure they are."""

    basis: Literal[BASES]  # type: ignore[valid-type]
    title: WordsText
    why: WordsText = ""
    sure: Literal["certain", "strong", "fair", "weak"] | None = None


class Mark(Strict):
    """Something printed on places that the rules do not know."""

    says: WordsText
    source: Identity


class Part(Strict):
    """A part of the map that a scenario plays on; a list of places that is left out is whole.

    `edge` names a flag that connections have which lead out of the part, unless they say otherwise.
    """

    title: WordsText
    source: Identity
    places: dict[Identity, Names]
    edge: Identity | None = None


class ShortForm(Strict):
    """A short way for a position to change one field of rows: a key that maps names to values."""

    table: Identity
    field: Identity


class Traveller(Strict):
    """The piece that travels by a route of the rules, and the fields of the situation in which it does."""

    route: Identity
    situation: dict[Identity, PlainValue]
    table: Identity
    piece: ValueNames


class Fact(Strict):
    """Something that a map must hold; exactly one kind of check is given."""

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


class HaveCheck(Strict):
    """The rows named are there, and their field has one of the values, or lies between bounds."""

    names: Names
    field: Identity | None = None
    among: list[PlainValue] = Field(default_factory=list)
    least: int | None = None
    most: int | None = None


class OnlyCheck(Strict):
    """The rows of a table that have these values are exactly the ones named; marks are values too."""

    table: Identity
    where: ValueNames
    names: Names


class CountCheck(Strict):
    """A table has at least so many rows, or so many that have one of these values, field by field."""

    table: Identity
    has: AllowedValues = Field(default_factory=dict)
    least: Count


class WhenCheck(Strict):
    """Every row of a table that has one of the first values has one of the second, field by field."""

    table: Identity
    has: AllowedValues
    wants: AllowedValues


class BorderCheck(Strict):
    """Where a connection joins a place with the first values to one with the second, more must hold.

    The far place has the values of `wants`, the connection those of `link`. Under `table` a place
    gives the name of its table.
    """

    table: Identity
    near: ValueNames
    far: ValueNames
    wants: ValueNames = Field(default_factory=dict)
    link: ValueNames = Field(default_factory=dict)


class NumberedCheck(Strict):
    """Numbers run from 1 without a gap, and places with consecutive numbers are joined."""

    table: Identity


class PartCheck(Strict):
    """A part holds the places named, of some tables nothing else, and has a place in common with another part."""

    part: Identity
    names: Names = Field(default_factory=list)
    exactly: dict[Identity, Names] = Field(default_factory=dict)
    shares: Identity | None = None


class AskCheck(Strict):
    """A question to the rules on this map: the situation besides the map, the input, and what is to come out."""

    query: Identity
    situation: dict[Identity, Any]
    input: dict[Identity, Any] = Field(default_factory=dict)
    answer: dict[Identity, Any] = Field(default_factory=dict)
    above: dict[Identity, int] = Field(default_factory=dict)
    most: dict[Identity, int] = Field(default_factory=dict)


class Grid(Strict):
    """Hexes in columns: two digits of an id are the column, the next two the row, counted from the top.

    Attributes:
        ways: the list that has a row for every two hexes that touch, besides those that are given.
        lower: the columns that lie half a hex lower: odd or even.
    """

    ways: Identity | None = None
    lower: Literal["odd", "even"] = "even"


class Header(Strict):
    """The header of a map file: all but its tables."""

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
    schemas = schemas_of(model)
    tables: dict[str, Any] = {
        name: (Annotated[list[_row(schemas, model.records[spec.type.name])], Field(max_length=MAX_ITEMS)], [])  # type: ignore[misc]
        for name, spec in table_fields(model).items()
    }
    made: type[BaseModel] = create_model("MapFile", __base__=Header, **tables)
    return made


def _row(schemas: Schemas, record: RecordSpec) -> Any:
    """Build the class of a row: what the rules know of it, all but its ends optional, and the map's own fields."""
    fields: dict[str, Any] = {"id": (Identity, ... if record.role == "place" else None)}
    for spec in record.fields:
        annotation, default = schemas.with_default(spec)
        fields[spec.json] = (annotation, ... if spec.type.kind == "pair" else None if default is ... else default)
    own = {name: field for name, field in {**_OWN[record.role], **_COMMON}.items() if name not in fields}
    return create_model(f"{class_name(record.name)}Row", __config__=STRICT, **fields, **own)


def own_fields(role: str) -> tuple[str, ...]:
    """Name the fields of a row that are the map's and not the rules'."""
    return (*_OWN[role], *_COMMON)


def question_schemas(model: Model) -> dict[str, Mapping[str, Any]]:
    """Give the JSON Schema of the input of every question; a situation with places may name a map instead."""
    classes = {name: schemas_of(model).question(question) for name, question in model.questions.items()}
    made, shared = models_json_schema([(one, "validation") for one in classes.values()])  # all at once: they share much
    defs = shared.get("$defs", {})
    roots = {name: made[one, "validation"]["$ref"].removeprefix(DEFS) for name, one in classes.items()}
    return {name: _with_map(model, model.questions[name], _closed(root, defs)) for name, root in roots.items()}


def _closed(root: str, defs: Mapping[str, Any]) -> dict[str, Any]:
    """Give a definition with all others that it refers to."""
    found: dict[str, Any] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = defs[name]
            waiting += _referred(defs[name])
    del found[root]
    return {**({"$defs": {name: found[name] for name in sorted(found)}} if found else {}), **defs[root]}


def _referred(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(name := value.get("$ref"), str):
            yield name.removeprefix(DEFS)
        for part in value.values():
            yield from _referred(part)
    elif isinstance(value, list):
        for part in value:
            yield from _referred(part)


def _with_map(model: Model, question: Question, schema: dict[str, Any]) -> dict[str, Any]:
    tables = table_fields(model, question.situation) if question.situation else {}
    if not tables:
        return schema
    whole = schema["properties"][question.situation]
    spelled = schema["$defs"][whole["$ref"].removeprefix(DEFS)]
    rows = {"type": "array", "items": {"type": "object", "required": ["id"]}, "maxItems": MAX_ITEMS}
    title = f"{spelled['title']}OnMap"
    named = {
        "title": title,
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
    either = {"anyOf": [whole, {"$ref": DEFS + title}]}
    schema["$defs"][title] = named
    return {**schema, "properties": {**schema["properties"], question.situation: either}}


# ---------------------------------------------------------------------- scenarios
Match = dict[Identity, Any]


class ForceRow(BaseModel):
    """A piece, or one that waits: what describes it here, and fields of its record in the rules."""

    model_config: ClassVar[ConfigDict] = {**STRICT_LATER, "extra": "allow"}
    id: Identity
    formation: Identity | None = None
    branch: Identity | None = None
    marks: Names = Field(default_factory=list)
    note: WordsText = ""
    source: dict[Identity, Identity] = Field(default_factory=dict)


class Total(Strict):
    """The number of rows with some values, over all lists, and the sum of a field of theirs."""

    id: Slug
    says: WordsText
    source: Identity
    where: Match
    rows: Count | None = None
    sum: dict[Identity, Count] = Field(default_factory=dict)


class Catalogue(Strict):
    """The common part of force and scenario files: sources, and rows by the list of the position that they go to."""

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


class Choice(Strict):
    """Rows of the force file that have some values; the scenario may set others."""

    where: Match
    set: Match = Field(default_factory=dict)
    source: Identity


class Level(Strict):
    """A row of a victory table: the clause that has it, if one does, and the points, if points decide."""

    clause: Identity | None = None
    level: Identity
    says: WordsText
    least: int | None = None
    most: int | None = None


class LastImpulse(Strict):
    """When the scenario ends: after the last player impulse, given by fields of the position."""

    clause: Identity | None = None
    says: WordsText
    after: Match


class PlayingArea(Strict):
    """A part of the map that is in play on the whole map: places outside it get these values."""

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


# ---------------------------------------------------------------------- search
ListedValues = Annotated[list[Any], Field(min_length=1, max_length=100)]
ListSize = Annotated[int, Field(ge=0, le=40)]


class AnyOf(Strict):
    """Values that are all as plain as each other."""

    any: ListedValues


# A list begins with its plain value; each other one makes a world larger by one.
Domains = dict[Identity, ListedValues | AnyOf]


class Group(Strict):
    """Records of a list: how many there may be, and what their fields may be; each makes a world larger by one."""

    records: Identity = Field(alias="list")
    named: Identity
    least: ListSize = 0
    most: ListSize = 1
    fixed: dict[Identity, Any] = Field(default_factory=dict)
    fields: Domains = Field(default_factory=dict)
    distinct: Annotated[list[Identity], Field(max_length=10)] = Field(default_factory=list)


class WorldSpec(Strict):
    """Small worlds: a situation with what is fixed, what its fields may be, and groups of records."""

    says: WordsText
    situation: Identity
    fixed: dict[Identity, Any] = Field(default_factory=dict)
    fields: Domains = Field(default_factory=dict)
    records: Annotated[list[Group], Field(max_length=20)] = Field(default_factory=list)


class Hunt(Strict):
    """A question to put to all worlds of a kind up to a size."""

    question: Identity
    world: Identity
    takes: Domains = Field(default_factory=dict)
    most: ListSize


class Survey(Strict):
    """A question to put to all worlds of a kind with so many records in each group at most.

    `bounds` gives for each group the index of the atlas's number that bounds it; default: their order.
    `idle` names fields, by list, that play no part in the question: worlds that differ in them alone are asked once.
    """

    says: WordsText
    question: Identity
    world: Identity
    takes: Domains = Field(default_factory=dict)
    bounds: Annotated[list[ListSize], Field(max_length=20)] | None = None
    idle: dict[Identity, list[Identity]] = Field(default_factory=dict)


class PlayedCourse(Strict):
    """Situations from which games are played under two editions side by side, and how far."""

    world: Identity
    actions: Annotated[int, Field(ge=1, le=60)]


class SearchFile(Strict):
    """The worlds that are searched for differences between editions, besides those made of the declarations."""

    format: Literal[1]
    worlds: dict[Identity, WorldSpec] = Field(default_factory=dict)
    play: Annotated[list[PlayedCourse], Field(max_length=50)] = Field(default_factory=list)
    find: Annotated[list[Hunt], Field(max_length=200)] = Field(default_factory=list)
    atlas: Annotated[list[Survey], Field(max_length=50)] = Field(default_factory=list)
    asked: dict[Identity, dict[Identity, ListedValues]] = Field(default_factory=dict)


# ---------------------------------------------------------------------- rulings
class KeptRules(Strict):
    """House rules that do not ship, in full."""

    name: Slug
    text: Annotated[str, StringConstraints(max_length=64 * 1024, strict=True)]


KeptOverlays = Annotated[list[Identity | KeptRules], Field(max_length=MAX_ITEMS)]  # a name is that of some that ship
GameName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$", strict=True)]  # never a path


class RulingText(Strict):
    """A verdict that was kept: the rules, the situation, the question, what the answer was, and a digest of it all.

    `position` is a notation and the digest of the position, or its values. `rules` and `wording` are digests of the
    rules. `clauses` are those that decided: of an illegal action those that forbid it.
    """

    question: str
    game: GameName
    edition: str
    overlays: KeptOverlays
    readings: dict[Identity, Identity]
    rules: str
    wording: str
    situation: str
    position: str | dict[str, Any]
    query: Identity
    input: dict[str, Any]
    outcome: Literal["legal", "illegal", "depends", "answered", "undetermined"]
    answer: dict[str, Any]
    clauses: list[str]
    version: str
    digest: str


class EventText(Strict):
    """The rules of an event: its edition and house rules, and the readings that its director has settled.

    `because` has the reasons of readings.
    """

    event: WordsText
    game: GameName
    edition: str
    overlays: KeptOverlays
    readings: dict[Identity, Identity]
    because: dict[Identity, WordsText] = Field(default_factory=dict)


# ---------------------------------------------------------------------- certificates of proofs
class CertifiedRules(Strict):
    """The rules that something is proved of, and a digest of what they decide."""

    edition: str
    overlays: KeptOverlays
    rules: str


class CertifiedClaim(Strict):
    """A claim about a head, or about a claim of the rules, and its opposite as SMT-LIB."""

    head: str
    claim: str
    smt2: str


class CertificateFile(Strict):
    """What is proved of one edition, or of the second of two against the first.

    `named` are the claims of the rules that were asked for. `heads` and `questions` say what follows, by name: a
    relation, and for questions under which readings and from what.
    """

    format: Literal[3]
    game: GameName
    of: Annotated[list[CertifiedRules], Field(min_length=1, max_length=2)]
    named: list[Identity]
    count: int
    heads: dict[str, str]
    questions: dict[str, list[str]]
    claims: list[CertifiedClaim]

    @model_validator(mode="after")
    def _is_whole(self) -> CertificateFile:
        """Want as many claims as it counts, each once."""
        found = len({(one.head, one.claim, one.smt2) for one in self.claims})
        if not (found and found == len(self.claims) == self.count):
            raise ValueError(f"a certificate holds the claims that it counts: {self.count} counted, {found} found")
        return self


# ---------------------------------------------------------------------- what cuts a line
class LostField(Strict):
    """The field of a connection that a loss changes, from one value to another; both as JSON has them."""

    field: Identity
    before: Identity
    after: Identity


class LinesFile(Strict):
    """What may cut a line that a route traces; rule sets that lack a part of it lack that kind of loss.

    Attributes:
        holder: the piece that holds a place against a side: its fields besides its id, side and place.
        holds: the kinds of places that it may hold.
        beside_enemies: whether it may hold a place where pieces of that side stand.
        closes: how many steps from its place it may matter to a step of a trace; without it, to a goal only where it
            stands.
        lost: how a connection is lost, for rule sets in which no move is interrupted at one.
    """

    format: Literal[1]
    holder: dict[Identity, str | int | bool] | None = None
    holds: Annotated[list[Identity], Field(max_length=20)] = Field(default_factory=list)
    beside_enemies: bool = False
    closes: Annotated[int, Field(ge=0, le=3)] = 0
    lost: LostField | None = None


# ---------------------------------------------------------------------- whose choice answers whose
class ReplyText(Strict):
    """A choice that is answered by one of the same question with other inputs, once the losses of the first are taken.

    `gone` is the list of those that lost all they had; empty if the situation keeps none.
    """

    question: Identity
    first: dict[Identity, Identity]
    then: dict[Identity, Identity]
    gone: Identity | None = None


class RepliesFile(Strict):
    """Whose choice answers whose."""

    format: Literal[1]
    replies: Annotated[list[ReplyText], Field(max_length=50)] = Field(default_factory=list)
