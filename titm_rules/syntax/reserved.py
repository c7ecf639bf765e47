"""Words of the rule language that are no names: a thing of such a name could be declared, and never asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from titm_rules.diagnostics import Fault
from titm_rules.syntax.declarations import Declaration, DieDecl, EditionDecl, GameDecl, ReadingDecl
from titm_rules.syntax.nodes import Expr, TypeRef, Word

# Words with which an expression, or what follows `is`, may begin; the tests hold them to the grammar.
IN_EXPRESSIONS = frozenset((
    "at", "choices", "each", "every", "for", "highest", "in", "least", "less", "lowest", "more", "most", "no", "not",
    "nothing", "number", "one", "possible", "some", "those", "total", "yes",
))  # fmt: skip
# Words with which a sentence of a clause may begin that is about no question.
IN_CLAUSES = frozenset(("decides", "lifts", "see"))
# Words for types, and for what a field is by default.
IN_DECLARATIONS = frozenset(("flag", "list", "names", "none", "number", "pair", "same", "text"))
ARTICLES = frozenset(("a", "an", "the"))
_UNASKED = (GameDecl, EditionDecl, DieDecl, ReadingDecl)
_NO_NAMES = ("asks", "answers", "lacking", "bindings")  # parts of a declaration in which no name is brought
_NAMING = ("name", "values", "left", "entered", "thrown")


def misnamed(decl: Declaration, lines: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each name of a declaration that is a word of the language; `lines` are those of its file."""
    is_type = getattr(decl, "role", "") not in ("", "situation")
    for number, word in enumerate(() if isinstance(decl, _UNASKED) else _names(decl)):
        place = _place_of(word.text, is_type and number == 0)
        if place:
            why = f"with this word {place} may begin, so that nothing could ask for what bears it as a name"
            said = lines[word.span.line - 1]
            yield Fault(f"`{word.text}` is a word of the language", word.span, why, "take another name", said)


def _place_of(word: str, is_type: bool) -> str:
    """Say where a word has a meaning of its own that a name in its place would hide; empty if nowhere."""
    if word in IN_EXPRESSIONS:
        return "an expression"
    if word in IN_CLAUSES:
        return "a sentence"
    return "a type" if is_type and word in IN_DECLARATIONS else ""


def _names(node: object) -> Iterator[Word]:
    """Yield the names that a declaration brings, in its order; what its expressions ask for is brought by others."""
    if isinstance(node, tuple):
        for one in node:
            yield from _names(one)
    elif is_dataclass(node) and not isinstance(node, Expr | TypeRef | Word):
        for field in (one for one in fields(node) if one.name not in _NO_NAMES):
            value = getattr(node, field.name)
            found = value if isinstance(value, tuple) else (value,)
            if field.name in _NAMING:
                yield from (one for one in found if isinstance(one, Word))
            yield from _names(tuple(one for one in found if not isinstance(one, Word)))
