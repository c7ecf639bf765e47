"""Build the syntax tree from lark's parse tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any, Protocol, cast

from titm_rules.diagnostics import Span
from titm_rules.syntax import ast
from titm_rules.syntax import ast as decls
from titm_rules.syntax.ast import (
    AddClause,
    AddCourse,
    AddKnown,
    Amendment,
    AnswerValue,
    Asks,
    Attest,
    Binding,
    Clause,
    Course,
    CourseSentence,
    Declaration,
    DeleteClauses,
    DeleteCourse,
    DeleteSection,
    Expr,
    Extend,
    FieldDecl,
    Limit,
    NamedAnswer,
    Param,
    Renumber,
    ReplaceClauses,
    ReplaceCourse,
    Restate,
    Sentence,
    Sweep,
    TypeRef,
    Word,
    Wording,
)

# ---------------------------------------------------------------------- build nodes
MAX_DEPTH = 60
_TYPE_FORMS = {
    "named_type": "named",
    "number_type": "number",
    "any_number_type": "number",
    "flag_type": "flag",
    "text_type": "text",
    "list_type": "list",
    "names_type": "names",
    "pair_type": "pair",
    "measured_type": "measured",
    "number_map": "number_map",
    "measured_map": "measured_map",
    "flag_map": "flag_map",
}


_NAMED = ("named", "measured", "list", "names", "pair", "number_map", "measured_map", "flag_map")


class TreeNode(Protocol):
    """A tree of lark, as far as it matters here; its children are trees and tokens, which lark types loosely."""

    data: str
    children: list[Any]


_SLOT = re.compile(r"\{([^{}]*)\}")
_BRACE = re.compile(r"[{}]")
_SPACES = re.compile(r"\s+")


class TooDeep(Exception):
    """An expression is nested beyond the limit."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


def unquote(text: str) -> str:
    """Strip the quotes of a text and fold its white space."""
    return " ".join(text[1:-1].split())


