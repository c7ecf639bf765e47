"""Records with slots, joined by reference, and their text and JSON forms."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, ClassVar, cast

from titm_rules.ir.model import MISSING, FieldSpec, Model, RecordSpec
from titm_rules.ir.terms import Apply, Template, Term
from titm_rules.ir.types import Type, amount, hyphenated


# ---------------------------------------------------------------------- records
class Record:
    """A place, piece, connection or plain record; its fields are attributes.

    What is not the rule set's own ends in an underscore, as no name in the rules does: `record_` is
    the name of its record, `index_` orders the records of one type (places: of all types of places): from 0, with
    gaps where some are gone.
    """

    __slots__ = ("id", "index_", "record_")
    id: str
    index_: int
    record_: str
    _spec: ClassVar[RecordSpec]  # no field of a rule set starts with an underscore
    _joints: ClassVar[Mapping[str, Callable[[], object]]] = MappingProxyType({})
    _copier: ClassVar[Callable[[Record], Any] | None] = None  # of a class of one record: made when it is first asked

    def __repr__(self) -> str:
        return f"<{self.record_} {self.id}>"


class Place(Record):
    """A place; `links_` has, by type of connection, pairs of one and the place at its other end, in input order."""

    __slots__ = ("links_",)
    links_: dict[str, list[tuple[Connection, Place]]]
    _joints = MappingProxyType({"links_": dict})


class Connection(Record):
    """A connection; its two `ends` are a field that every rule set declares."""

    __slots__ = ()
    ends: list[Place]


class Piece(Record):
    """A piece; the `place` where it stands is a field that every rule set declares."""

    __slots__ = ()
    place: Place | None


class Situation(Record):
    """The situation itself, whose fields are lists, values and references.

    `standing_` holds, by place, the pieces that stand there; `memo_` what a compiled engine remembers,
    and `engine_` is that engine.
    """

    __slots__ = ("engine_", "memo_", "standing_")
    standing_: dict[Place, list[Piece]]
    memo_: Any
    engine_: Any
    _joints = MappingProxyType({"standing_": dict, "memo_": dict, "engine_": lambda: None})


Mover = Piece | list[Piece]
Value = Record | Sequence["Value"] | int | str | None  # what terms are worth; a flag is a number too
_OF_ROLES = {"place": Place, "connection": Connection, "piece": Piece, "situation": Situation}


@lru_cache(maxsize=256)
def record_class(spec: RecordSpec) -> type[Record]:
    """Build the class of a record, with a slot for each field."""
    slots = tuple(field.name for field in spec.fields if field.name != "id")
    return type(spec.name, (_OF_ROLES.get(spec.role, Record),), {"__slots__": slots, "_spec": spec})


def new_record(made_of: type[Record], identity: str, index: int) -> Any:
    """Make a record of a class that `record_class` gave; joints start empty."""
    made = made_of()
    made.id, made.index_, made.record_ = identity, index, made_of._spec.name
    for joint, empty in made_of._joints.items():
        setattr(made, joint, empty())
    return made


def copied(record: Record) -> Any:
    """Make a record with the same fields; joints start empty."""
    made_of = type(record)
    if made_of._copier is None:
        made_of._copier = _copier(made_of)
    return made_of._copier(record)


def _copier(made_of: type[Record]) -> Callable[[Record], Any]:
    def read(name: str) -> ast.expr:
        return ast.Name(name, ast.Load())

    def written(field: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Attribute(read("made"), field, ast.Store())], value)

    slots = [name for one in made_of.__mro__ for name in one.__dict__.get("__slots__", ())]
    fields = [name for name in slots if name not in made_of._joints]
    body = [
        ast.Assign([ast.Name("made", ast.Store())], ast.Call(read("made_of"), [], [])),
        *(written(name, ast.Attribute(read("one"), name, ast.Load())) for name in fields),
        *(written(joint, ast.Call(read(joint), [], [])) for joint in made_of._joints),
        ast.Return(read("made")),
    ]
    arguments = ast.arguments([], [ast.arg("one")], None, [], [], None, [])
    module = ast.fix_missing_locations(ast.Module([ast.FunctionDef("copied", arguments, body, [])], []))
    names: dict[str, Any] = {"made_of": made_of, **made_of._joints}
    exec(compile(module, f"<{made_of.__name__}>", "exec"), names)
    return cast(Callable[[Record], Any], names["copied"])


def all_links(place: Place) -> list[tuple[Connection, Place]]:
    """List the connections at a place, whatever their type, with the places at their other ends."""
    return [pair for pairs in place.links_.values() for pair in pairs]


# ---------------------------------------------------------------------- written
_PART = re.compile(r"\{([^{}]*)\}")


def parse_record(model: Model, name: str, text: str | None) -> Any:
    """Read a text as a record of a type that is written; nothing if it is not of that form."""
    record = model.records[name]
    found = _pattern(model, record).fullmatch(text) if text is not None else None
    if found is None:
        return None
    made = new_record(record_class(record), "", 0)
    for spec in record.fields:
        value = _value(model, spec, found[spec.name])
        if value is None:
            return None
        setattr(made, spec.name, value)
    return made


def _value(model: Model, spec: FieldSpec, text: str | None) -> int | None:
    """Read a field: a rank or a number; nothing for a number out of its range."""
    if not text:
        text = str(spec.default)
    if spec.type.kind == "enum":
        return model.enums[spec.type.name].texts.index(text)
    number = int(text)
    low, high = spec.type.low, spec.type.high
    return number if low is None or high is None or low <= number <= high else None


def _pattern(model: Model, record: RecordSpec) -> re.Pattern[str]:
    """Make the pattern of a record's text; a field with a default may be left out of it."""
    fields = {hyphenated(spec.name): spec for spec in record.fields}
    pieces = _PART.split(record.written)
    pieces[1::2] = [_field(model, fields[name]) for name in pieces[1::2]]
    pieces[::2] = map(re.escape, pieces[::2])
    return re.compile("".join(pieces), re.ASCII)


