"""Notes on a sheet: clauses that lost what they decided, sentences without effect, and words unlike their sentences."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from titm_rules.checker.consistency import is_covered
from titm_rules.compare.edition_diff import formal_body
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.compare.small_worlds import constants_of
from titm_rules.diagnostics import NOWHERE, Fault
from titm_rules.editions.clause_index import natural_key
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.model import NOBODY, ClauseInfo, Head, Model, Statement


def notes_on(pair: ModelPair) -> list[Fault]:
    """Warn of clauses that lost what they decided, and of words that differ from their sentences."""
    found: list[Fault] = []
    for clause in sorted(pair.second.clauses, key=natural_key):
        info, before = pair.second.clauses[clause], pair.first.clauses.get(clause)
        if before is not None and before.span == info.span:
            continue
        if before is not None:
            said = dict.fromkeys((*before.heads, *before.excepts))
            lost = [f"`{one}`" for one in said if one not in (*info.heads, *info.excepts)]
            if lost and not info.silent:
                what = f"clause {clause} says nothing about {', '.join(lost)} any more"
                fix = "repeat in the sheet the sentences that are to stay"
                found.append(Fault(what, info.span, "it did before", fix))
        found += _unlike(pair, info, before)
    return [*found, *_shadowed(pair)]


def _shadowed(pair: ModelPair) -> Iterator[Fault]:
    """Warn of sentences that apply only where another one of the same matter does, one of them being the sheet's."""
    noted = set[tuple[str, ...]]()
    for key, head in pair.second.heads.items():
        before = pair.first.heads.get(key)
        old = () if before is None else before.statements
        kept = {replace(one, span=NOWHERE) for one in old}
        own = [one for one in head.statements if replace(one, span=NOWHERE) not in kept]
        if head.mode not in ("bar", "any") or not own:
            continue
        for one, other in itertools.product(own, head.statements):
            for idle, active in ((one, other), (other, one)):
                names = (key, *sorted((idle.clause, active.clause)))
                if NOBODY in names or idle.clause == active.clause or names in noted:
                    continue
                if _covers(pair.second, head, active, idle) and not _covered_before(pair.first, before, active, idle):
                    noted.add(names)
                    what = f"{idle.clause} decides `{key}` only where {active.clause} decides it too"
                    yield Fault(what, one.span, "alone it changes nothing", "leave one out, or change its condition")


def _covers(model: Model, head: Head, active: Statement, idle: Statement) -> bool:
    return is_covered(model, counts_when(head, idle), counts_when(head, active))


def _covered_before(model: Model, head: Head | None, active: Statement, idle: Statement) -> bool:
    """Whether sentences of the same clauses were so already."""
    said = () if head is None else head.statements
    both = ([one for one in said if one.clause == name.clause] for name in (active, idle))
    return head is not None and any(_covers(model, head, *pair) for pair in itertools.product(*both))


# ---------------------------------------------------------------------- words and sentences
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LEAST = 2  # a 0 or a 1 is seldom said as a number
ORDINALS = ("second", "third", *(f"{stem}th" for stem in ("four", "fif", "six", "seven", "eigh", "nin", "ten")))
_N = rf"(?<![\w./-])(?:\d{{1,3}}(?!\w|[./-]\d)|(?:{'|'.join(NUMBERS)})\b)"
_NUMBER = re.compile(_N)
_DASH = re.compile(r"(?<![\w./-])(\d{1,3})[-\u2013](\d{1,3})(?![\w./-]*\w)")
_SPAN = re.compile(rf"({_N})(?:, {_N})*,? (?:to|and|or) ({_N})")
_AT_LEAST = re.compile(rf"(?:at least|less than|fewer than|under) ({_N})|({_N}) or (?:more|higher|better)")
_AT_MOST = re.compile(rf"(?:at most|up to|more than|over) ({_N})|({_N}) or (?:less|fewer|lower)")
_ASIDE = re.compile(r"\([^)]*\)|\"[^\"]*\"")