class BadSlot(Exception):
    """What stands in braces, in the words of a refusal, cannot be read."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(what)
        self.what, self.span = what, span


class NodeBuilder:
    """Builds the nodes of one item.

    Lines are counted from `offset`, columns of the first line from `margin`; `parse_slot` gives lark's
    tree of an expression, or nothing for what is none.
    """

    def __init__(self, path: str, offset: int, parse_slot: Callable[[str], TreeNode | None], margin: int = 0) -> None:
        self.path, self.offset, self.margin = path, offset, margin
        self.parse_slot = parse_slot

    def span(self, node: TreeNode) -> Span:
        """Locate a node; of a node over several lines, its first line."""
        meta: Any = getattr(node, "meta", node)
        if getattr(meta, "line", None) is None:
            return Span(self.path, self.offset + 1, 1, 2)
        one_line = meta.end_line == meta.line
        end = meta.end_column if one_line else meta.column + 1
        margin = self.margin if meta.line == 1 else 0
        return Span(self.path, self.offset + meta.line, meta.column + margin, end + margin)

    def word(self, token: Any) -> Word:
        """Build a word of a token."""
        return Word(str(token), self.span(token))

    # ------------------------------------------------------------------ parts of items
    def fields(self, trees: list[Any]) -> tuple[FieldDecl, ...]:
        """Build fields."""
        return tuple(self.field(tree) for tree in trees)

    def field(self, tree: TreeNode) -> FieldDecl:
        """Build a field."""
        name, alias, ftype, optional, default = tree.children
        value = same = None
        if default is not None:
            part = self.expr(default.children[0])
            value, same = (None, part) if default.data == "default_same" else (part, None)
        return FieldDecl(
            self.word(name),
            unquote(alias.children[0]) if alias is not None else None,
            self.type(ftype),
            optional is not None,
            value,
            same,
        )

    def type(self, tree: TreeNode) -> TypeRef:
        """Build a type."""
        form = _TYPE_FORMS[str(tree.data)]
        numbers = [int(child) for child in tree.children] if form == "number" else []
        if form == "list" and tree.children[1] is not None:
            numbers = [0, int(tree.children[1])]
        name = str(tree.children[0]) if form in _NAMED else ""
        low, high = numbers if numbers else (None, None)
        found = TypeRef(form, name, low, high, self.span(tree))
        if form == "measured_map":
            return replace(found, unit=name, name=str(tree.children[1]))
        bounds = tuple(" ".join(bound.children[0].split()) for bound in tree.children[1:]) if form == "measured" else ()
        return replace(found, bounds=bounds)

    def params(self, tree: TreeNode | None) -> tuple[Param, ...]:
        """Build parameters with their prepositions."""
        if tree is None:
            return ()
        found, prep = [], "of"
        for child in tree.children:
            if child.data == "param":
                found.append(self.param(child, prep))
            else:
                prep = str(child.data)
        return tuple(found)

    def param(self, tree: TreeNode, prep: str = "for") -> Param:
        """Build a parameter."""
        name, ftype, optional = tree.children
        return Param(prep, self.word(name), replace(self.type(ftype), optional=optional is not None))

    def bindings(self, tree: TreeNode | None) -> tuple[Binding, ...]:
        """Build what roles are given."""
        if tree is None:
            return ()
        return tuple(Binding(self.word(b.children[0]), self.expr(b.children[1])) for b in tree.children)

    # ------------------------------------------------------------------ expressions
    def maybe(self, tree: Any) -> Expr | None:
        """Build an expression that may be left out."""
        return None if tree is None else self.expr(tree)

    def expr(self, tree: Any, depth: int = 0) -> Expr:
        """Build an expression.

        Raises:
            TooDeep: beyond 60 levels.
        """
        span = self.span(tree)
        if depth > MAX_DEPTH:
            raise TooDeep(span)
        if tree.data in ("any_of", "all_of"):
            return self._flat(tree, depth)
        args: list[Expr | str | int | None] = []
        for child in tree.children:
            if child is None:
                args.append(None)
            elif hasattr(child, "data"):
                if child.data in ("for", "at", "by", "from", "to", "against", "without"):
                    args.append(str(child.data))
                elif child.data == "where":
                    args.append(self.expr(child.children[0], depth + 1))
                else:
                    args.append(self.expr(child, depth + 1))
            elif child.type == "INT":
                args.append(int(child))
            else:
                args.append(unquote(child) if child.type == "TEXT" else " ".join(child.split()))
        return Expr(str(tree.data), tuple(args), span)

    def _flat(self, tree: Any, depth: int) -> Expr:
        parts = tuple(self.expr(child, depth + 1) for child in tree.children)
        return Expr(str(tree.data), parts, self.span(tree))

    # ------------------------------------------------------------------ the words of a refusal
    def template(self, tree: TreeNode | None) -> Wording:
        """Cut the text behind `says` at its slots, and build the expression in each."""
        return () if tree is None else tuple(self._cut(tree.children[0]))

    def _cut(self, text: Any) -> Iterator[str | Expr]:
        at = 1
        for slot in _SLOT.finditer(text, 1, len(text) - 1):
            yield from self._words(text, at, slot.start())
            yield self._slot(text, slot.start(1), slot[1])
            at = slot.end()
        yield from self._words(text, at, len(text) - 1)

    def _words(self, text: Any, start: int, end: int) -> Iterator[str]:
        stray = _BRACE.search(text, start, end)
        if stray is not None:
            raise BadSlot("this brace stands alone", self._within(text, stray.start(), 1))
        if start < end:
            yield _SPACES.sub(" ", text[start:end])

    def _slot(self, text: Any, start: int, written: str) -> Expr:
        """Build the expression in a slot."""
        where = self._within(text, start, len(written) or 1)
        tree = self.parse_slot(written)
        if tree is None:
            raise BadSlot(f"`{written}` is not an expression", where)
        inner = type(self)(self.path, where.line - 1, self.parse_slot, where.column - 1)
        return inner.expr(tree)

    def _within(self, text: Any, start: int, length: int) -> Span:
        """Locate a part of a text, which may run over several lines."""
        line = text.count("\n", 0, start)
        column = start - text.rfind("\n", 0, start) if line else text.column + start
        return Span(self.path, self.offset + text.line + line, column, column + length)


# ---------------------------------------------------------------------- build declarations
class DeclarationBuilder(NodeBuilder):
    """Builds declarations; each method takes the tree of the grammar's rule of its name."""

    def declaration(self, tree: TreeNode) -> Declaration:
        """Build a declaration."""
        built: Declaration = self._build(tree)
        return built

    def _build(self, tree: TreeNode) -> Any:
        return getattr(self, f"_{tree.data}")(tree)

    def _parts(self, trees: list[Any]) -> tuple[Any, ...]:
        """Build the parts of a form or an event."""
        return tuple(self._build(tree) for tree in trees if tree is not None)

    # ------------------------------------------------------------------ what there is
    def _game(self, tree: TreeNode) -> Declaration:
        return decls.GameDecl(self._quoted(tree.children[0]))

    def _edition(self, tree: TreeNode) -> Declaration:
        name, title, date, basis, folder, source = tree.children
        kind, base = ("", "") if basis is None else (str(basis.data), unquote(basis.children[0]))
        told = "" if source is None else unquote(source.children[0])
        return decls.EditionDecl(self._quoted(name), unquote(title), str(date), kind, base, unquote(folder), told)

    def _type(self, tree: TreeNode) -> Declaration:
        name, *values = tree.children
        words = tuple(self.word(value.children[0]) for value in values)
        aliases = [value.children[1] for value in values]
        texts = (
            word.text if alias is None else unquote(alias.children[0])
            for word, alias in zip(words, aliases, strict=True)
        )
        others = (
            () if also is None else tuple(self._quoted(one) for one in also.children)
            for also in (value.children[2] for value in values)
        )
        return decls.TypeDecl(self.word(name), words, tuple(texts), tuple(others))

    def _measure(self, tree: TreeNode) -> Declaration:
        name, parts = tree.children
        return decls.MeasureDecl(self.word(name), int(parts))

    def _record(self, tree: TreeNode) -> Declaration:
        name, *fields = tree.children
        return decls.RecordDecl(self.word(name), str(tree.data).removesuffix("_record"), self.fields(fields))

    _place_record = _piece_record = _connection_record = _situation = _record

    def _plain_record(self, tree: TreeNode) -> Declaration:
        name, written, *fields = tree.children
        text = None if written is None else self._quoted(written)
        return decls.RecordDecl(self.word(name), "plain", self.fields(fields), text)

    def _die(self, tree: TreeNode) -> Declaration:
        name, low, high, *reads = tree.children
        marked = tuple(int(number) for number in reads if number is not None)
        return decls.DieDecl(self.word(name), int(low), int(high), marked)

    def _reading(self, tree: TreeNode) -> Declaration:
        name, question, *choices = tree.children
        built, reasons = [], []
        for choice in choices:
            word, text, default, because = choice.children
            built.append(decls.ChoiceDecl(self.word(word), unquote(text), default is not None))
            reasons += [] if because is None else [unquote(because.children[0])]
        return decls.ReadingDecl(self.word(name), unquote(question), tuple(built), "; ".join(reasons))

    # ------------------------------------------------------------------ what clauses decide
    def _define(self, tree: TreeNode) -> Declaration:
        ftype, optional, name, params, situation, default = tree.children
        value = None if default is None else self.expr(default.children[0])
        return decls.DefineDecl(
            self.word(name), self.type(ftype), optional is not None, self.params(params), self.on(situation), value
        )

    def _total_definition(self, tree: TreeNode) -> Declaration:
        ftype, name, params, situation = tree.children
        given = self.params(params), self.on(situation)
        return decls.DefineDecl(self.word(name), self.type(ftype), False, *given, None, adds_up=True)

    def _table(self, tree: TreeNode) -> Declaration:
        name, key, other, gives = tree.children
        number = self._number_key(other) if other is not None and other.data == "number_key" else None
        across = self.word(other.children[0]) if other is not None and number is None else None
        gives = None if gives is None else self.type(gives)
        return decls.TableDecl(self.word(name), self.word(key), number, gives, across)

    def _number_key(self, tree: TreeNode) -> tuple[Word, int, int]:
        name, low, high = tree.children
        return self.word(name), int(low), int(high)

    def _roll(self, tree: TreeNode) -> Declaration:
        name, params, situation, die = tree.children
        return decls.RollDecl(self.word(name), self.params(params), self.on(situation), self.word(die))

    def _route(self, tree: TreeNode) -> Declaration:
        name, situation, *parts = tree.children
        return decls.RouteDecl(self.word(name), self.on(situation), self._parts(parts))

    def _allocation(self, tree: TreeNode) -> Declaration:
        name, situation, *parts = tree.children
        return decls.AllocationDecl(self.word(name), self.on(situation), self._parts(parts))

    def _selection(self, tree: TreeNode) -> Declaration:
        name, situation, *parts = tree.children
        return decls.SelectionDecl(self.word(name), self.on(situation), self._parts(parts))

    def _mover(self, tree: TreeNode) -> decls.MoverDecl:
        return decls.MoverDecl(self.span(tree), self.param(tree.children[0]))

    def _given(self, tree: TreeNode) -> decls.GivenDecl:
        return decls.GivenDecl(self.span(tree), self.param(tree.children[0]))

    def _crosses(self, tree: TreeNode) -> decls.Crosses:
        return decls.Crosses(self.span(tree), *map(self.word, tree.children))

    def _interruption(self, tree: TreeNode) -> decls.Interruption:
        name, field, before, after, *named = tree.children
        words = self.word(name), self.expr(field), self.word(before), self.word(after)
        noted, stranded = (None if word is None else self.word(word) for word in named)
        return decls.Interruption(self.span(tree), *words, noted, stranded)

    def _closing(self, tree: TreeNode) -> decls.Closing:
        return decls.Closing(self.span(tree), self.word(tree.children[0]))

    def _tallied(self, tree: TreeNode) -> decls.Tallied:
        name, most = tree.children
        return decls.Tallied(self.span(tree), self.word(name), int(most))

    def _halted(self, tree: TreeNode) -> decls.Halted:
        return decls.Halted(self.span(tree), self.word(tree.children[0]))

    def _simple(self, tree: TreeNode) -> decls.Simple:
        return decls.Simple(self.span(tree))

    def _entering(self, tree: TreeNode) -> decls.Simple:
        return decls.Simple(self.span(tree), returns=True)

    def _paid(self, tree: TreeNode) -> decls.Paid:
        return decls.Paid(self.span(tree), self.word(tree.children[0]))

    def _choosers(self, tree: TreeNode) -> decls.Choosers:
        name, record, base = tree.children
        return decls.Choosers(self.span(tree), self.word(name), self.word(record), self.expr(base))

    def _picks(self, tree: TreeNode) -> decls.PickedFrom:
        name, record, base = tree.children
        return decls.PickedFrom(self.span(tree), self.word(name), self.word(record), self.expr(base))

    def _prefers(self, tree: TreeNode) -> decls.Prefers:
        return decls.Prefers(self.span(tree), self.expr(tree.children[0]))

    def _counters(self, tree: TreeNode) -> decls.Counters:
        return decls.Counters(self.span(tree), self.word(tree.children[0]))

    def _order(self, tree: TreeNode) -> decls.OrderOf:
        return decls.OrderOf(self.span(tree), self.expr(tree.children[0]))

    def _rolls(self, tree: TreeNode) -> decls.DiceFor:
        return decls.DiceFor(self.span(tree), *map(self.expr, tree.children))

    def _success(self, tree: TreeNode) -> decls.Success:
        return decls.Success(self.span(tree), *map(self.expr, tree.children))

    # ------------------------------------------------------------------ what may be asked
    def _question(self, tree: TreeNode) -> Declaration:
        name, says, situation, takes, *lacking, asks = tree.children
        inputs = () if takes is None else self.fields(takes.children)
        asked = self._answers(asks.children) if asks.data == "answers" else self._asks(asks)
        told = "" if says is None else unquote(says)
        return decls.QuestionDecl(self.word(name), self.on(situation), inputs, asked, self._parts(lacking), told)

    def _gap(self, tree: TreeNode) -> decls.GapDecl:
        what, when = tree.children
        return decls.GapDecl(self.span(tree), unquote(what), self.expr(when))

    def _refusal(self, tree: TreeNode) -> decls.RefusalDecl:
        given, when, says = tree.children
        return decls.RefusalDecl(self.span(tree), self.word(given), self.expr(when), self.template(says))

    def _asks(self, tree: TreeNode) -> Asks:
        form, bindings, *others = tree.children
        names = [one for one in others if one is not None and getattr(one, "data", "") != "bare"]
        words = tuple(self.word(name) for name in names)
        is_bare = any(getattr(one, "data", "") == "bare" for one in others)
        return Asks(str(tree.data).removeprefix("ask_"), self.word(form), self.bindings(bindings), words, is_bare)

    def _view(self, tree: TreeNode) -> Declaration:
        name, params, situation, *answers = tree.children
        return decls.ViewDecl(self.word(name), self.params(params), self.on(situation), self._answers(answers))

    def _summary(self, tree: TreeNode) -> Declaration:
        situation, *answers = tree.children
        return decls.SummaryDecl(self.word(situation.children[0]), self._answers(answers))

    def _victory(self, tree: TreeNode) -> Declaration:
        situation, *answers = tree.children
        return decls.VictoryDecl(self.word(situation.children[0]), self._answers(answers))

    def _always(self, tree: TreeNode) -> Declaration:
        situation, each, condition, says = tree.children
        var, base = (None, None) if each is None else each.children
        return decls.AlwaysDecl(
            self.word(situation.children[0]), None if var is None else self.word(var),
            None if base is None else self.expr(base), self.expr(condition), self.template(says),
        )  # fmt: skip

    def _answers(self, trees: list[Any], depth: int = 0) -> tuple[NamedAnswer, ...]:
        named = ((tree, *tree.children) for tree in trees)
        return tuple(
            NamedAnswer(self.span(tree), self.word(name), self._answer_value(value, depth), self.maybe(when))
            for tree, name, value, when in named
        )

    def _answer_value(self, tree: TreeNode, depth: int) -> AnswerValue:
        """Build what stands behind the colon of an answer.

        Raises:
            TooDeep: beyond 60 levels of answers.
        """
        if depth > MAX_DEPTH:
            raise TooDeep(self.span(tree))
        if tree.data == "answer_record":
            return decls.RecordAnswer(self.span(tree), self._answers(tree.children, depth + 1))
        if tree.data == "choices_of":
            form, bindings = tree.children
            return decls.ChoicesAnswer(self.span(tree), self.word(form), self.bindings(bindings))
        if tree.data not in ("each", "each_gives"):
            return self.expr(tree)
        name, base, where, value = tree.children
        inner = None if value is None else self._answer_value(value, depth + 1)
        each = self.span(tree), self.word(name), self.expr(base), self.maybe(where), inner
        return decls.EachAnswer(*each, in_order=tree.data == "each_gives")

    # ------------------------------------------------------------------ what happens in a game
    def _event(self, tree: TreeNode) -> Declaration:
        name, situation, otherwise, actor, *parts = tree.children
        return decls.EventDecl(
            self.word(name), self.on(situation), otherwise is not None, self.maybe(actor), self._parts(parts)
        )

    def _domain(self, tree: TreeNode) -> decls.ForEach:
        name, base, where = tree.children
        is_first = tree.data == "first"
        return decls.ForEach(self.span(tree), self.word(name), self.expr(base), self.maybe(where), is_first)

    _first = _domain

    def _condition(self, tree: TreeNode) -> decls.Condition:
        condition, says = tree.children
        return decls.Condition(self.span(tree), self.expr(condition), self.template(says))

    def _let(self, tree: TreeNode) -> decls.Let:
        name, value = tree.children
        return decls.Let(self.span(tree), self.word(name), self.expr(value))

    def _able(self, tree: TreeNode) -> decls.AbleTo:
        route, bindings = tree.children
        return decls.AbleTo(self.span(tree), self.word(route), self.bindings(bindings))

    def _going(self, tree: TreeNode) -> decls.Going:
        at, spent, route, bindings = tree.children
        where = self.expr(at), self.expr(spent), self.word(route), self.bindings(bindings)
        return decls.Going(self.span(tree), str(tree.data), *where)

    _steps = _halts = _closes = _going

    def _selects(self, tree: TreeNode) -> decls.Selects:
        selection, bindings = tree.children
        return decls.Selects(self.span(tree), self.word(selection), self.bindings(bindings))

    def _seen(self, tree: TreeNode) -> decls.SeenAs:
        view, of = tree.children
        return decls.SeenAs(self.span(tree), self.word(view), self.expr(of))

    def _picking(self, tree: TreeNode) -> decls.PicksOf:
        allocation, kept, bindings = tree.children
        return decls.PicksOf(self.span(tree), self.word(allocation), self.word(kept), self.bindings(bindings))

    def _rolling(self, tree: TreeNode) -> decls.RollsFor:
        roll, thrown = tree.children
        return decls.RollsFor(self.span(tree), None, self.expr(roll), self._thrown(thrown))

    def _rolling_many(self, tree: TreeNode) -> decls.RollsFor:
        count, roll, thrown = tree.children
        return decls.RollsFor(self.span(tree), self.expr(count), self.expr(roll), self._thrown(thrown))

    def _throwing(self, tree: TreeNode) -> decls.Throws:
        count, die, thrown = tree.children
        return decls.Throws(self.span(tree), self.expr(count), self.word(die), self.word(thrown.children[0]))

    def _thrown(self, tree: TreeNode | None) -> Word | None:
        return None if tree is None else self.word(tree.children[0])

    # ------------------------------------------------------------------ small things
    def on(self, tree: TreeNode | None) -> Word | None:
        """Build the situation that something is about, if it is named."""
        return None if tree is None else self.word(tree.children[0])

    def _quoted(self, token: Any) -> Word:
        """Build a word of a name in quotes."""
        return Word(unquote(token), self.span(token))


