"""List where names and clause numbers occur in a rule file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
    "view": 0, "walk": 0, "event": 0, "limit": 0, "extend": 0, "claim": 0,
    "rows": 0, "bands": 0, "factor": 0, "modifier": 0, "holds": 0, "value": 0, "sets": 0, "puts": 0, "removes": 0,
    "raises": 0, "lowers": 0, "lifts": 1,
}  # fmt: skip
# The child that names the form or record whose roles the bindings of a rule give.
_GIVEN = {
    "result": 1, "ask_ends": 0, "ask_cost": 0, "ask_path": 0, "ask_closings": 0, "ask_choices": 0, "ask_choice": 0,
    "ask_roll": 0, "choices_of": 0, "able": 0, "selects": 0, "picking": 0, "steps": 0, "halts": 0, "closes": 0,
    "walk": 2, "puts": 2,
}  # fmt: skip
# The child that is a name bound within its rule.
_LOCAL = {
    "some": 0, "every": 0, "some_is": 0, "every_is": 0, "those": 0, "count_where": 0, "total": 1, "highest": 1,
    "lowest": 1, "each": 0, "each_gives": 0,
}  # fmt: skip
_SENTENCE_WIDE = ("sweep", "always_each")  # rules whose first child is bound in the whole sentence or item around them
_RANGES = ("domain", "first")  # rules whose first child is `it` in the later parts of their event
_MEMBER = ("it", "its")
_CONDITIONS = ("when", "unless")
_WORDED = ("says", "phrase", "title", "wording")  # rules of a text with slots
DECLARED: frozenset[PartOfRule] = frozenset(
    (
        ("type", 0), ("measure", 0), ("place_record", 0), ("piece_record", 0), ("connection_record", 0),
        ("plain_record", 0), ("situation", 0), ("die", 0), ("reading", 0), ("reading", 1), ("define", 2), ("table", 0),
        ("route", 0), ("allocation", 0), ("selection", 0), ("roll", 0), ("question", 0), ("walk", 0), ("event", 0),
        ("claim", 0), ("interruption", 0), ("closing", 0),
    )
)  # fmt: skip
ROLES: frozenset[PartOfRule] = frozenset(
    (
        ("param", 0), ("crosses", 0), ("crosses", 2), ("crosses", 3), ("choosers", 0), ("counters", 0), ("picks", 0),
        ("tallied", 0), ("halted", 0), ("interruption", 5), ("number_key", 0), ("domain", 0), ("first", 0), ("let", 0),
        ("thrown", 0),
    )
)  # fmt: skip
_NAMED: frozenset[PartOfRule] = frozenset(
    (
        ("name", 0), ("of", 0), ("call", 0), ("call_bare", 0), ("standing", 0), ("touching", 0),
    )
)  # fmt: skip
OF_MEMBER: frozenset[PartOfRule] = frozenset((("its", 0), ("has", 1)))  # fields and definitions, never bound names
ASKED = _NAMED | OF_MEMBER


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of a name, or of the number of a clause.

    Attributes:
        text: as written; `it` and `its` mention a member of a list too.
        kind: `NAME` or `REF`, the number of a clause.
        part: its rule of the grammar, and its index among the children; `it` and `its` have the index -1.
        about: the subject of its sentence or declaration, or the first clause that it lifts; empty if there is none.
            In a nested answer, and in the default of a field, followed by a dot and the name of the answer or field.
        bound: the place where the name is bound, if it is local to an expression.
        item: the first line of its item.
        name: the name that is mentioned: the text, or the name of the member that `it` or `its` replaces.
        begins: the line and column where its expression begins, which after `its` and `has` is not the name.
    """

    text: str
    span: Span
    kind: str
    part: PartOfRule
    about: str
    bound: Span | None
    item: int
    name: str
    begins: tuple[int, int]


@lru_cache(maxsize=96)
def mentions(text: str, path: str) -> tuple[Mention, ...]:
    """List the names and numbers of a rule file in their order; items that cannot be read have none."""
    found: list[Mention] = []
    for line, item in split_items(text):
        tree = parse_tree(item)
        if tree is not None:
            found.extend(_MentionWalk(TextOrigin(path, line - 1), line).of(tree, _Around()))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Around:
    """What is around a tree.

    Attributes:
        about: as in `Mention`.
        bound: the local names, each with the place where it is bound.
        it: the name of the innermost member of a list; empty if there is none.
        within: the name of the answer or field.
        begins: the place where the expression begins that ends with the tree.
    """

    about: str = ""
    bound: Mapping[str, Span] = field(default_factory=dict)
    it: str = ""
    within: str = ""
    begins: Span | None = None


