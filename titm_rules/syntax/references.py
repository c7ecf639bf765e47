"""List where names and clause numbers occur in a rule file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from titm_rules.diagnostics import Span
from titm_rules.syntax.builder import TextOrigin
from titm_rules.syntax.parser import parse_part, parse_tree, split_items

PartOfRule = tuple[str, int]  # a rule of the grammar, and which child of it
CLAUSE, NAME = "REF", "NAME"
# The child of a rule that names its subject: the declared thing, or the subject of a sentence.
_ABOUT = {
    "type": 0, "place_record": 0, "piece_record": 0, "connection_record": 0, "plain_record": 0, "situation": 0,
    "reading": 0, "define": 2, "table": 0, "route": 0, "allocation": 0, "selection": 0, "roll": 0, "question": 0,
    "view": 0, "event": 0, "limit": 0, "extend": 0,
    "rows": 0, "bands": 0, "factor": 0, "modifier": 0, "holds": 0, "value": 0, "sets": 0, "puts": 0, "removes": 0,
    "lifts": 1,
}  # fmt: skip
# The child that names the form or record whose roles the bindings of a rule give.
_GIVEN = {
    "result": 1, "ask_ends": 0, "ask_cost": 0, "ask_path": 0, "ask_closings": 0, "ask_choices": 0, "ask_choice": 0,
    "ask_roll": 0, "choices_of": 0, "able": 0, "selects": 0, "picking": 0, "steps": 2, "halts": 2, "closes": 2,
    "puts": 2,
}  # fmt: skip
# The child that is a name bound within its rule.
_LOCAL = {
    "some": 0, "every": 0, "those": 0, "count_where": 0, "total": 1, "highest": 1, "lowest": 1, "each": 0,
    "each_gives": 0,
}  # fmt: skip
DECLARED: frozenset[PartOfRule] = frozenset(
    (
        ("type", 0), ("place_record", 0), ("piece_record", 0), ("connection_record", 0), ("plain_record", 0),
        ("situation", 0), ("die", 0), ("reading", 0), ("define", 2), ("table", 0), ("route", 0), ("allocation", 0),
        ("selection", 0), ("roll", 0), ("question", 0), ("event", 0), ("interruption", 0), ("closing", 0),
    )
)  # fmt: skip
ROLES: frozenset[PartOfRule] = frozenset(
    (
        ("param", 0), ("crosses", 0), ("crosses", 2), ("crosses", 3), ("choosers", 0), ("counters", 0), ("picks", 0),
        ("tallied", 0), ("halted", 0), ("interruption", 5), ("number_key", 0), ("domain", 0), ("first", 0), ("let", 0),
    )
)  # fmt: skip
ASKED: frozenset[PartOfRule] = frozenset(
    (
        ("name", 0), ("of", 0), ("call", 0), ("call_bare", 0), ("standing", 0), ("touching", 0),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of a name, or of the number of a clause.

    Attributes:
        kind: `NAME` or `REF`, the number of a clause.
        part: its rule of the grammar, and its index among the children.
        about: the subject of its sentence or declaration, or the first clause that it lifts; empty if there is none.
            In a nested answer, and in the default of a field, followed by a dot and the name of the answer or field.
        bound: the place where the name is bound, if it is local to an expression.
        item: the first line of its item.
    """

    text: str
    span: Span
    kind: str
    part: PartOfRule
    about: str
    bound: Span | None
    item: int


@lru_cache(maxsize=96)
def mentions(text: str, path: str) -> tuple[Mention, ...]:
    """List the names and numbers of a rule file in their order; items that cannot be read have none."""
    found: list[Mention] = []
    for line, item in split_items(text):
        tree = parse_tree(item)
        if tree is not None:
            found.extend(_MentionWalk(TextOrigin(path, line - 1), line).of(tree, "", {}))
    return tuple(found)


@dataclass(frozen=True)
class _MentionWalk:
    """Walks the tree of an item, or of a slot in it; `item` is the first line of the item."""

    origin: TextOrigin
    item: int

    def of(self, tree: Any, about: str, bound: Mapping[str, Span], within: str = "") -> Iterator[Mention]:
        """List the mentions in a tree; `within` is the name of the answer or field around it."""
        rule, children = str(tree.data), tree.children
        if rule == "default_value" and children[0].data == "name":
            yield self._mention(children[0].children[0], (rule, 0), f"{about}.{within}", {})
            return
        inside = str(children[0]) if rule in ("answer", "field") else within
        about = _named(children, _ABOUT[rule]) if rule in _ABOUT else _subject(children) or about
        local = _LOCAL.get(rule)
        if local is not None:
            bound = {**bound, str(children[local]): self.origin.span(children[local])}
        for child in children:  # the name of a sweep holds in the whole sentence
            if getattr(child, "data", "") == "sweep":
                bound = {**bound, str(child.children[0]): self.origin.span(child.children[0])}
        for at, child in enumerate(children):
            if getattr(child, "data", "") == "bindings" and rule in _GIVEN:
                yield from self._bindings(child, _named(children, _GIVEN[rule]), about, bound)
            elif hasattr(child, "data"):
                yield from self.of(child, about, bound, inside)
            elif child is not None and child.type in (NAME, CLAUSE):
                yield self._mention(child, (rule, at), _owner((rule, at), children, about, within), bound)
            elif child is not None and rule == "says":
                yield from self._slots(child, about, bound)

    def _bindings(self, tree: Any, given: str, about: str, bound: Mapping[str, Span]) -> Iterator[Mention]:
        """List the mentions in bindings: the names belong to the form or record `given`, the values do not."""
        for binding in tree.children:
            name, value = binding.children
            yield self._mention(name, ("binding", 0), given, {})
            yield from self.of(value, about, bound)

    def _slots(self, text: Any, about: str, bound: Mapping[str, Span]) -> Iterator[Mention]:
        """List the mentions in the slots of a text."""
        for slot, origin in self.origin.slots(text):
            tree = parse_part(slot[1])
            if tree is not None:
                yield from replace(self, origin=origin).of(tree, about, bound)

    def _mention(self, token: Any, part: PartOfRule, about: str, bound: Mapping[str, Span]) -> Mention:
        text = str(token)
        binder = bound.get(text) if part in ASKED or part[0] in (*_LOCAL, "sweep") else None
        return Mention(text, self.origin.span(token), token.type, part, about, binder, self.item)


def _owner(part: PartOfRule, children: list[Any], about: str, within: str) -> str:
    """Name the owner of a name: of `RESULT of FORM (...)` the form, of a nested answer the outer one."""
    if part == ("result", 0):
        return _named(children, 1)
    return f"{about}.{within}" if part == ("answer", 0) and within else about


def _named(children: list[Any], at: int) -> str:
    child = children[at]
    return str(child) if getattr(child, "type", "") == NAME else _subject(children)


def _subject(children: list[Any]) -> str:
    """Name the first subject of a sentence, or the first clause that it lifts; empty if there is none."""
    first: Any = children[0] if children else None
    return str(first.children[0]) if getattr(first, "data", "") in ("subjects", "refs") else ""