# ---------------------------------------------------------------------- build sentences
Opening = tuple[Span, tuple[Word, ...], Word, Expr | None]


class SentenceBuilder(NodeBuilder):
    """Builds sentences; each method takes the tree of the grammar's rule of its name."""

    def shared(self, tree: TreeNode) -> tuple[Sentence, ...]:
        """Build a sentence of a clause; one that several forms share is one of each."""
        subjects = tree.children[0]
        if getattr(subjects, "data", "") != "subjects":
            return (self.sentence(tree),)
        return tuple(self.sentence(_about(tree, name)) for name in subjects.children)

    def sentence(self, tree: TreeNode) -> Sentence:
        """Build a sentence of a clause."""
        built: Sentence = getattr(self, f"_{tree.data}")(tree)
        return built

    # ------------------------------------------------------------------ about other clauses
    def _lifts(self, tree: TreeNode) -> Sentence:
        refs, subject, when = tree.children
        word = None if subject is None else self.word(subject)
        return ast.Lifts(self.span(tree), self.refs(refs), word, self._when(when))

    def _see(self, tree: TreeNode) -> Sentence:
        return ast.See(self.span(tree), self.refs(tree.children[0]))

    def _silent(self, tree: TreeNode) -> Sentence:
        return ast.Silent(self.span(tree), (), unquote(tree.children[0]))

    # ------------------------------------------------------------------ about a question
    def _holds(self, tree: TreeNode) -> Sentence:
        subject, instead, when, says = tree.children
        return ast.Holds(*self._said(tree, instead, subject, when), self.template(says))

    def _value(self, tree: TreeNode) -> Sentence:
        subject, value, instead, when, says = tree.children
        said = self._said(tree, instead, subject, when)
        return ast.Is(*said, self.template(says), self.expr(value))

    def _rows(self, tree: TreeNode) -> Sentence:
        subject, *rows = tree.children
        return ast.TableRows(*self._said(tree, None, subject, None), self._cells(rows))

    def _line(self, tree: TreeNode) -> Sentence:
        subject, key, *rows = tree.children
        return ast.TableRows(*self._said(tree, None, subject, None), self._cells(rows), self.word(key))

    def _cells(self, rows: list[Any]) -> tuple[tuple[Word, Expr], ...]:
        return tuple((self.word(row.children[0]), self.expr(row.children[1])) for row in rows)

    def _bands(self, tree: TreeNode) -> Sentence:
        subject, key, *bands = tree.children
        return ast.Bands(*self._said(tree, None, subject, None), self.word(key), tuple(map(self._band, bands)))

    def _band(self, tree: TreeNode) -> ast.Band:
        low, high, value = tree.children
        return ast.Band(self.span(tree), int(low), int(low if high is None else high), self.expr(value))

    def _bar(self, tree: TreeNode) -> Sentence:
        subject, word, when, says = tree.children
        return ast.Bar(*self._said(tree, None, subject, when), self.template(says), self.word(word))

    def _stop(self, tree: TreeNode) -> Sentence:
        subject, when, says = tree.children
        return ast.Stop(*self._said(tree, None, subject, when), self.template(says))

    def _goal(self, tree: TreeNode) -> Sentence:
        subject, when = tree.children
        return ast.Goal(*self._said(tree, None, subject, when))

    def _cost(self, tree: TreeNode) -> Sentence:
        subject, value, instead, when = tree.children
        return ast.Cost(*self._said(tree, instead, subject, when), self.expr(value))

    def _tally(self, tree: TreeNode) -> Sentence:
        subject, value, counter, instead, when = tree.children
        return ast.Tally(*self._said(tree, instead, subject, when), self.expr(value), self.word(counter))

    def _points(self, tree: TreeNode) -> Sentence:
        subject, value, instead, when, says = tree.children
        said = self._said(tree, instead, subject, when)
        return ast.Points(*said, self.template(says), self.expr(value))

    def _factor(self, tree: TreeNode) -> Sentence:
        subject, limit, value, instead, when = tree.children
        rises = limit is not None and limit.data == "rising"
        return ast.Factor(*self._said(tree, instead, subject, when), self.expr(value), rises)

    def _modifier(self, tree: TreeNode) -> Sentence:
        subject, value, label, instead, when = tree.children
        return ast.Modifier(*self._said(tree, instead, subject, when), self.expr(value), unquote(label))

    # ------------------------------------------------------------------ about what comes of an event
    def _sets(self, tree: TreeNode) -> Sentence:
        subject, sweep, *assignments, instead, when = tree.children
        said = self._said(tree, instead, subject, when)
        pairs = tuple((self.expr(one.children[0]), self.expr(one.children[1])) for one in assignments)
        return ast.Sets(*said, self._sweep(sweep), pairs)

    def _puts(self, tree: TreeNode) -> Sentence:
        subject, sweep, record, into, bindings, instead, when = tree.children
        said = self._said(tree, instead, subject, when)
        words = (self.word(record), self.word(into))
        return ast.Puts(*said, self._sweep(sweep), *words, self.bindings(bindings))

    def _removes(self, tree: TreeNode) -> Sentence:
        subject, sweep, member, source, instead, when = tree.children
        said = self._said(tree, instead, subject, when)
        return ast.Removes(*said, self._sweep(sweep), self.expr(member), self.word(source))

    def _sweep(self, tree: TreeNode | None) -> Sweep | None:
        if tree is None:
            return None
        name, base, where = tree.children
        return Sweep(self.word(name), self.expr(base), self.maybe(where))

    # ------------------------------------------------------------------ small things
    def refs(self, tree: TreeNode) -> tuple[Word, ...]:
        """Build references to clauses."""
        return tuple(self.word(ref) for ref in tree.children)

    def _said(self, tree: TreeNode, instead: TreeNode | None, subject: TreeNode, when: TreeNode | None) -> Opening:
        """Give what every sentence about a question begins with: span, clauses that give way, subject, condition."""
        refs = () if instead is None else self.refs(instead.children[0])
        return self.span(tree), refs, self.word(subject), self._when(when)

    def _when(self, tree: TreeNode | None) -> Expr | None:
        if tree is None:
            return None
        condition = self.expr(tree.children[0])
        return Expr("negation", (condition,), condition.span) if tree.data == "unless" else condition