def _unlike(pair: ModelPair, info: ClauseInfo, before: ClauseInfo | None) -> Iterator[Fault]:
    """Warn if words and sentences name other numbers or kinds, or if only one of them changed and names others now."""
    if info.silent or not info.is_formal:
        return
    for name, of_words, of_sentences in (("numbers", _said, _meant), ("kinds", _said_kinds, _meant_kinds)):
        said, meant = of_words(pair.second, info), of_sentences(pair.second, info.id)
        known = {*said, *itertools.chain(*said.values())}
        is_unlike = not meant <= known and any(alike and not meant & alike for alike in said.values())
        if before is not None:
            old_said, old_meant = of_words(pair.first, before), of_sentences(pair.first, before.id)
            if before.says == info.says:
                is_unlike |= old_meant != meant
            elif formal_body(before) == formal_body(info):
                is_unlike |= old_said != said
        if is_unlike:
            told = [", ".join(map(str, sorted(one))) or "none" for one in (said, meant)]
            what = f"the words of {info.id} name the {name} {told[0]}, its sentences {told[1]}"
            fix = "make the words and the sentences of the sheet say the same"
            yield Fault(what, info.span, "a clause says its rule once in words and once in sentences", fix)


def _said(model: Model, info: ClauseInfo) -> Mapping[int, set[int]]:
    """Map each number of the words to those that sentences may name for it: of a bound also the one beyond it.

    An ordinal may be named, but need not be; a number in the name of a kind is none.
    """
    text = _DASH.sub(lambda it: " to ".join(it.groups()) if int(it[1]) < int(it[2]) else it[0], _plain(info))
    named = {part for kind in _said_kinds(model, info) for part in _parts(kind)}
    said = {
        number: {number} for word in _NUMBER.findall(text) if word not in named and (number := _value(word)) >= LEAST
    }
    spans = _SPAN.findall(text)
    lower = [*(low for low, _ in spans), *itertools.chain(*_AT_LEAST.findall(text))]
    upper = [*(high for _, high in spans), *itertools.chain(*_AT_MOST.findall(text))]
    for bounds, step in ((lower, -1), (upper, 1)):
        for number in map(_value, filter(None, bounds)):
            if number in said:
                said[number].add(number + step)
    ordinals = {number: set[int]() for number, word in enumerate(ORDINALS, 2) if re.search(rf"\b{word}\b", text)}
    return {**ordinals, **said}


def _plain(info: ClauseInfo) -> str:
    return _ASIDE.sub("", info.says).lower()


def _value(word: str) -> int:
    return int(word) if word.isdecimal() else NUMBERS.index(word)


def _meant(model: Model, clause: str) -> set[int]:
    found = (one for one in constants_of(model, clause) if one.type.kind == "number" and one.type.measure is None)
    values = (one.value for one in found)
    return {value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= LEAST}


def _said_kinds(model: Model, info: ClauseInfo) -> Mapping[str, set[str]]:
    """Map each kind of piece that the words name to those that sentences may name for it: also closer ones."""
    text = _plain(info)
    parts = {kind: _parts(kind) for kind in _kinds(model)}
    words = {part for part in set().union(*parts.values()) if re.search(rf"\b{part}s?\b", text)}
    return {kind: {one for one in parts if parts[one] >= own} for kind, own in parts.items() if own <= words}


def _parts(kind: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", kind.lower()))


def _meant_kinds(model: Model, clause: str) -> set[str]:
    found = (one for one in constants_of(model, clause) if one.type.kind == "enum")
    return {model.enums[one.type.name].texts[one.value] for one in found if isinstance(one.value, int)} & _kinds(model)


def _kinds(model: Model) -> set[str]:
    """Name the kinds of piece: their values of enumerations, but for those that a situation has too, such as sides."""
    found: dict[str, set[str]] = {"piece": set(), "situation": set()}
    for record in model.records.values():
        if record.role in found:
            enums = (model.enums[spec.type.name] for spec in record.fields if spec.type.kind == "enum")
            found[record.role] |= {text for enum in enums for text in enum.texts}
    others = {text.lower() for text in found["situation"]}
    return {text for text in found["piece"] if text.lower() not in others}
