"""Build the syntax tree from lark's parse tree: by the classes of nodes, or by a method for a rule that fits none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, Protocol

from titm_rules.diagnostics import Span
from titm_rules.syntax import ast
from titm_rules.syntax.ast import Expr, Word

MAX_DEPTH = 60
PREPOSITIONS = ("for", "at", "by", "from", "to", "against", "without")
_INNER = ("when", "otherwise_value", "instead")  # rules whose only child says it all
# Rules that are the tuple of their children.
_LISTS = ("refs", "bindings", "takes", "answers", "answered", "row", "assignment")
_SLOT = re.compile(r"\{([^{}]*)\}")
# In the title of a question a slot has words for any input: `{this unit}`, or `{that one: target}`.
_TITLED = re.compile(r"(?P<words>[^:]*):\s*|(?:this|these|that|those)\s+")
_VERB = re.compile(r"(?<=[\w)])\s+(is|has|was|does|stands)$")  # a verb behind the names of a slot agrees with them
_BRACE = re.compile(r"[{}]")
_SPACES = re.compile(r"\s+")


class TreeNode(Protocol):
    """A tree of lark; its children are trees and tokens, which lark types loosely, or None for an omitted part."""

    data: str
    children: list[Any]


class TooDeep(Exception):
    """An expression is nested beyond the limit."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