def _field(model: Model, spec: FieldSpec) -> str:
    inner = r"\d{1,9}"
    if spec.type.kind == "enum":
        inner = "|".join(map(re.escape, model.enums[spec.type.name].texts))
    return f"(?P<{spec.name}>{inner}){'' if spec.default == MISSING else '?'}"


# ---------------------------------------------------------------------- show
def to_json(model: Model, wanted: Type, value: Value) -> Any:
    """Write a value of a type as a situation has it; lists keep their order."""
    if value is None or isinstance(value, bool):
        return value
    if wanted.kind == "enum":
        assert isinstance(value, int)
        return model.enums[wanted.name].texts[value]
    if wanted.kind in ("set", "pair"):
        assert isinstance(value, list | tuple)
        inner = Type("enum", wanted.name) if wanted.name in model.enums else Type("record", wanted.name)
        return [to_json(model, inner, one) for one in value]
    return getattr(value, "id", value)


def in_unit(wanted: Type, value: Value) -> Any:
    """Give a value; a number of a measure is then written in its unit."""
    return amount(wanted.measure, value) if type(value) is int else value


def writer_of(model: Model, wanted: Type) -> Callable[[Any], Any]:
    """Give the function that writes values of a type, as `to_json` does."""
    if wanted.kind == "enum":
        texts: dict[int | None, str | None] = {None: None, **dict(enumerate(model.enums[wanted.name].texts))}
        return texts.__getitem__
    if wanted.kind in ("set", "pair"):
        return partial(to_json, model, wanted)
    return lambda value: getattr(value, "id", value)


_PLURALS = {"is": "are", "has": "have", "was": "were", "does": "do"}


def told(model: Model, template: Template, evaluate: Callable[[Term], Value]) -> str:
    """Fill the slots of the words of a refusal; a verb behind names agrees with their number."""
    return "".join(part if isinstance(part, str) else _filled(model, part, evaluate) for part in template)


def _filled(model: Model, term: Term, evaluate: Callable[[Term], Value]) -> str:
    if isinstance(term, Apply) and term.op == "verb":
        names, verb = term.args
        value, word = evaluate(names), str(evaluate(verb))
        is_plural = isinstance(value, list | tuple) and len(value) > 1
        return f"{_filled(model, names, evaluate)} {_PLURALS.get(word, word.removesuffix('s')) if is_plural else word}"
    return _in_words(to_json(model, term.type, in_unit(term.type, evaluate(term))))


def _in_words(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case list():
            return join_words([str(one) for one in value]) if value else "none"
    return str(value)


def join_words(names: Sequence[str]) -> str:
    """List names as one does in a sentence: `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
