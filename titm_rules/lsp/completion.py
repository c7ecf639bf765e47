"""Complete a rule while it is written: keywords that the grammar accepts next, and names in scope."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from titm_rules.checker.expressions import FUNCTIONS
from titm_rules.lsp.workspace import Index, Symbol
from titm_rules.syntax.parser import ITEM_WORDS, next_words, split_items
from titm_rules.syntax.references import CLAUSE, NAME, Mention

_PARTIAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*\Z")
_COMPARED = ("IS", "NOT", "ONE", "OF", "LPAR", "COMMA")
_OF_RECORDS = ("record", "place", "set", "pair")
_WITH_PARAMS = ("DEFINE", "ROUTE", "ALLOCATION", "SELECTION", "ROLL")
_PLAIN_TYPES = ("place", "path", "assignment", "sequence")
# The declarations that a word of an item is followed by.
_NAMED_BY = {
    **{("EVENT", word): ("walk",) for word in ("STEPS", "HALTS", "CLOSES")},
    ("WALK", "ALONG"): ("route",),
    ("COURSE", "UNTIL"): ("event",),
}
_TYPES = ("type", "place_record", "piece_record", "connection_record", "plain_record")
Tokens = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Offer:
    """A completion: its text, kind and detail; a lower rank is a better fit."""

    text: str
    kind: str
    detail: str
    rank: int


def complete(index: Index, text: str, path: str, line: int, column: int) -> list[Offer]:
    """List the completions at a place (line and column from 1) of an unfinished text, after the word before it."""
    first, item = _item_before(text, line, column)
    begun = _PARTIAL.search(item)
    before = item[: begun.start()] if begun else item
    if not before.strip():
        return [Offer(word, "word", "item", 0) for word in ITEM_WORDS]
    expected = next_words(before)
    if expected is None:
        return _in_slot(index, before, path, first)
    tokens, accepted = expected
    offers = [Offer(word, "word", "", 3) for word in accepted if word[0].isalpha() and not word.isupper()]
    if CLAUSE in accepted:
        offers += (Offer(info.id, "clause", info.title, 0) for info in index.model.clauses.values())
    if NAME in accepted:
        offers += _names(index, tokens, accepted, path, first)
    return _best(offers)


def _best(offers: Iterable[Offer]) -> list[Offer]:
    """Sort offers by rank, and keep the best of each text."""
    best: dict[str, Offer] = {}
    for offer in sorted(offers, key=lambda offer: offer.rank):
        best.setdefault(offer.text, offer)
    return list(best.values())


def _in_slot(index: Index, before: str, path: str, item: int) -> list[Offer]:
    """List the names for a slot of a text, also those that the condition before the text binds."""
    head, quote, words = before.rpartition('"')
    expected = next_words(head) if quote and "{" in words.rpartition("}")[2] else None
    if expected is None or not expected[0]:
        return []
    if expected[0][-1][0] not in ("SAYS", "WORDED") and expected[0][0][0] != "QUESTION":
        return []
    return _best(_in_scope(index, expected[0], path, item))


def _item_before(text: str, line: int, column: int) -> tuple[int, str]:
    """Return the first line of the item at a place, and its text up to there."""
    lines = text.split("\n")[:line]
    if not lines:
        return line, ""
    lines[-1] = lines[-1][: column - 1]
    start, item = next(reversed(split_items("\n".join(lines))), (line, ""))
    return (line, "") if line != start and not lines[-1] else (start, item)


def _names(index: Index, tokens: Tokens, accepted: frozenset[str], path: str, item: int) -> Iterator[Offer]:
    """List the names that may follow the tokens, the best fits first; `item` is the first line of their item."""
    last = tokens[-1][0] if tokens else ""
    declared = index.declared
    if "flag" in accepted and "number" in accepted:
        types = [symbol.name for symbol in declared if _is(index, symbol, _TYPES)]
        yield from (Offer(name, "type", "", 0) for name in (*types, *_PLAIN_TYPES))
    elif tokens and tokens[0][0] == "READING":
        return  # a new name
    elif last == "ITS":
        yield from _fields(index, _member_lists(tokens)[-1:])
    elif last == "HAS" or [kind for kind, _ in tokens[-2:]] == ["HAS", "NOT"]:
        yield from _flags(index, tokens)
    elif (picker := _picker(tokens)) is not None:
        targets = (s for s in declared if s.kind == "role" and s.owner == picker)
        picked = (s for s in targets if any(place.part == ("picks", 0) for place in declared[s]))
        yield from (Offer(s.name, "role", _detail(index, s, declared[s][0]), 0) for s in picked)
    elif tokens and (parts := _NAMED_BY.get((tokens[0][0], last))):
        yield from (Offer(s.name, "name", "", 0) for s in declared if _is(index, s, parts))
    elif last == "ON":
        yield from (Offer(s.name, "type", "situation", 0) for s in declared if _is(index, s, ("situation",)))
    elif "lifts" in accepted:
        subjects = ("define", "table", "route", "allocation", "selection", "roll", "event", "closing", "interruption")
        yield from (Offer(s.name, "name", "", 0) for s in declared if _is(index, s, subjects))
    elif [kind for kind, _ in tokens[-2:]] == ["MAY", "NOT"]:
        yield from (Offer(word, "word", "", 0) for word in _barred(index, tokens))
    else:
        yield from _values_wanted(index, tokens)
        yield from _in_scope(index, tokens, path, item)


def _barred(index: Index, tokens: Tokens) -> Iterator[str]:
    subject = next((text for kind, text in reversed(tokens) if kind == NAME), "")
    for key, head in index.model.heads.items():
        form, _, word = key.partition(".")
        if form == subject and head.mode == "bar":
            yield word


def _picker(tokens: Tokens) -> str | None:
    """Return the allocation whose target comes next, behind `prefers` or `need not take`; else None."""
    words = list(tokens)
    while words and words[-1][0] in ("AFTER", CLAUSE, "COMMA"):
        words.pop()
    kinds = [kind for kind, _ in words]
    verb = 1 if kinds[-1:] == ["PREFERS"] else 3 if kinds[-3:] == ["NEED", "NOT", "TAKE"] else 0
    return words[-verb - 1][1] if verb and len(words) > verb else None


def _member_lists(tokens: Tokens) -> list[tuple[str, str]]:
    """List the members that a condition at this place is about, the innermost last: their names and those of the lists.

    A name is about members behind `where`; that of `for each`, in the whole of its sentence.
    """
    bound: list[tuple[str, str]] = []
    begun: list[tuple[str, str]] = []
    outside: list[int] = []
    for at, (kind, text) in enumerate(tokens):
        if kind == "LPAR":
            outside.append(len(bound))
        elif kind == "RPAR" and outside:
            del bound[outside.pop() :]
        elif kind == "DOT":
            bound, begun, outside = [], [], []
        elif kind == "WHERE" and begun:
            bound.append(begun.pop())
        elif kind == NAME and [after for after, _ in tokens[at + 1 : at + 2]] == ["IN"]:
            base = next((name for after, name in tokens[at + 2 :] if after == NAME), "")
            is_wide = at > 0 and tokens[at - 1][0] in ("_FOR_EACH", "_FOR_FIRST")
            (bound if is_wide else begun).append((text, base))
    return bound


def _fields(index: Index, members: Sequence[tuple[str, str]]) -> Iterator[Offer]:
    """List the fields, first those of the members of a list."""
    owners = {owner for _, base in members for owner in _records_of(index, base)}
    for symbol, places in index.declared.items():
        if symbol.kind == "field":
            yield Offer(symbol.name, "field", _detail(index, symbol, places[0]), 0 if symbol.owner in owners else 2)


def _flags(index: Index, tokens: Tokens) -> Iterator[Offer]:
    """List what may come behind `has`: the flags, first those of what stands before it."""
    words = [text for kind, text in tokens if kind == NAME][-1:]
    lists = dict(_member_lists(tokens))
    owners = {owner for word in words for owner in _records_of(index, lists.get(word, word))}
    for symbol, places in index.declared.items():
        type_of = index.type_of(symbol, places[0])
        if type_of is not None and type_of.kind == "flag" and symbol.kind in ("field", "name"):
            rank = 0 if symbol.owner in owners else 2 if symbol.kind == "field" else 1
            yield Offer(symbol.name, symbol.kind, _detail(index, symbol, places[0]), rank)


def _records_of(index: Index, name: str) -> list[str]:
    """Name the records that a name may be about: itself, or its members."""
    symbols = [symbol for symbol in index.declared if symbol.name == name and symbol.kind in ("field", "role", "name")]
    types = (index.type_of(symbol, index.declared[symbol][0]) for symbol in symbols)
    return [record for of in types if of is not None and of.kind in _OF_RECORDS for record in index.records_of(of)]


def _is(index: Index, symbol: Symbol, parts: Sequence[str]) -> bool:
    return symbol.kind == "name" and any(mention.part[0] in parts for mention in index.declared[symbol])


def _values_wanted(index: Index, tokens: Tokens) -> Iterator[Offer]:
    """List the values of the term before `is`, or the choices of a reading."""
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
    number, *_ = index.readings.get(name, ("",))
    if number in model.readings:
        reading = model.readings[number]
        choices = zip(reading.choices, reading.texts, strict=True)
        yield from (Offer(choice, "value", text, 0) for choice, text in choices)
    for symbol, places in index.declared.items():
        if symbol.name == name and symbol.kind in ("field", "role", "name"):
            enum = index.type_of(symbol, places[0])
            if enum is not None and enum.kind == "enum":
                yield from (Offer(value, "value", enum.name, 0) for value in model.enums[enum.name].values)


def _in_scope(index: Index, tokens: Tokens, path: str, item: int) -> Iterator[Offer]:
    """List the names that an expression may use, the nearest first."""
    names = {text for kind, text in tokens if kind == NAME}
    yield from (Offer(text, "local", "bound here", 1) for text in _bound(tokens))
    yield from (Offer(name, "function", text, 3) for name, text in FUNCTIONS.items())
    unasked = ("die", "question", "event")
    for symbol, places in index.declared.items():
        detail = _detail(index, symbol, places[0])
        if symbol.kind == "role" and (
            symbol.owner in names or any((place.span.path, place.item) == (path, item) for place in places)
        ):
            yield Offer(symbol.name, "role", detail, 1)
        elif symbol.kind in ("field", "value"):
            yield Offer(symbol.name, symbol.kind, detail, 2 if symbol.kind == "field" else 3)
        elif symbol.kind == "name" and _is(index, symbol, _TYPES):
            yield Offer(symbol.name, "type", detail, 3)
        elif symbol.kind == "name" and not _is(index, symbol, unasked):
            yield Offer(symbol.name, "name", detail, 2)


def _bound(tokens: Tokens) -> Iterator[str]:
    openers = ("SOME", "EVERY", "THOSE", "_FOR_EACH", "_FOR_FIRST", "OVER", "LET", "GIVEN", "EACH")
    for (kind, _), (after, text) in pairwise(tokens):
        if kind in openers and after == NAME:
            yield text
    for (kind, text), (after, _) in pairwise(tokens if tokens and tokens[0][0] in _WITH_PARAMS else ()):
        if (kind, after) == (NAME, "COLON"):
            yield text


def _detail(index: Index, symbol: Symbol, declared: Mention) -> str:
    type_of = index.type_of(symbol, declared)
    kind = declared.part[0].replace("_record", "") if symbol.kind == "name" else symbol.kind
    of = f" of {symbol.owner}" if symbol.owner else ""
    return f"{kind}{of}: {type_of}" if type_of is not None else f"{kind}{of}"
