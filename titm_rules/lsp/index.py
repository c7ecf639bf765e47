"""Resolve the names in a set of rule files: what each means, and where it is declared and used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

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
    """The meaning of a name.

    Attributes:
        kind: name (declared for the whole game), field, value (of a type), choice (of a reading), role (a parameter
            of a declaration), local (bound within an expression), clause or course.
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
        for mention in self._all():
            match mention.part:
                case ("closing", 0) | ("interruption", 0):
                    self._alias[mention.text] = mention.about
                case ("table", 1):
                    self._keys[mention.about] = mention.text
            if mention.part in _FORMS:
                self._brings[mention.about].append(mention.text)
            symbol = _declares(mention)
            if symbol is not None:
                self.declared[symbol].append(mention)

    @property
    def model(self) -> Model | None:
        """The model of the rules, as far as they could be checked."""
        return None if self.survey is None else self.survey.model

    def _all(self) -> Iterator[Mention]:
        return chain.from_iterable(self.mentions.values())

    def at(self, path: str, line: int, column: int) -> tuple[Mention, Symbol] | None:
        """Find the name at a place, or right before it, and its meaning; None if there is none."""
        for mention in self.mentions.get(path, ()):
            if mention.span.line == line and mention.span.column <= column <= mention.span.end_column:
                symbol = self.meaning(mention)
                if symbol is not None:
                    return mention, symbol
        return None

    def uses(self, symbol: Symbol) -> list[Mention]:
        """List the mentions of a symbol, including its declaration."""
        return [mention for mention in self._all() if mention.text == symbol.name and self.meaning(mention) == symbol]

    # ------------------------------------------------------------------ the meaning of a mention
    def meaning(self, mention: Mention) -> Symbol | None:
        """Resolve a name at its place."""
        declares = _declares(mention)
        if declares is not None:
            return declares
        if mention.kind == CLAUSE:
            return None if mention.part in _WORDS else Symbol("clause", mention.text)
        if mention.bound is not None:
            return Symbol("local", mention.text, str(mention.bound))
        match mention.part:
            case part if part in ASKED:
                return self._asked(mention)
            case ("offer", 0):
                return self._known("choice", mention.text, mention.about)
            case ("row", 0) | ("bands", 1):
                return self._known("value", mention.text, self._keys.get(mention.about, ""))
            case ("binding", 0) | ("tally", 2) | ("refusal", 0) | ("result", 0):
                return self._role(mention.about, mention.text)
            case ("answer", 0) if "." not in mention.about:
                return self._known("field", mention.text, mention.about)
            case ("answer", 0):
                return self._known("field", mention.text, self._type_within(mention.about))
            case ("default_value", 0):
                return self._known("value", mention.text, self._type_within(mention.about))
            case part if part in _OF_SITUATION:
                return self._field(self._situations(mention.about), mention.text)
            case ("interruption", 2 | 3):
                return self._only("value", mention.text)
            case ("picking", 1):
                return self._only("field", mention.text)
            case part if part in _WORDS or (part[0].startswith("ask_") and part[1] > 0):
                return None
        return self._known("name", mention.text)

    def _asked(self, mention: Mention) -> Symbol | None:
        """Resolve a name in an expression: by the term that the checker made of it, or else by its text."""
        for expr, term in self._terms_at(mention):
            if expr.args[0] == mention.text and (symbol := self._of_term(mention, term)) is not None:
                return symbol
        return (
            self._known("name", mention.text) or self._role(mention.about, mention.text)
            or self._only("field", mention.text) or self._only("value", mention.text)
        )  # fmt: skip

    @cached_property
    def _terms(self) -> dict[TextPlace, list[tuple[Expr, Term]]]:
        """The checked terms of the expressions that begin with a name, by place."""
        terms: defaultdict[TextPlace, list[tuple[Expr, Term]]] = defaultdict(list)
        for expr, term in self.survey.notes if self.survey is not None else ():
            if expr.op in _NAMED_FIRST:
                terms[expr.span.path, expr.span.line, expr.span.column].append((expr, term))
        return dict(terms)

    def _terms_at(self, mention: Mention) -> Sequence[tuple[Expr, Term]]:
        return self._terms.get((mention.span.path, mention.span.line, mention.span.column), ())

    def _of_term(self, mention: Mention, term: Term) -> Symbol | None:
        match term:
            case Var(type=Type(kind="reading")):
                return self._known("name", mention.text)
            case Var():
                return self._role(mention.about, mention.text)
            case Root(field=field):
                return self._field(self._situations(mention.about), hyphenated(field))
            case Field(base=base, field=field):
                return self._field(self._records(base.type), hyphenated(field))
            case Const(type=Type(kind="enum", name=name)):
                return self._known("value", mention.text, name)
            case Const(type=Type(kind="reading", name=name)):
                return self._known("choice", mention.text, name)
            case Call():
                return self._known("name", mention.text)
            case Apply(op="look-up", args=(source, *_)):
                return self._of_term(mention, source)
        return None

    # ------------------------------------------------------------------ declarations
    def _known(self, kind: str, name: str, owner: str = "") -> Symbol | None:
        symbol = Symbol(kind, name, owner)
        return symbol if symbol in self.declared else None

    def _only(self, kind: str, name: str) -> Symbol | None:
        """Find the symbol of a kind and a name, if there is exactly one."""
        symbols = [symbol for symbol in self.declared if symbol.kind == kind and symbol.name == name]
        return symbols[0] if len(symbols) == 1 else None

    def _role(self, owner: str, name: str) -> Symbol | None:
        """Find a name within a declaration: its role, a field that a question takes, or a role of a form it uses."""
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
        ftype = self._type_of_field(Symbol("field", name, owner))
        return "" if ftype is None else ftype.name

    def _field(self, owners: list[str], name: str) -> Symbol | None:
        symbols = (self._known("field", name, owner) for owner in owners)
        return next((symbol for symbol in symbols if symbol is not None), None)

    def _records(self, of: Type) -> list[str]:
        """Name the records that a value of a type may be."""
        if of.name in self.records and of.name != "place":
            return [of.name]
        return [name for name, record in self.records.items() if record.role == "place"]

    def _situations(self, about: str) -> list[str]:
        """Name the situation of a declaration, and after it all others."""
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
    def type_of(self, symbol: Symbol, mention: Mention) -> Type | None:
        """Return the type of a symbol; None if it has none."""
        if symbol.kind == "field":
            return self._type_of_field(symbol)
        if symbol.kind in ("role", "local"):
            for expr, term in self._terms_at(mention):
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
            terms = (self._terms_at(mention) for mention in self.uses(symbol))
            return next((term.type for expr, term in chain.from_iterable(terms) if expr.op == "name"), None)
        heads = {} if self.model is None else self.model.heads
        for key, head in heads.items():
            if key.split(".")[0] == symbol.owner and symbol.name in dict(head.params):
                return dict(head.params)[symbol.name]
        return None


def _declares(mention: Mention) -> Symbol | None:
    """Return the symbol that a name declares; None if it is declared elsewhere."""
    if mention.part in DECLARED:
        return Symbol("name", mention.text)
    if mention.part in ROLES:
        return Symbol("role", mention.text, mention.about)
    match mention.part:
        case ("field", 0):
            return Symbol("field", mention.text, mention.about)
        case ("type_value", 0):
            return Symbol("value", mention.text, mention.about)
        case ("choice", 0):
            return Symbol("choice", mention.text, mention.about)
        case ("clause", 0):
            return Symbol("clause", mention.text)
        case ("course", 0):
            return Symbol("course", mention.text)
    return None
