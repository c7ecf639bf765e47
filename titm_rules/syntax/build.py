"""From lark's tree to ours."""

from __future__ import annotations

from typing import Any

from titm_rules.diagnostics import Span
from titm_rules.syntax.tree import (
    Amendment,
    Binding,
    Clause,
    Decl,
    Expr,
    FieldDecl,
    Param,
    Part,
    Sentence,
    Sweep,
    TypeRef,
    Word,
)

Node = Any  # a tree or a token of lark, whose children are typed loosely
MAX_DEPTH = 60
AMENDMENTS = (
    "add_clause", "add", "replace", "restate", "attest", "renumber", "delete", "delete_section", "limit", "extend",
)  # fmt: skip
_TYPE_FORMS = {
    "named_type": "named",
    "number_type": "number",
    "any_number_type": "number",
    "flag_type": "flag",
    "text_type": "text",
    "list_type": "list",
    "names_type": "names",
    "pair_type": "pair",
}


class TooDeep(Exception):
    """An expression is nested beyond the limit."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


def unquote(text: str) -> str:
    """Strip the quotes of a text and fold its white space."""
    return " ".join(text[1:-1].split())


class Builder:
    """Builds the tree of one item; lines are counted from `offset`."""

    def __init__(self, path: str, offset: int) -> None:
        self.path = path
        self.offset = offset

    def span(self, node: Node) -> Span:
        """Locate a node; of a node over several lines, its first line."""
        meta: Any = getattr(node, "meta", node)
        if getattr(meta, "line", None) is None:
            return Span(self.path, self.offset + 1, 1, 2)
        one_line = meta.end_line == meta.line
        end = meta.end_column if one_line else meta.column + 1
        return Span(self.path, self.offset + meta.line, meta.column, end)

    def word(self, token: Any) -> Word:
        """Build a word of a token."""
        return Word(str(token), self.span(token))

    # ------------------------------------------------------------------ items
    def item(self, tree: Node) -> Decl | Clause | Amendment:
        """Build a declaration, a clause or an amendment."""
        if tree.data == "clause":
            return self.clause(tree)
        if tree.data in AMENDMENTS:
            return self.amendment(tree)
        build = getattr(self, f"_{tree.data}", None) or self._form
        decl: Decl = build(tree)
        return decl

    def clause(self, tree: Node) -> Clause:
        """Build a clause."""
        ref, number, title, says, *sentences = tree.children
        return Clause(
            self.word(ref),
            unquote(title),
            unquote(says),
            tuple(self.sentence(sentence) for sentence in sentences),
            self.span(tree),
            "" if number is None else str(number.children[0]),
        )

    def amendment(self, tree: Node) -> Amendment:
        """Build an amendment."""
        refs: tuple[Word, ...] = ()
        words: list[Word] = []
        defaults: list[str] = []
        clause, number, text, fields = None, "", "", []
        for child in tree.children:
            match getattr(child, "data", getattr(child, "type", None)):
                case "REF" | "NAME":
                    refs = (self.word(child),)
                case "TEXT":
                    text = unquote(child)
                case "refs":
                    refs = tuple(self.word(ref) for ref in child.children)
                case "clause":
                    clause = self.clause(child)
                case "numbered":
                    number = str(child.children[0])
                case "because":
                    text = unquote(child.children[0])
                case "offer":
                    words.append(self.word(child.children[0]))
                    defaults += [str(child.children[0])] if child.children[1] is not None else []
                case "field":
                    fields.append(child)
        kind = str(tree.data).removesuffix("_clause")
        return Amendment(
            kind, self.span(tree), refs or ((clause.id,) if clause else ()), clause, number, text,
            tuple(words), tuple(defaults), self.fields(fields),
        )  # fmt: skip

    def _game(self, tree: Node) -> Decl:
        name = self.word(tree.children[0])
        return Decl("game", Word(unquote(name.text), name.span), name.span)

    def _edition(self, tree: Node) -> Decl:
        name, title, date, basis, folder, source = tree.children
        word = Word(unquote(name), self.span(name))
        base = () if basis is None else (Word(unquote(basis.children[0]), self.span(basis.children[0])),)
        kind = "" if basis is None else str(basis.data)
        told = "" if source is None else unquote(source.children[0])
        texts = (str(date), unquote(folder), kind, told)
        return Decl("edition", word, word.span, unquote(title), words=base, texts=texts)

    def _type(self, tree: Node) -> Decl:
        name, *values = tree.children
        words = tuple(self.word(value.children[0]) for value in values)
        texts = tuple(
            unquote(value.children[1].children[0]) if value.children[1] is not None else str(value.children[0])
            for value in values
        )
        return Decl("type", self.word(name), self.span(name), words=words, texts=texts)

    def _record(self, tree: Node) -> Decl:
        name, *fields = tree.children
        kind = str(tree.data).removesuffix("_record")
        return Decl(kind, self.word(name), self.span(name), fields=self.fields(fields))

    _place_record = _piece_record = _connection_record = _plain_record = _record

    def _situation(self, tree: Node) -> Decl:
        name, *fields = tree.children
        return Decl("situation", self.word(name), self.span(name), fields=self.fields(fields))

    def _die(self, tree: Node) -> Decl:
        name, low, high = tree.children
        return Decl("die", self.word(name), self.span(name), numbers=(int(low), int(high)))

    def _reading(self, tree: Node) -> Decl:
        name, question, *choices = tree.children
        words = tuple(self.word(choice.children[0]) for choice in choices)
        texts = tuple(unquote(choice.children[1]) for choice in choices)
        defaults = tuple(i for i, choice in enumerate(choices) if choice.children[2] is not None)
        because = [unquote(choice.children[3].children[0]) for choice in choices if choice.children[3] is not None]
        return Decl(
            "reading", self.word(name), self.span(name), unquote(question),
            words=words, texts=texts, numbers=defaults, because="; ".join(because),
        )  # fmt: skip

    def _define(self, tree: Node) -> Decl:
        ftype, optional, name, params, situation = tree.children
        return Decl(
            "define",
            self.word(name),
            self.span(name),
            type=self.type(ftype),
            optional=optional is not None,
            params=self.params(params),
            situation=self.on(situation),
        )

    def _table(self, tree: Node) -> Decl:
        name, key = map(self.word, tree.children)
        return Decl("table", name, name.span, words=(key,))

    def _form(self, tree: Node) -> Decl:
        name, situation, *parts = tree.children
        return Decl(
            str(tree.data), self.word(name), self.span(name),
            situation=self.on(situation), parts=tuple(self.part(part) for part in parts),
        )  # fmt: skip

    def _roll(self, tree: Node) -> Decl:
        name, params, situation, die = tree.children
        return Decl(
            "roll", self.word(name), self.span(name), params=self.params(params),
            situation=self.on(situation), words=(self.word(die),),
        )  # fmt: skip

    def _question(self, tree: Node) -> Decl:
        name, situation, takes, asks = tree.children
        fields = self.fields(takes.children) if takes is not None else ()
        return Decl(
            "question", self.word(name), self.span(name), fields=fields,
            situation=self.on(situation), parts=(self.part(asks),),
        )  # fmt: skip

    def _view(self, tree: Node) -> Decl:
        name, params, situation, *answers = tree.children
        return Decl(
            "view", self.word(name), self.span(name), params=self.params(params),
            situation=self.on(situation), parts=tuple(self.part(answer) for answer in answers),
        )  # fmt: skip

    def _summary(self, tree: Node) -> Decl:
        situation, *answers = tree.children
        word = self.on(situation)
        assert word is not None
        return Decl(
            "summary", word, word.span, situation=word, parts=tuple(self.part(answer) for answer in answers),
        )  # fmt: skip

    def _event(self, tree: Node) -> Decl:
        name, situation, otherwise, actor, *parts = tree.children
        return Decl(
            "event", self.word(name), self.span(name), situation=self.on(situation), optional=otherwise is not None,
            exprs=(self.expr(actor),) if actor is not None else (),
            parts=tuple(self.part(part) for part in parts if part is not None),
        )  # fmt: skip

    # ------------------------------------------------------------------ parts of items
    def on(self, tree: Node | None) -> Word | None:
        """Build the situation that something is about, if it is named."""
        return None if tree is None else self.word(tree.children[0])

    def fields(self, trees: list[Any]) -> tuple[FieldDecl, ...]:
        """Build fields."""
        return tuple(self.field(tree) for tree in trees)

    def field(self, tree: Node) -> FieldDecl:
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

    def type(self, tree: Node) -> TypeRef:
        """Build a type."""
        form = _TYPE_FORMS[str(tree.data)]
        numbers = [int(child) for child in tree.children] if form == "number" else []
        if form == "list" and tree.children[1] is not None:
            numbers = [0, int(tree.children[1])]
        name = str(tree.children[0]) if form in ("named", "list", "names", "pair") else ""
        low, high = numbers if numbers else (None, None)
        return TypeRef(form, name, low, high, self.span(tree))

    def params(self, tree: Node | None) -> tuple[Param, ...]:
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

    def param(self, tree: Node, prep: str = "for") -> Param:
        """Build a parameter."""
        name, ftype = tree.children
        return Param(prep, self.word(name), self.type(ftype))

    def bindings(self, tree: Node | None) -> tuple[Binding, ...]:
        """Build what roles are given."""
        if tree is None:
            return ()
        return tuple(Binding(self.word(b.children[0]), self.expr(b.children[1])) for b in tree.children)

    def part(self, tree: Node, depth: int = 0) -> Part:
        """Build a part of a form, an `asks` or an answer.

        Raises:
            TooDeep: beyond 60 levels of answers.
        """
        if depth > MAX_DEPTH:
            raise TooDeep(self.span(tree))
        words: list[Word] = []
        exprs: list[Expr | None] = []
        parts: list[Part] = []
        param: Param | None = None
        bindings: tuple[Binding, ...] = ()
        for child in tree.children:
            data = getattr(child, "data", None)
            if child is None:
                exprs.append(None)
            elif data is None:
                words.append(self.word(child))
            elif data == "param":
                param = self.param(child)
            elif data == "bindings":
                bindings = self.bindings(child)
            elif data in ("answer", "each", "answer_record"):
                parts.append(self.part(child, depth + 1))
            else:
                exprs.append(self.expr(child))
        return Part(str(tree.data), self.span(tree), tuple(words), tuple(exprs), param, bindings, tuple(parts))

    # ------------------------------------------------------------------ sentences
    def sentence(self, tree: Node) -> Sentence:
        """Build a sentence of a clause."""
        subject = word = value = when = None
        text = ""
        refs: tuple[Word, ...] = ()
        rows: list[tuple[Word, int]] = []
        sweep: Sweep | None = None
        assigned: list[tuple[Expr, Expr]] = []
        bindings: tuple[Binding, ...] = ()
        into: Word | None = None
        for child in tree.children:
            data = getattr(child, "data", None)
            if child is None:
                continue
            if data is None and child.type == "TEXT":
                text = unquote(child)
            elif data is None and subject is None:
                subject = self.word(child)
            elif data is None:
                word, into = (self.word(child), into) if word is None else (word, self.word(child))
            elif data == "sweep":
                var, base, where = child.children
                sweep = Sweep(self.word(var), self.expr(base), self.maybe(where))
            elif data == "assignment":
                assigned.append((self.expr(child.children[0]), self.expr(child.children[1])))
            elif data == "bindings":
                bindings = self.bindings(child)
            elif data == "refs":
                refs = tuple(self.word(ref) for ref in child.children)
            elif data == "instead":
                refs = tuple(self.word(ref) for ref in child.children[0].children)
            elif data == "row":
                rows.append((self.word(child.children[0]), int(child.children[1])))
            elif data in ("when", "unless"):
                when = self.expr(child.children[0])
                if data == "unless":
                    when = Expr("negation", (when,), when.span)
            else:
                value = self.expr(child)
        return Sentence(
            str(tree.data), self.span(tree), subject, word, value, when, text, refs, tuple(rows),
            sweep, tuple(assigned), bindings, into,
        )  # fmt: skip

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
                args.append(unquote(child) if child.type == "TEXT" else str(child))
        return Expr(str(tree.data), tuple(args), span)

    def _flat(self, tree: Any, depth: int) -> Expr:
        parts = tuple(self.expr(child, depth + 1) for child in tree.children)
        return Expr(str(tree.data), parts, self.span(tree))
