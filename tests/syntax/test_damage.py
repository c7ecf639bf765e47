"""Damaged rule files, 250 or, in the long run, 1,000: read or refused with places, never a traceback, never a hang."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from titm_rules.checker.link import link_model
from titm_rules.diagnostics import Fault, RulesetError, Span
from titm_rules.syntax.ast import SourceFile
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import parse_rules

from tests.syntax.damage import WAYS
from tests.syntax.programs import GOOD, ROOT, RULESETS

VOCABULARY = ROOT / "rulesets" / "titm" / "game.rules"
COURSE = VOCABULARY.with_name("course.rules")
PLAYERS = VOCABULARY.with_name("players.rules")
CHAPTERS = [path for path in RULESETS if path.parent == VOCABULARY.parent / "1999"]
BATCHES, PER_BATCH = 20, 50


@cache
def texts() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in (VOCABULARY, COURSE, PLAYERS, *CHAPTERS, *GOOD)}


@cache
def parsed(path: Path) -> SourceFile:
    return parse_rules(texts()[path], path.name)


def assert_useful(fault: Fault) -> None:
    """A fault says what and where; its rendering underlines text that stands there."""
    assert fault.what
    assert isinstance(fault.where, Span)
    assert fault.where.path.endswith(".rules")
    assert fault.where.line >= 1
    assert 1 <= fault.where.column < fault.where.end_column
    assert fault.where.column <= len(fault.source) + 1
    assert str(fault.where) in fault.render()


def outcome(damaged: str, path: Path, others: Iterable[Path] = ()) -> str:
    """Read a damaged file, and check it together with others."""
    try:
        source = parse_rules(damaged, path.name)
    except RulesetError as error:
        for fault in error.faults:
            assert_useful(fault)
        return "not parsed"
    try:
        link_model([source, *(parsed(other) for other in others if other != path)], "1999")
    except RulesetError as error:
        for fault in error.faults:
            assert_useful(fault)
        return "not linked"
    return "linked"


def damage(number: int, paths: Sequence[Path]) -> tuple[str, Path]:
    """Make the damaged file of a number: every file in turn, in every way in turn."""
    path = paths[number % len(paths)]
    way = WAYS[number // len(paths) % len(WAYS)]
    return way(texts()[path], random.Random(number)), path


@pytest.mark.parametrize(
    "batch", [pytest.param(batch, marks=pytest.mark.slow) if batch % 4 else batch for batch in range(BATCHES)]
)
def test_damaged_chapters_are_read_or_refused(batch: int) -> None:
    """Each is checked with the vocabulary, as far as it parses."""
    seen = Counter(
        outcome(*damage(number, [VOCABULARY, COURSE, PLAYERS, *CHAPTERS]), [VOCABULARY, COURSE, PLAYERS])
        for number in range(batch * PER_BATCH, (batch + 1) * PER_BATCH)
    )
    assert seen.total() == PER_BATCH
    assert seen["not parsed"] > 0


def test_damaged_programs_are_read_or_refused() -> None:
    """They need no other file, so many pass all checks up to the last."""
    seen = Counter(outcome(*damage(number, GOOD)) for number in range(len(GOOD) * len(WAYS)))
    assert min(seen["not parsed"], seen["not linked"], seen["linked"]) > 50


def test_damaged_chapters_are_checked_with_all_others() -> None:
    numbers = range(0, 30 * len(CHAPTERS), len(CHAPTERS) + 1)
    seen = Counter(outcome(*damage(number, CHAPTERS), [VOCABULARY, COURSE, PLAYERS, *CHAPTERS]) for number in numbers)
    assert seen["linked"] > 0
    assert seen["not linked"] > 0


def test_undamaged_files_link() -> None:
    assert outcome(texts()[VOCABULARY], VOCABULARY, [COURSE, PLAYERS, *CHAPTERS]) == "linked"


CLAUSE = 'clause 8.22 "Stop"\n  "A unit stops."\n  move must stop when the place-entered is an area.\n'
STRANGE = "\u00a0\u3000\u2028\u2029\u0085\f\x0b\x1c\x1f\ufeff\u200b\ud800\r"
PLACED = {
    "on a line of its own": CLAUSE + "\n{}\n" + CLAUSE.replace("8.22", "8.23"),
    "at the end": CLAUSE + "{}",
    "at the start": "{}\n" + CLAUSE,
    "for a margin": CLAUSE.replace("  move", "{}move"),
    "between words": CLAUSE.replace("must stop", "must{}stop"),
    "in a text": CLAUSE.replace("A unit", "A{}unit"),
    "in a comment": CLAUSE + "# a{}b\n",
}


@pytest.mark.parametrize("character", STRANGE, ids=lambda c: f"U+{ord(c):04X}")
@pytest.mark.parametrize("placed", PLACED.values(), ids=PLACED)
def test_blanks_that_are_none_of_the_language(placed: str, character: str) -> None:
    """Unicode has more blanks and ends of lines than the language: read or refused, by the parser and the formatter."""
    text = placed.replace("{}", character)
    for read in (parse_rules, format_rules):
        with suppress(RulesetError):
            read(text, "x.rules")


def test_a_blank_that_cannot_be_seen_is_named() -> None:
    with pytest.raises(RulesetError, match=r"x\.rules:5:1: the character U\+00A0 NO-BREAK SPACE is not expected here"):
        parse_rules(PLACED["on a line of its own"].replace("{}", "\u00a0"), "x.rules")
