"""What may stand at a place while a rule is written: words of the language and names in scope."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from titm_rules.lsp.index import Index, Symbol
from titm_rules.syntax.parser import ITEM_WORDS, next_words, split_items
from titm_rules.syntax.references import CLAUSE, NAME, Mention

_PARTIAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*\Z")
_COMPARED = ("IS", "NOT", "ONE", "OF", "LPAR", "COMMA")
_PLAIN_TYPES = ("place", "path", "assignment", "sequence")
_TYPES = ("type", "place_record", "piece_record", "connection_record", "plain_record")
Tokens = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be written: what kind of thing it is, and how near it lies (0 is nearest)."""

    text: str
    kind: str
    detail: str
    rank: int


def complete(index: Index, text: str, path: str, line: int, column: int) -> list[Offer]:
    """List what may stand at a place; the text may be as it is while somebody types.

    Args:
        index: of what could be read.
        text: the whole file as it is now.
        path: as spans name it.
        line: from 1.
        column: from 1; what stands right before it is the beginning of what is wanted.
    """
    first, item = _item_before(text, line, column)
    begun = _PARTIAL.search(item)
    before = item[: begun.start()] if begun else item
    if not before.strip():
        return [Offer(word, "word", "item", 0) for word in ITEM_WORDS]
    found = next_words(before)
    if found is None:
        return []
    tokens, accepted = found
    offers = [Offer(word, "word", "", 3) for word in accepted if word[0].isalpha() and not word.isupper()]
    if CLAUSE in accepted:
        offers += _clauses(index)
    if NAME in accepted:
        offers += _names(index, tokens, accepted, _Here(path, first, line, column))
    best: dict[str, Offer] = {}
    for offer in sorted(offers, key=lambda one: one.rank):
        best.setdefault(offer.text, offer)
    return list(best.values())


@dataclass(frozen=True, slots=True)
class _Here:
    """Where something is wanted, and the line on which its item starts."""

    path: str
    item: int
    line: int
    column: int


def _item_before(text: str, line: int, column: int) -> tuple[int, str]:
    """Give the item at a place, up to it, and the line on which it starts."""
    lines = text.split("\n")[:line]
    if not lines:
        return line, ""
    lines[-1] = lines[-1][: column - 1]
    upto = "\n".join(lines)
    start, item = next(reversed(split_items(upto)), (line, ""))
    starts_anew = lines[-1][:1].isspace() is False and line != start and not lines[-1]
    return (line, "") if starts_anew else (start, item)


def _clauses(index: Index) -> Iterator[Offer]:
    clauses = {} if index.model is None else index.model.clauses
    for info in clauses.values():
        yield Offer(info.id, "clause", info.title, 0)


def _names(index: Index, tokens: Tokens, accepted: frozenset[str], here: _Here) -> Iterator[Offer]:
    """List the names that may stand behind what is written; those that fit the place come first."""
    last = tokens[-1][0] if tokens else ""
    declared = index.declared
    if "flag" in accepted and "number" in accepted:
        yield from (Offer(name, "type", "", 0) for name in (*_types(index), *_PLAIN_TYPES))
    elif last == "ON":
        yield from (Offer(s.name, "type", "situation", 0) for s in declared if _is(index, s, ("situation",)))
    elif "lifts" in accepted:
        subjects = ("define", "table", "route", "allocation", "selection", "roll", "event", "closing", "interruption")
        yield from (Offer(s.name, "name", "", 0) for s in declared if _is(index, s, subjects))
    elif [kind for kind, _ in tokens[-2:]] == ["MAY", "NOT"]:
        yield from (Offer(word, "word", "", 0) for word in _barred(index, tokens))
    else:
        yield from _values_wanted(index, tokens)
        yield from _in_scope(index, tokens, here)


def _barred(index: Index, tokens: Tokens) -> Iterator[str]:
    """List what clauses may forbid of the last name that is written."""
    subject = next((text for kind, text in reversed(tokens) if kind == NAME), "")
    heads = {} if index.model is None else index.model.heads
    for key, head in heads.items():
        form, _, word = key.partition(".")
        if form == subject and head.mode == "bar":
            yield word


def _types(index: Index) -> Iterator[str]:
    return (symbol.name for symbol in index.declared if _is(index, symbol, _TYPES))


def _is(index: Index, symbol: Symbol, parts: Sequence[str]) -> bool:
    return symbol.kind == "name" and any(one.part[0] in parts for one in index.declared[symbol])


def _values_wanted(index: Index, tokens: Tokens) -> Iterator[Offer]:
    """List the values that something before `is` may have, or the choices of a reading."""
    words = list(tokens)
    while words and words[-1][0] in _COMPARED and not (words[-1][0] == "OF" and words[-2:-1] and words[-2][0] == NAME):
        words.pop()
    if len(words) == len(tokens):
        return
    names = [words.pop()[1]] if words and words[-1][0] == NAME else []
    while len(words) > 1 and words[-1][0] == "OF" and words[-2][0] == NAME:
        names.append(words[-2][1])
        del words[-2:]
    if names:
        yield from _values_of(index, names[-1])


def _values_of(index: Index, name: str) -> Iterator[Offer]:
    model = index.model
    if model is None:
        return
    if name in model.readings:
        reading = model.readings[name]
        yield from (Offer(one, "value", text, 0) for one, text in zip(reading.choices, reading.texts, strict=True))
    for symbol, places in index.declared.items():
        if symbol.name == name and symbol.kind in ("field", "role", "name"):
            found = index.type_of(symbol, places[0])
            if found is not None and found.kind == "enum":
                yield from (Offer(value, "value", found.name, 0) for value in model.enums[found.name].values)


def _in_scope(index: Index, tokens: Tokens, here: _Here) -> Iterator[Offer]:
    """List what names in an expression may stand for, the nearest first."""
    names = {text for kind, text in tokens if kind == NAME}
    yield from (Offer(text, "local", "bound here", 1) for text in _bound(tokens))
    unasked = ("die", "question", "event")
    for symbol, places in index.declared.items():
        detail = _detail(index, symbol, places[0])
        if symbol.kind == "role" and (symbol.owner in names or _in_item(places, here)):
            yield Offer(symbol.name, "role", detail, 1)
        elif symbol.kind == "field":
            yield Offer(symbol.name, "field", detail, 2)
        elif symbol.kind == "name" and _is(index, symbol, _TYPES):
            yield Offer(symbol.name, "type", detail, 3)
        elif symbol.kind == "name" and not _is(index, symbol, unasked):
            yield Offer(symbol.name, "name", detail, 2)
        elif symbol.kind == "value":
            yield Offer(symbol.name, "value", detail, 3)


def _bound(tokens: Tokens) -> Iterator[str]:
    """List the names that an expression binds before the place."""
    openers = ("SOME", "EVERY", "THOSE", "_FOR_EACH", "_FOR_FIRST", "OVER", "LET", "GIVEN", "EACH")
    for (kind, _), (after, text) in pairwise(tokens):
        if kind in openers and after == NAME:
            yield text


def _in_item(places: Sequence[Mention], here: _Here) -> bool:
    return any(one.span.path == here.path and one.item == here.item for one in places)


def _detail(index: Index, symbol: Symbol, declared: Mention) -> str:
    found = index.type_of(symbol, declared)
    kind = declared.part[0].replace("_record", "") if symbol.kind == "name" else symbol.kind
    of = f" of {symbol.owner}" if symbol.owner else ""
    return f"{kind}{of}: {found}" if found is not None else f"{kind}{of}"
