"""Declarations: types, records, situations and readings, with names resolved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Fault, Span, did_you_mean
from titm_rules.model.model import MISSING, EnumSpec, FieldSpec, Reading, RecordSpec
from titm_rules.model.types import ERROR, FLAG, PLACE, TEXT, Type
from titm_rules.syntax.tree import Decl, Expr, FieldDecl, SourceFile, TypeRef, Word

INPUT_TYPES = ("path", "assignment", "sequence")
RECORD_KINDS = ("place", "piece", "connection", "plain", "situation")


@dataclass
class Faults:
    """Collects faults, with the source line of each."""

    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    found: list[Fault] = field(default_factory=list)

    def add(self, what: str, span: Span, why: str = "", fix: str = "", also: Iterable[Span] = ()) -> None:
        """Note a fault at a place."""
        lines = self.lines.get(span.path, ())
        source = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
        self.found.append(Fault(what, span, why, fix, source, tuple(also)))


@dataclass
class Schema:
    """The vocabulary of a game, as far as declarations give it."""

    faults: Faults
    enums: dict[str, EnumSpec] = field(default_factory=dict)
    records: dict[str, RecordSpec] = field(default_factory=dict)
    dice: dict[str, tuple[int, int]] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)

    def declare(self, name: Word) -> bool:
        """Note a name; a second declaration is a fault that shows both places."""
        if name.text in self.spans:
            self.faults.add(
                f"`{name.text}` is declared twice", name.span, "each name has one meaning",
                "rename or remove one of them", (self.spans[name.text],),
            )  # fmt: skip
            return False
        self.spans[name.text] = name.span
        return True

    def resolve(self, ref: TypeRef) -> Type:
        """Turn a type as written into a type."""
        match ref.form:
            case "flag":
                return FLAG
            case "text":
                return TEXT
            case "number":
                return Type("number", "", ref.low, ref.high)
            case "named" if ref.name in INPUT_TYPES:
                return Type(ref.name)
            case "named" if ref.name == "place":
                return PLACE
            case "named" if ref.name in self.enums:
                return Type("enum", ref.name)
            case "named" if ref.name in self.records:
                return Type("record", ref.name)
            case "list" | "names" | "pair" if ref.name in (*self.records, *self.enums, "place", "number"):
                return Type("pair" if ref.form == "pair" else "set", ref.name, None, ref.high)
        known = [*self.records, *self.enums, "place", *INPUT_TYPES]
        self.faults.add(
            f"unknown type `{ref.name}`", ref.span,
            "a type is an enumeration or a record of this game", did_you_mean(ref.name, known),
        )  # fmt: skip
        return ERROR

    def situation(self, word: Word | None) -> str:
        """Name the situation that something is on; one that nobody declared is a fault."""
        if word is None:
            return ""
        known = [record.name for record in self.records.values() if record.role == "situation"]
        if word.text in known:
            return word.text
        why = "a situation is what questions are asked of"
        self.faults.add(f"unknown situation `{word.text}`", word.span, why, did_you_mean(word.text, known))
        return known[0] if known else ""

    def member(self, container: Type) -> Type:
        """Type of a member of a list or pair."""
        if container == ERROR:
            return ERROR
        name = container.name
        if name == "place":
            return PLACE
        if name == "number":
            return Type("number")
        return Type("enum", name) if name in self.enums else Type("record", name)

    def fields(self, decls: tuple[FieldDecl, ...], owning: bool = False) -> tuple[FieldSpec, ...]:
        """Resolve the fields of a record, a situation or a question; a situation owns its lists."""
        seen: dict[str, Span] = {}
        specs = []
        for decl in decls:
            if decl.name.text in seen:
                self.faults.add(f"field `{decl.name.text}` stands twice", decl.name.span, also=(seen[decl.name.text],))
                continue
            seen[decl.name.text] = decl.name.span
            specs.append(self._field(decl, owning))
        return tuple(specs)

    def _field(self, decl: FieldDecl, owning: bool) -> FieldSpec:
        ftype = replace(self.resolve(decl.type), optional=decl.optional)
        name = attribute(decl.name.text)
        default = MISSING
        if decl.default is not None:
            default = self._default(decl.default, ftype)
        same_as = _chain(decl.same_as) if decl.same_as is not None else ()
        owns = owning and decl.type.form == "list" and ftype.name in self.records
        return FieldSpec(name, decl.alias or name, ftype, default, same_as, owns)

    def _default(self, expr: Expr, ftype: Type) -> object:
        match expr.op:
            case "number" | "text":
                return expr.args[0]
            case "yes" | "no":
                return expr.op == "yes"
            case "none":
                return ()
            case "name" if ftype.kind == "enum":
                enum = self.enums[ftype.name]
                value = str(expr.args[0])
                if value in enum.values:
                    return enum.texts[enum.values.index(value)]
                self.faults.add(
                    f"unknown value `{value}`",
                    expr.span,
                    f"`{enum.name}` has no such value",
                    did_you_mean(value, enum.values),
                )
        return None


def attribute(name: str) -> str:
    """Spell a name of the rules as a field outside: hyphens become underscores."""
    return name.replace("-", "_")


def spoken(name: str) -> str:
    """Spell a field as the rules do: underscores become hyphens."""
    return name.replace("_", "-")


def _chain(expr: Expr) -> tuple[str, ...]:
    """Read `a of b of c` as a, b, c."""
    if expr.op == "of":
        name, rest = expr.args
        return (attribute(str(name)), *(_chain(rest) if isinstance(rest, Expr) else ()))
    return (attribute(str(expr.args[0])),)


def build_schema(files: Iterable[SourceFile], faults: Faults) -> Schema:
    """Collect the vocabulary from all files; faults go to `faults`."""
    schema = Schema(faults)
    decls = [decl for file in files for decl in file.decls]
    for decl in decls:
        _declare_enum(schema, decl)
    recs = [d for d in decls if d.kind in RECORD_KINDS and schema.declare(d.name)]
    for decl in recs:
        schema.records[decl.name.text] = RecordSpec(decl.name.text, decl.kind, ())
    for decl in recs:
        schema.records[decl.name.text] = RecordSpec(
            decl.name.text, decl.kind, schema.fields(decl.fields, decl.kind == "situation")
        )
    return schema


def _declare_enum(schema: Schema, decl: Decl) -> None:
    match decl.kind:
        case "type":
            if schema.declare(decl.name):
                values = tuple(word.text for word in decl.words)
                schema.enums[decl.name.text] = EnumSpec(decl.name.text, values, decl.texts)
                if len(set(values)) < len(values):
                    schema.faults.add(
                        f"a value of `{decl.name.text}` stands twice", decl.span, "each value has its own rank"
                    )
        case "die":
            low, high = decl.numbers
            if high < low or high - low > 999:
                schema.faults.add(
                    "these cannot be the faces of a die", decl.span, "they run from low to high, at most 1000"
                )
            elif schema.declare(decl.name):
                schema.dice[decl.name.text] = (low, high)
        case "reading":
            _declare_reading(schema, decl)


def _declare_reading(schema: Schema, decl: Decl) -> None:
    if len(decl.numbers) != 1:
        schema.faults.add(
            f"reading `{decl.name.text}` has {len(decl.numbers)} defaults", decl.span,
            "a ruling picks one reading", "write `default` behind one of them",
        )  # fmt: skip
        return
    if schema.declare(decl.name):
        choices = tuple(word.text for word in decl.words)
        schema.readings[decl.name.text] = Reading(
            decl.name.text, decl.text, choices, decl.texts, choices[decl.numbers[0]], decl.because,
            decl.offered or choices,
        )  # fmt: skip
