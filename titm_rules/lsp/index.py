"""What each name in a set of rule files means, and where it is declared and used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from titm_rules.checker.link import RuleSurvey
from titm_rules.ir.model import Model, RecordSpec
from titm_rules.ir.terms import Apply, Call, Const, Field, Root, Term, Var
from titm_rules.ir.types import Type, attribute, hyphenated
from titm_rules.syntax.ast import Expr
from titm_rules.syntax.references import ASKED, CLAUSE, DECLARED, ROLES, Mention, mentions

TextPlace = tuple[str, int, int]
_NAMED_FIRST = ("name", "of", "call", "call_bare", "result")
_WORDS = (("bar", 1), ("delete_section", 0), ("result", 0))
_OF_SITUATION = (("puts", 3), ("removes", 3), ("interruption", 4))
_FORMS = (("able", 0), ("selects", 0), ("picking", 0), ("steps", 2), ("halts", 2), ("closes", 2))
_OF_RECORD = ("place_record", "piece_record", "connection_record", "plain_record", "situation")


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a name stands for.

    Attributes:
        kind: name (declared for the whole game), field, value (of a type), choice (of a reading), role (what a
            declaration calls a thing that it is about), local (a name that holds within an expression), clause
            or course.
        owner: the record, type, reading or declaration that it belongs to; of a local name, where it is bound.
    """

    kind: str
    name: str
    owner: str = ""


