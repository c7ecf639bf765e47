"""Damaged rule files, 250 or, in the long run, 1,000: read or refused with places, never a traceback, never a hang."""

import random
import re
from collections import Counter
from contextlib import suppress
from functools import cache

import pytest
from titm_rules.checker.link import link_model
from titm_rules.diagnostics import RulesetError, Span
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import parse_rules

from tests.syntax.programs import GOOD, ROOT, RULESETS

_WORD = re.compile(r'"[^"]*"|[A-Za-z0-9][\w.:-]*\w|\w|[^\s\w]')


def cut_out(text, rng):
    """Lose a part of the text, or all from somewhere on."""
    start = rng.randrange(len(text))
    return text[:start] + rng.choice(("", text[start + rng.randrange(1, 200) :]))


def random_bytes(text, rng):
    raw = bytearray(text.encode())
    for _ in range(rng.randrange(1, 8)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return raw.decode("utf-8", "replace")


def lines_changed(text, rng):
    """Move, lose or double some lines."""
    lines = text.split("\n")
    for _ in range(rng.randrange(1, 4)):
        start, way = rng.randrange(len(lines) + 1), rng.choice(("move", "lose", "double"))
        taken = lines[start : start + rng.choice((1, 1, rng.randrange(1, 12)))]
        if way != "double":
            del lines[start : start + len(taken)]
        where = rng.randrange(len(lines) + 1)
        lines[where:where] = () if way == "lose" else taken
    return "\n".join(lines)


def _at_words(text, rng, change, times):
    """Put another word of the text, or something made of it, in place of some words."""
    words = list(_WORD.finditer(text))
    for match in sorted(rng.sample(words, times), key=lambda m: -m.start()):
        text = text[: match.start()] + change(match[0], rng.choice(words)[0]) + text[match.end() :]
    return text


def words_swapped(text, rng):
    return _at_words(text, rng, lambda _, other: other, rng.randrange(1, 6))


def words_of_a_kind_swapped(text, rng):
    """Swap names for names and numbers for numbers, so that most of it still parses."""

    def change(word, other):
        kinds = (str.isdigit, str.isalpha, lambda w: w.startswith('"'))
        return other if any(kind(word) and kind(other) for kind in kinds) else word

    return _at_words(text, rng, change, rng.randrange(1, 12))


def huge_numbers(text, rng):
    huge = rng.choice(("999999999", "9" * 40, "0", "000000001", "-1"))
    return re.sub(r"\b\d+\b", lambda m: huge if rng.random() < 0.05 else m[0], text)


def deep_nesting(text, rng):
    """Wrap a name of a condition in parentheses, negations or sums without end."""
    names = list(re.finditer(r"(?<=when )[a-z][\w-]*|(?<=is )[a-z][\w-]*|(?<=: )[a-z][\w-]*", text))
    if not names:
        return text + "(" * 5000
    match = rng.choice(names)
    depth = rng.choice((10, 70, 3000))
    before, after = rng.choice(
        (("(", ")"), ("not ", ""), ("1 + ", ""), ("x of ", ""), ("(x: ", ")"), ("some u in x where ", ""))
    )
    return text[: match.start()] + before * depth + match[0] + after * depth + text[match.end() :]


WAYS = (
    cut_out, cut_out, random_bytes, lines_changed, lines_changed, lines_changed, words_swapped,
    words_of_a_kind_swapped, words_of_a_kind_swapped, huge_numbers, deep_nesting,
)  # fmt: skip


VOCABULARY = ROOT / "rulesets" / "titm" / "game.rules"
COURSE = VOCABULARY.with_name("course.rules")
PLAYERS = VOCABULARY.with_name("players.rules")
CHAPTERS = [path for path in RULESETS if path.parent == VOCABULARY.parent / "1999"]
BATCHES, PER_BATCH = 20, 50


@cache
def texts():
    return {path: path.read_text(encoding="utf-8") for path in (VOCABULARY, COURSE, PLAYERS, *CHAPTERS, *GOOD)}


@cache
def parsed(path):
    return parse_rules(texts()[path], path.name)


def assert_useful(fault):
    """A fault says what and where; its rendering underlines text that stands there."""
    assert fault.what
    assert isinstance(fault.where, Span)
    assert fault.where.path.endswith(".rules")
    assert fault.where.line >= 1
    assert 1 <= fault.where.column < fault.where.end_column
    assert fault.where.column <= len(fault.source) + 1
    assert str(fault.where) in fault.render()


def outcome(damaged, path, others=()):
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


def damage(number, paths):
    """Make the damaged file of a number: every file in turn, in every way in turn."""
    path = paths[number % len(paths)]
    way = WAYS[number // len(paths) % len(WAYS)]
    return way(texts()[path], random.Random(number)), path


@pytest.mark.parametrize(
    "batch", [pytest.param(batch, marks=pytest.mark.slow) if batch % 8 else batch for batch in range(BATCHES)]
)
def test_damaged_chapters_are_read_or_refused(batch):
    """Each is checked with the vocabulary, as far as it parses."""
    seen = Counter(
        outcome(*damage(number, [VOCABULARY, COURSE, PLAYERS, *CHAPTERS]), [VOCABULARY, COURSE, PLAYERS])
        for number in range(batch * PER_BATCH, (batch + 1) * PER_BATCH)
    )
    assert seen.total() == PER_BATCH
    assert seen["not parsed"] > 0


def test_damaged_programs_are_read_or_refused():
    """They need no other file, so many pass all checks up to the last."""
    seen = Counter(outcome(*damage(number, GOOD)) for number in range(len(GOOD) * len(WAYS)))
    assert min(seen["not parsed"], seen["not linked"], seen["linked"]) > 50


def test_damaged_chapters_are_checked_with_all_others_and_undamaged_ones_link():
    numbers = range(0, 30 * len(CHAPTERS), len(CHAPTERS) + 1)
    seen = Counter(outcome(*damage(number, CHAPTERS), [VOCABULARY, COURSE, PLAYERS, *CHAPTERS]) for number in numbers)
    assert seen["linked"] > 0
    assert seen["not linked"] > 0
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
def test_blanks_that_are_none_of_the_language(placed, character):
    """Unicode has more blanks and ends of lines than the language: read or refused, by the parser and the formatter."""
    text = placed.replace("{}", character)
    for read in (parse_rules, format_rules):
        with suppress(RulesetError):
            read(text, "x.rules")


def test_a_blank_that_cannot_be_seen_is_named():
    with pytest.raises(RulesetError, match=r"x\.rules:5:1: the character U\+00A0 NO-BREAK SPACE is not expected here"):
        parse_rules(PLACED["on a line of its own"].replace("{}", "\u00a0"), "x.rules")
