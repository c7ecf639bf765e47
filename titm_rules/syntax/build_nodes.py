"""From lark's tree to ours: the small nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from titm_rules.diagnostics import Span
from titm_rules.syntax.nodes import Binding, Expr, FieldDecl, Param, TypeRef, Word, Wording

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