class Index:
    """The names of some files that are checked together."""

    def __init__(self, survey: RuleSurvey | None, texts: Mapping[str, str]) -> None:
        self.survey, self.texts = survey, texts
        self.mentions = {path: mentions(text, path) for path, text in texts.items()}
        self._alias: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._brings: defaultdict[str, list[str]] = defaultdict(list)
        self.declared: defaultdict[Symbol, list[Mention]] = defaultdict(list)
        for one in self._all():
            self._note(one)

    @property
    def model(self) -> Model | None:
        """What the rules say, as far as it could be made out."""
        return None if self.survey is None else self.survey.model

    def _all(self) -> Iterator[Mention]:
        for found in self.mentions.values():
            yield from found

    def _note(self, one: Mention) -> None:
        """Take in a declaration, or what says where else the names of one come from."""
        match one.part:
            case ("closing", 0) | ("interruption", 0):
                self._alias[one.text] = one.about
            case ("table", 1):
                self._keys[one.about] = one.text
        if one.part in _FORMS:
            self._brings[one.about].append(one.text)
        symbol = _declares(one)
        if symbol is not None:
            self.declared[symbol].append(one)

    # ------------------------------------------------------------------ finding
    def at(self, path: str, line: int, column: int) -> tuple[Mention, Symbol] | None:
        """Find the name at a place, or right before it; nothing if none is there, or if it means nothing."""
        for one in self.mentions.get(path, ()):
            if one.span.line == line and one.span.column <= column <= one.span.end_column:
                symbol = self.meaning(one)
                if symbol is not None:
                    return one, symbol
        return None

    def uses(self, symbol: Symbol) -> list[Mention]:
        """List where a thing is named, its declaration too."""
        return [one for one in self._all() if one.text == symbol.name and self.meaning(one) == symbol]

    # ------------------------------------------------------------------ meaning
    def meaning(self, one: Mention) -> Symbol | None:
        """Tell what a name stands for where it stands."""
        declares = _declares(one)
        if declares is not None:
            return declares
        if one.kind == CLAUSE:
            return None if one.part in _WORDS else Symbol("clause", one.text)
        if one.bound is not None:
            return Symbol("local", one.text, str(one.bound))
        match one.part:
            case part if part in ASKED:
                return self._asked(one)
            case ("offer", 0):
                return self._known("choice", one.text, one.about)
            case ("row", 0) | ("bands", 1):
                return self._known("value", one.text, self._keys.get(one.about, ""))
            case ("binding", 0) | ("tally", 2) | ("refusal", 0) | ("result", 0):
                return self._role(one.about, one.text)
            case ("answer", 0) if "." not in one.about:
                return self._known("field", one.text, one.about)
            case ("answer", 0):
                return self._known("field", one.text, self._type_within(one.about))
            case ("default_value", 0):
                return self._known("value", one.text, self._type_within(one.about))
            case part if part in _OF_SITUATION:
                return self._field(self._situations(one.about), one.text)
            case ("interruption", 2 | 3):
                return self._only("value", one.text)
            case ("picking", 1):
                return self._only("field", one.text)
            case part if part in _WORDS or (part[0].startswith("ask_") and part[1] > 0):
                return None
        return self._known("name", one.text)

    def _asked(self, one: Mention) -> Symbol | None:
        """Tell what a name in an expression stands for: as the check took it, or as it seems."""
        for expr, term in self._notes.get((one.span.path, one.span.line, one.span.column), ()):
            if expr.args[0] == one.text:
                found = self._of_term(one, term)
                if found is not None:
                    return found
        return (
            self._known("name", one.text) or self._role(one.about, one.text)
            or self._only("field", one.text) or self._only("value", one.text)
        )  # fmt: skip

    @cached_property
    def _notes(self) -> dict[TextPlace, list[tuple[Expr, Term]]]:
        """What the check made of expressions that begin with a name, by where they stand."""
        found: defaultdict[TextPlace, list[tuple[Expr, Term]]] = defaultdict(list)
        for expr, term in self.survey.notes if self.survey is not None else ():
            if expr.op in _NAMED_FIRST:
                found[expr.span.path, expr.span.line, expr.span.column].append((expr, term))
        return dict(found)

    def _of_term(self, one: Mention, term: Term) -> Symbol | None:
        match term:
            case Var(type=Type(kind="reading")):
                return self._known("name", one.text)
            case Var():
                return self._role(one.about, one.text)
            case Root(field=field):
                return self._field(self._situations(one.about), hyphenated(field))
            case Field(base=base, field=field):
                return self._field(self._records(base.type), hyphenated(field))
            case Const(type=Type(kind="enum", name=name)):
                return self._known("value", one.text, name)
            case Const(type=Type(kind="reading", name=name)):
                return self._known("choice", one.text, name)
            case Call():
                return self._known("name", one.text)
            case Apply(op="look-up", args=(source, *_)):
                return self._of_term(one, source)
        return None

    # ------------------------------------------------------------------ declarations
    def _known(self, kind: str, name: str, owner: str = "") -> Symbol | None:
        symbol = Symbol(kind, name, owner)
        return symbol if symbol in self.declared else None

    def _only(self, kind: str, name: str) -> Symbol | None:
        """Find what has a name, if only one thing of its kind has it."""
        found = [symbol for symbol in self.declared if symbol.kind == kind and symbol.name == name]
        return found[0] if len(found) == 1 else None

    def _role(self, owner: str, name: str) -> Symbol | None:
        """Find what a declaration calls so: a role, a field that a question takes, or what a form brings along."""
        owner = self._alias.get(owner, owner)
        own = self._known("role", name, owner) or self._known("field", name, owner)
        if own is not None:
            return own
        lifted = self.model.clauses.get(owner) if self.model is not None else None
        heads = (key.split(".")[0] for key in lifted.heads) if lifted is not None else ()
        forms = (self._alias.get(form, form) for form in (*heads, *self._brings.get(owner, ())))
        brought = (self._known("role", name, form) for form in forms)
        return next((symbol for symbol in brought if symbol is not None), None)

    def _type_within(self, about: str) -> str:
        """Name the type of a field that is written `OWNER.FIELD`."""
        owner, _, name = about.partition(".")
        found = self._type_of_field(Symbol("field", name, owner))
        return "" if found is None else found.name

    def _field(self, owners: list[str], name: str) -> Symbol | None:
        found = (self._known("field", name, owner) for owner in owners)
        return next((symbol for symbol in found if symbol is not None), None)

    def _records(self, of: Type) -> list[str]:
        """Name the records that a value of a type may be."""
        if of.name in self.records and of.name != "place":
            return [of.name]
        return [name for name, record in self.records.items() if record.role == "place"]

    def _situations(self, about: str) -> list[str]:
        """Name the situation that something is on, and behind it all others."""
        model, about = self.model, self._alias.get(about, about)
        if model is None:
            return []
        tables = (model.forms, model.events, model.questions, model.views, model.heads)
        own = [table[about].situation for table in tables if about in table]
        return [about, *own, *(name for name, record in self.records.items() if record.role == "situation")]

    @property
    def records(self) -> Mapping[str, RecordSpec]:
        """The records that the rules declare."""
        return {} if self.model is None else self.model.records

    # ------------------------------------------------------------------ types
    def type_of(self, symbol: Symbol, one: Mention) -> Type | None:
        """Tell the type of what a name stands for; nothing for what has none."""
        if symbol.kind == "field":
            return self._type_of_field(symbol)
        if symbol.kind in ("role", "local"):
            for expr, term in self._notes.get((one.span.path, one.span.line, one.span.column), ()):
                if expr.op == "name" and isinstance(term, Var):
                    return term.type
            return self._type_of_role(symbol)
        head = None if self.model is None else self.model.heads.get(symbol.name)
        return head.type if head is not None and symbol.kind == "name" else None

    def _type_of_field(self, symbol: Symbol) -> Type | None:
        record = self.records.get(symbol.owner)
        question = None if self.model is None else self.model.questions.get(symbol.owner)
        specs = record.fields if record is not None else question.inputs if question is not None else ()
        return next((spec.type for spec in specs if spec.name == attribute(symbol.name)), None)

    def _type_of_role(self, symbol: Symbol) -> Type | None:
        if symbol.kind == "local":
            return next((self._as_checked(one) for one in self.uses(symbol) if self._as_checked(one)), None)
        heads = {} if self.model is None else self.model.heads
        for key, head in heads.items():
            if key.split(".")[0] == symbol.owner and symbol.name in dict(head.params):
                return dict(head.params)[symbol.name]
        return None

    def _as_checked(self, one: Mention) -> Type | None:
        found = self._notes.get((one.span.path, one.span.line, one.span.column), ())
        return next((term.type for expr, term in found if expr.op == "name"), None)


def _declares(one: Mention) -> Symbol | None:
    """Tell what a name declares; nothing if it names something declared elsewhere."""
    if one.part in DECLARED:
        return Symbol("name", one.text)
    if one.part in ROLES:
        return Symbol("role", one.text, one.about)
    match one.part:
        case ("field", 0):
            return Symbol("field", one.text, one.about)
        case ("type_value", 0):
            return Symbol("value", one.text, one.about)
        case ("choice", 0):
            return Symbol("choice", one.text, one.about)
        case ("clause", 0):
            return Symbol("clause", one.text)
        case ("course", 0):
            return Symbol("course", one.text)
    return None