def _about(tree: TreeNode, name: Any) -> TreeNode:
    """Give a sentence about several forms as one about one of them."""
    alone = copy(tree)
    alone.children = [name, *tree.children[1:]]
    return alone


# ---------------------------------------------------------------------- build
AMENDMENTS = (
    "add_clause", "add", "replace", "restate", "attest", "renumber", "delete", "delete_section", "limit", "extend",
    "add_course", "replace_course", "delete_course",
)  # fmt: skip


class Builder(DeclarationBuilder, SentenceBuilder):
    """Builds the tree of one item; lines are counted from `offset`."""

    def item(self, tree: TreeNode) -> Declaration | Clause | Course | Amendment:
        """Build a declaration, a clause, a section of the course of play or an amendment."""
        if tree.data == "clause":
            return self.clause(tree)
        if tree.data == "course":
            return self.course(tree)
        if tree.data in AMENDMENTS:
            return self.amendment(tree)
        return self.declaration(tree)

    def clause(self, tree: TreeNode) -> Clause:
        """Build a clause."""
        ref, number, title, says, *sentences = tree.children
        return Clause(
            self.word(ref),
            unquote(title),
            unquote(says),
            tuple(one for sentence in sentences for one in self.shared(sentence)),
            self.span(tree),
            "" if number is None else str(number.children[0]),
        )

    def course(self, tree: TreeNode) -> Course:
        """Build a section of the course of play."""
        name, title, *sentences = tree.children
        found = (cast(CourseSentence, one) for sentence in sentences for one in self.shared(sentence))
        return Course(self.word(name), unquote(title), tuple(found))

    def amendment(self, tree: TreeNode) -> Amendment:
        """Build an amendment; the names of its kinds are those of the grammar."""
        first, *others = tree.children
        match tree.data:
            case "add_clause":
                return AddClause(self.clause(first))
            case "add_course":
                return AddCourse(self.course(first))
            case "replace_course":
                return ReplaceCourse(self.course(first))
            case "delete_course":
                return DeleteCourse(self.word(first))
            case "delete_section":
                return DeleteSection(self.word(first))
            case "limit":
                return self._limit(first, others)
            case "extend":
                return Extend(self.word(first), self.fields(others))
            case "replace":
                clause = self.clause(others[0])
                return ReplaceClauses((clause.id,) if first is None else self.refs(first), clause)
        return self._of_clauses(str(tree.data), self.refs(first), others)

    def _of_clauses(self, kind: str, refs: tuple[Word, ...], others: list[Any]) -> Amendment:
        match kind:
            case "attest":
                return Attest(refs, unquote(others[0]))
            case "delete":
                return DeleteClauses(refs)
        number = "" if others[0] is None else str(others[0].children[0])
        kinds: dict[str, type[AddKnown | Restate | Renumber]] = {
            "add": AddKnown, "restate": Restate, "renumber": Renumber
        }  # fmt: skip
        return kinds[kind](refs, number)

    def _limit(self, reading: Any, others: list[Any]) -> Limit:
        *offers, because = others
        words = [(self.word(offer.children[0]), offer.children[1] is not None) for offer in offers]
        return Limit(
            self.word(reading),
            tuple(word for word, _ in words),
            tuple(word.text for word, is_default in words if is_default),
            "" if because is None else unquote(because.children[0]),
        )