class BadSlot(Exception):
    """A slot, the part in braces of a text, cannot be read."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(what)
        self.what, self.span = what, span


def unquote(text: str) -> str:
    """Strip the quotes of a text and fold its white space."""
    return " ".join(text[1:-1].split())


@dataclass(frozen=True, slots=True)
class TextSlot:
    """A part in braces of a text.

    Attributes:
        start, end: its place in the text, with its braces.
        words: the words in its place while its value is unknown, as in the list of all questions.
        expression: what is shown, and the `verb` behind it, which is empty if there is none.
        origin: the place of the expression in its file.
    """

    start: int
    end: int
    words: str
    expression: str
    verb: str
    origin: TextOrigin


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """The file of an item or a slot, and where that starts: lines after `offset`, its first line after `margin`."""

    path: str
    offset: int
    margin: int = 0

    def span(self, node: Any) -> Span:
        """Locate a tree or a token; if it has several lines, its first character."""
        meta = getattr(node, "meta", node)
        if getattr(meta, "line", None) is None:  # lark gives an empty tree no place
            return Span(self.path, self.offset + 1, 1, 2)
        margin = self.margin if meta.line == 1 else 0
        end = meta.end_column if meta.end_line == meta.line else meta.column + 1
        return Span(self.path, self.offset + meta.line, meta.column + margin, end + margin)

    def within(self, text: Any, start: int, length: int) -> Span:
        """Locate a part of a text token, which may run over several lines."""
        line = text.count("\n", 0, start)
        column = start - text.rfind("\n", 0, start) if line else text.column + start
        return Span(self.path, self.offset + text.line + line, column, column + length)

    def slots(self, text: Any, is_title: bool = False) -> Iterator[TextSlot]:
        """Find the slots in a text token; those in the title of a question have words for any input."""
        for slot in _SLOT.finditer(text, 1, len(text) - 1):
            titled = _TITLED.match(slot[1]) if is_title else None
            start = 0 if titled is None else titled.end()
            words = (slot[1] if titled is None else titled["words"]) or slot[1]
            verb = None if is_title else _VERB.search(slot[1])
            expression, said = (slot[1][start:], "") if verb is None else (slot[1][: verb.start()], verb[1])
            span = self.within(text, slot.start(1) + start, 1)
            origin = TextOrigin(self.path, span.line - 1, span.column - 1)
            yield TextSlot(slot.start(), slot.end(), words.replace("-", " "), expression, said, origin)


class _Row:
    """How a rule of the grammar becomes a node.

    Attributes:
        node: the class.
        columns: the field of the class that each child is for; a field with a star takes several children.
        kinds: the type of each field as `ast` writes it, by which its child is read.
        given: the fields that the rule itself fixes; those that it does not have are empty.
    """

    def __init__(self, node: type, columns: str = "", **fixed: object) -> None:
        self.node, self.columns = node, columns.replace("*", "").split()
        self.kinds = {field.name: str(field.type) for field in fields(node)}
        needed = [field.name for field in fields(node) if field.default is MISSING]
        self.given = {name: _empty(self.kinds[name]) for name in needed} | fixed
        starred = [at for at, column in enumerate(columns.split()) if column.startswith("*")]
        self.star = starred[0] if starred else None

    def children(self, tree: TreeNode) -> list[Any]:
        """List the children of a tree, one for each column: behind a star all that the other columns leave."""
        if self.star is None:
            return tree.children
        end = len(tree.children) - (len(self.columns) - self.star - 1)
        return [*tree.children[: self.star], tree.children[self.star : end], *tree.children[end:]]


def _empty(kind: str) -> object:
    """Return the value of a field whose child is omitted."""
    if kind.endswith(", ...]") or kind == "Wording":
        return ()
    return {"str": "", "bool": False}.get(kind)


# A field's declared type says how its child is read, so that most rules need no more than the row of their class.
_ROWS = {rule: _Row(node, columns) for rule, (node, columns) in ast.NODES.items()}
# The rules of one class that differ in a value.
_ROWS |= {
    **{f"{role}_record": _Row(ast.RecordDecl, "name *fields", role=role) for role in ("place", "piece", "connection")},
    "plain_record": _Row(ast.RecordDecl, "name written *fields", role="plain"),
    "situation": _Row(ast.RecordDecl, "name *fields", role="situation"),
    **{f"{form}_type": _Row(ast.TypeRef, "name", form=form) for form in ("named", "names", "pair")},
    **{f"{form}_type": _Row(ast.TypeRef, form=form) for form in ("flag", "text")},
    **{form: _Row(ast.TypeRef, "name", form=form) for form in ("number_map", "flag_map")},
    "number_type": _Row(ast.TypeRef, "low high", form="number"),
    "any_number_type": _Row(ast.TypeRef, form="number"),
    "measured_type": _Row(ast.TypeRef, "name *bounds", form="measured"),
    "list_type": _Row(ast.TypeRef, "name high", form="list"),
    "measured_map": _Row(ast.TypeRef, "unit name", form="measured_map"),
    "define": _Row(ast.DefineDecl, "type optional name params situation default phrase"),
    "total_definition": _Row(ast.DefineDecl, "type name params situation", adds_up=True),
    "heading_end": _Row(ast.SituationHeading),
    "simple": _Row(ast.Simple),
    "entering": _Row(ast.Simple, returns=True),
    **{f"ask_{kind}": _Row(ast.Asks, "form bindings *names is_bare", kind=kind) for kind in ("ends", "path")},
    **{
        f"ask_{kind}": _Row(ast.Asks, "form bindings *names", kind=kind)
        for kind in ("cost", "closings", "choices", "choice")
    },
    "ask_roll": _Row(ast.Asks, "form bindings", kind="roll"),
    "each": _Row(ast.EachAnswer, "name base where value"),
    "each_gives": _Row(ast.EachAnswer, "name base where value", in_order=True),
    "domain": _Row(ast.ForEach, "name base where"),
    "first": _Row(ast.ForEach, "name base where", first=True),
    **{kind: _Row(ast.Going, "walk bindings", kind=kind) for kind in ("steps", "halts", "closes")},
    **{f"saying_{whole}": _Row(ast.SayingDecl, "says", whole=whole) for whole in ("yes", "no")},
    "rolling": _Row(ast.RollsFor, "roll thrown"),
    "rolling_many": _Row(ast.RollsFor, "count roll thrown"),
    "rows": _Row(ast.TableRows, "subject *rows"),
    "line": _Row(ast.TableRows, "subject key *rows"),
}


class Builder:
    """Builds the nodes of one item; `parse_slot` parses an expression to lark's tree, or returns None."""

    def __init__(self, origin: TextOrigin, parse_slot: Callable[[str], TreeNode | None]) -> None:
        self.origin, self.span, self.parse_slot = origin, origin.span, parse_slot
        self._answer_depth = 0

    def build(self, tree: Any) -> Any:
        """Build the node of a tree: by its row, by the method that is named for its rule, or as an expression.

        A token is a word.

        Raises:
            TooDeep: for an expression or an answer beyond 60 levels.
            BadSlot: for a slot that cannot be read.
        """
        if not hasattr(tree, "data"):
            return self.word(tree)
        rule = str(tree.data)
        if rule in _ROWS:
            return self._node(tree, _ROWS[rule])
        if rule in _INNER:
            return self.build(tree.children[0])
        if rule in _LISTS:
            return tuple(map(self.build, tree.children))
        return getattr(self, f"_build_{rule}", self.expr)(tree)

    def _node(self, tree: TreeNode, row: _Row) -> Any:
        values = dict(row.given)
        if "span" in row.kinds:
            values["span"] = self.span(tree)
        for column, child in zip(row.columns, row.children(tree), strict=True):
            values[column] = self._value(child, row.kinds[column])
        return row.node(**values)

    def _value(self, child: Any, kind: str) -> Any:
        """Build a child for a field of a type."""
        if child is None:
            return _empty(kind)
        if isinstance(child, list):
            element = kind.removeprefix("tuple[").removesuffix(", ...]")
            return tuple(value for part in child if part is not None for value in self._elements(part, element))
        if kind == "bool":  # the keyword is there; only `at most` says the contrary
            return getattr(child, "data", "") != "falling"
        if kind.startswith("int"):
            return int(child)
        if kind.startswith(("Word |", "str")) or kind == "Word":
            token = _token(child)
            text = unquote(token) if token.type == "TEXT" else " ".join(token.split())
            return text if kind.startswith("str") else Word(text, self.span(token))
        if kind.startswith("AnswerValue"):
            return self._answer_value(child)
        return self.build(child)

    def _elements(self, part: object, kind: str) -> Iterator[Any]:
        """Build an element of a list; one about several subjects, or with several bars, is a sentence of each."""
        node = self._value(part, kind)
        yield node
        first, *others = getattr(part, "children", None) or [None]
        if getattr(first, "data", "") in ("subjects", "kept_fields"):
            bars = [self.word(bar) for bar in others[0].children] if isinstance(node, ast.Bar) else []
            for number, name in enumerate(first.children):
                about = node if number == 0 else replace(node, subject=self.word(name))
                yield from [about] if number else []
                yield from (replace(about, word=bar) for bar in bars[1:])

    def _answer_value(self, tree: TreeNode) -> ast.AnswerValue:
        if self._answer_depth > MAX_DEPTH:
            raise TooDeep(self.span(tree))
        self._answer_depth += 1
        value: ast.AnswerValue = self.build(tree)
        self._answer_depth -= 1
        return value

    def word(self, token: Any) -> Word:
        return Word(str(token), self.span(token))

    def expr(self, tree: Any, depth: int = 0) -> Expr:
        """Build an expression.

        Raises:
            TooDeep: beyond 60 levels.
        """
        span = self.span(tree)
        if depth > MAX_DEPTH:
            raise TooDeep(span)
        match tree.data:
            case "comparison":
                return self._test(self.expr(tree.children[0], depth + 1), tree.children[1], span, depth)
            case "some_is" | "every_is":
                name, base, test = tree.children
                member = Expr("name", (str(name),), self.span(name))
                body = self._test(member, test, self.span(test), depth)
                return Expr(tree.data.removesuffix("_is"), (str(name), self.expr(base, depth + 1), body), span)
            case "its":
                return Expr("of", (str(tree.children[0]), Expr("it", (), span)), span)
            case "all_of" | "any_of":
                first, last = (self.expr(child, depth + 1) for child in tree.children)
                parts = first.args if first.op == tree.data else (first,)
                return Expr(tree.data, (*parts, last), span)
        args: list[Expr | str | int | None] = []
        for child in tree.children:
            if child is None:
                args.append(None)
            elif hasattr(child, "data"):
                if child.data in PREPOSITIONS:
                    args.append(str(child.data))
                else:
                    args.append(self.expr(child, depth + 1))
            elif child.type == "INT":
                args.append(int(child))
            else:
                args.append(unquote(child) if child.type == "TEXT" else " ".join(child.split()))
        return Expr(str(tree.data), tuple(args), span)

    def _test(self, left: Expr, test: TreeNode, span: Span, depth: int) -> Expr:
        """Build what follows `is` or `has` as a condition on what stands before it."""
        built = self.expr(test, depth + 1)
        if test.data != "has":
            return Expr(built.op, (left, *built.args), span)
        negated, name = built.args
        flag = Expr("of", (name, left), span)
        return Expr("negation", (flag,), span) if negated else flag

    # ------------------------------------------------------------------ rules whose children do not match fields
    def _build_edition(self, tree: TreeNode) -> ast.EditionDecl:
        name, title, date, basis, folder, source = tree.children
        kind, base = ("", "") if basis is None else (str(basis.data), unquote(basis.children[0]))
        name, source = self._value(name, "Word"), self._value(source, "str")
        return ast.EditionDecl(name, unquote(title), str(date), kind, base, unquote(folder), source)

    def _build_type(self, tree: TreeNode) -> ast.TypeDecl:
        name, *values = tree.children
        parts: list[tuple[Any, Any, Any]] = [value.children for value in values]
        words = tuple(self.word(word) for word, _, _ in parts)
        texts = tuple(self._value(alias or word, "str") for word, alias, _ in parts)
        others = tuple(self._value(also.children if also else [], "tuple[Word, ...]") for _, _, also in parts)
        return ast.TypeDecl(self.word(name), words, texts, others)

    def _build_field(self, tree: TreeNode) -> ast.FieldDecl:
        name, alias, ftype, optional, default = tree.children
        value = None if default is None else self.expr(default.children[0])
        same_as = default is not None and default.data == "default_same"
        text, values = self._value(alias, "str | None"), (None, value) if same_as else (value, None)
        return ast.FieldDecl(self.word(name), text, self.build(ftype), optional is not None, *values)

    def _build_params(self, tree: TreeNode) -> tuple[ast.Param, ...]:
        params, prep = [], "of"
        for child in tree.children:
            if child.data == "param":
                params.append(self._build_param(child, prep))
            else:
                prep = str(child.data)
        return tuple(params)

    def _build_param(self, tree: TreeNode, prep: str = "for") -> ast.Param:
        name, ftype, optional = tree.children
        return ast.Param(prep, self.word(name), replace(self.build(ftype), optional=optional is not None))

    def _build_reading(self, tree: TreeNode) -> ast.ReadingDecl:
        name, alias, question, *choices = tree.children
        built, reasons = [], []
        for choice in choices:
            word, text, default, because = choice.children
            built.append(ast.ChoiceDecl(self.word(word), unquote(text), default is not None))
            reasons += [] if because is None else [unquote(because.children[0])]
        also = None if alias is None else self.word(alias)
        return ast.ReadingDecl(self.word(name), unquote(question), tuple(built), "; ".join(reasons), alias=also)

    def _build_table(self, tree: TreeNode) -> ast.TableDecl:
        name, key, other, gives = tree.children
        number = across = None
        if other is not None and other.data == "number_key":
            word, low, high = other.children
            number = self.word(word), int(low), int(high)
        elif other is not None:
            across = self.word(other.children[0])
        gives = None if gives is None else self.build(gives)
        return ast.TableDecl(self.word(name), self.word(key), number, gives, across)

    def _build_always(self, tree: TreeNode) -> ast.AlwaysDecl:
        situation, each, condition, says = tree.children
        var, base = (None, None) if each is None else (self.word(each.children[0]), self.expr(each.children[1]))
        return ast.AlwaysDecl(self.word(_token(situation)), var, base, self.expr(condition), self.build(says))

    def _build_band(self, tree: TreeNode) -> ast.Band:
        low, high, value = tree.children
        return ast.Band(self.span(tree), int(low), int(low if high is None else high), self.expr(value))

    def _build_preference(self, tree: TreeNode) -> ast.Preference:
        subjects, after, preferred, when, says = tree.children
        refs = () if after is None else self.build(after.children[0])
        [*known, degree] = preferred.children
        member, where = (self.word(known[0]), self.expr(known[1])) if known else (None, None)
        order = None if degree is None else self.expr(degree.children[0])
        return ast.Preference(
            self.span(tree), refs, self._value(subjects, "Word"), None if when is None else self.build(when),
            self._value(says, "Wording"), member, where, order, getattr(degree, "data", "") == "highest_first",
        )  # fmt: skip

    def _build_raises(self, tree: TreeNode) -> ast.Sets:
        """Build `NAME raises FIELD by NUMBER` as a sentence that sets it."""
        subjects, sweep, field, amount, refs, when = tree.children
        span, target = self.span(tree), self.expr(field)
        value = Expr({"raises": "plus", "lowers": "minus"}[tree.data], (target, self.expr(amount)), span)
        built = (None if part is None else self.build(part) for part in (sweep, when))
        swept, condition = built
        named = () if refs is None else self.build(refs)
        return ast.Sets(span, named, self.word(subjects.children[0]), condition, swept, ((target, value),))

    _build_lowers = _build_raises

    def _build_unless(self, tree: TreeNode) -> Expr:
        condition = self.expr(tree.children[0])
        return Expr("negation", (condition,), condition.span)

    def _build_otherwise(self, tree: TreeNode) -> Expr:
        [when] = tree.children
        return Expr("otherwise", (None if when is None else self.build(when),), self.span(tree))

    def _build_replace(self, tree: TreeNode) -> ast.ReplaceClauses:
        refs, clause = tree.children[0], self.build(tree.children[1])
        return ast.ReplaceClauses((clause.id,) if refs is None else self.build(refs), clause)

    def _build_limit(self, tree: TreeNode) -> ast.Limit:
        reading, *offers, because = tree.children
        offered = tuple(self.word(offer.children[0]) for offer in offers)
        defaults = tuple(str(name) for name, default in (offer.children for offer in offers) if default is not None)
        return ast.Limit(self.word(reading), offered, defaults, self._value(because, "str"))

    # ------------------------------------------------------------------ texts with slots
    def _build_says(self, tree: TreeNode) -> ast.Wording:
        """Cut the text behind `says` at its slots, and build the expression in each."""
        return tuple(self._wording(tree.children[0]))

    _build_phrase = _build_wording = _build_says

    def _build_title(self, tree: TreeNode) -> ast.Title:
        text, at, words = tree.children[0], 0, ""
        for slot in self.origin.slots(text, is_title=True):
            words, at = words + text[at : slot.start] + slot.words, slot.end
        asked = tuple(self._wording(text, is_title=True))
        return ast.Title(self.span(text), unquote(words + text[at:]), asked)

    def _wording(self, text: Any, is_title: bool = False) -> Iterator[str | Expr]:
        at = 1
        for slot in self.origin.slots(text, is_title):
            yield from self._words(text, at, slot.start)
            tree = self.parse_slot(slot.expression)
            if tree is None:
                written = text[slot.start + 1 : slot.end - 1]
                span = self.origin.within(text, slot.start + 1, len(written) or 1)
                raise BadSlot(f"`{written}` is not an expression", span)
            built = Builder(slot.origin, self.parse_slot).expr(tree)
            yield Expr("verb", (built, slot.verb), built.span) if slot.verb else built
            at = slot.end
        yield from self._words(text, at, len(text) - 1)

    def _words(self, text: Any, start: int, end: int) -> Iterator[str]:
        stray = _BRACE.search(text, start, end)
        if stray is not None:
            raise BadSlot("this brace stands alone", self.origin.within(text, stray.start(), 1))
        if start < end:
            yield _SPACES.sub(" ", text[start:end])


def _token(child: Any) -> Any:
    """Return the first token of a tree, which is the only one that matters: a name behind `on`, a text behind `as`."""
    while hasattr(child, "data"):
        child = child.children[0]
    return child