@dataclass(frozen=True)
class _MentionWalk:
    """Walks the tree of an item, or of a slot in it; `item` is the first line of the item."""

    origin: TextOrigin
    item: int

    def of(self, tree: Any, around: _Around) -> Iterator[Mention]:
        """List the mentions in a tree."""
        rule, children = str(tree.data), tree.children
        if rule == "default_value" and children[0].data == "name":
            yield self._mention(children[0].children[0], (rule, 0), _Around(f"{around.about}.{around.within}"))
            return
        if rule in _MEMBER:
            yield self._member(tree, around)
        inner = self._inside(tree, around)
        for at, child in enumerate(children):
            if getattr(child, "data", "") == "bindings" and rule in _GIVEN:
                yield from self._bindings(child, _named(children, _GIVEN[rule]), inner)
            elif hasattr(child, "data"):
                yield from self.of(child, self._around(child, tree, inner, around.it))
                inner = replace(inner, it=str(child.children[0])) if child.data in _RANGES else inner
            elif child is not None and child.type in (NAME, CLAUSE):
                owner = _owner((rule, at), children, inner.about, around.within)
                yield self._mention(child, (rule, at), replace(inner, about=owner), self._begin(tree, around))
            elif child is not None and rule in _WORDED:
                yield from self._slots(child, inner, rule == "title")

    def _inside(self, tree: Any, around: _Around) -> _Around:
        """Find what is around the children of a tree."""
        rule, children = str(tree.data), tree.children
        about = _named(children, _ABOUT[rule]) if rule in _ABOUT else _subject(children) or around.about
        within = str(children[0]) if rule in ("answer", "field") else around.within
        wide = (child.children[0] for child in children if getattr(child, "data", "") in _SENTENCE_WIDE)
        record = children[1:2] if rule == "keeps_while" else []  # `it` is each of its records
        names = [*wide, *([children[_LOCAL[rule]]] if rule in _LOCAL else filter(None, record))]
        bound = {**around.bound, **self._places(names)}
        it = str(children[0]) if rule in _RANGES else str(names[-1]) if names else around.it
        return _Around(about, bound, it, within)

    def _around(self, child: Any, tree: Any, inner: _Around, it: str) -> _Around:
        """Find what is around a child of a tree; `it` is the member around the tree."""
        rule, children = str(tree.data), tree.children
        binder = _LOCAL.get(rule, 0 if rule in (*_SENTENCE_WIDE, *_RANGES) else None)
        if binder is not None and child is children[binder + 1]:  # the list itself is not about its members
            return replace(inner, it="" if rule in _SENTENCE_WIDE else it)
        if child.data in _WORDED:
            names = [name for part in children if getattr(part, "data", "") in _CONDITIONS for name in _witnesses(part)]
            return replace(inner, bound={**inner.bound, **self._places(names)})
        return replace(inner, begins=self.origin.span(tree)) if rule == "comparison" and child.data == "has" else inner

    def _places(self, names: Iterable[Any]) -> dict[str, Span]:
        return {str(name): self.origin.span(name) for name in names}

    def _begin(self, tree: Any, around: _Around) -> Span:
        return around.begins or self.origin.span(tree)

    def _bindings(self, tree: Any, given: str, around: _Around) -> Iterator[Mention]:
        """List the mentions in bindings: the names belong to the form or record `given`, the values do not."""
        for binding in tree.children:
            name, value = binding.children
            yield self._mention(name, ("binding", 0), _Around(given))
            yield from self.of(value, around)

    def _slots(self, text: Any, around: _Around, is_title: bool) -> Iterator[Mention]:
        """List the mentions in the slots of a text."""
        for slot in self.origin.slots(text, is_title):
            tree = parse_part(slot.expression)
            if tree is not None:
                yield from replace(self, origin=slot.origin).of(tree, around)

    def _member(self, tree: Any, around: _Around) -> Mention:
        """Mention the member of a list where it is `it` or `its`."""
        word, span = str(tree.data), self.origin.span(tree)
        span = replace(span, end_column=span.column + len(word))
        binder, begins = around.bound.get(around.it), (span.line, span.column)
        return Mention(word, span, NAME, (word, -1), around.about, binder, self.item, around.it or word, begins)

    def _mention(self, token: Any, part: PartOfRule, around: _Around, begins: Span | None = None) -> Mention:
        text, span = str(token), self.origin.span(token)
        is_local = part in _NAMED or part[0] in (*_LOCAL, *_SENTENCE_WIDE)
        begins = begins if begins is not None and part in ASKED else span
        return Mention(
            text, span, token.type, part, around.about, around.bound.get(text) if is_local else None, self.item, text,
            (begins.line, begins.column),
        )  # fmt: skip


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


def _witnesses(tree: Any, negated: bool = False) -> Iterator[Any]:
    """Yield the names in a condition whose members make it true, which a text behind it may use."""
    rule, children = str(tree.data), tree.children
    if rule in ("when", "unless", "negation"):
        yield from _witnesses(children[0], negated != (rule != "when"))
    elif rule in ("all_of", "any_of"):
        for part in children:
            yield from _witnesses(part, negated)
    elif rule in (("every", "every_is") if negated else ("some", "some_is")):
        yield children[0]
        if rule in ("some", "every"):
            yield from _witnesses(children[2], negated)
