"""The engine knows no game: no word, letter or clause of any rule set stands in its code."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import titm_rules
from titm_rules.editions.load import list_editions, load_model
from titm_rules.vocabulary.data import data_folder

PACKAGE = Path(titm_rules.__file__).parent

# Words that a rule set uses and the engine owns, each with its reason.
OURS = {
    "id": "every record of every game has one",
    "day": "a word of dates",
    "area": "a picture has an area",
    "areas": "as `area`",
    "attempt": "the engine says `attempt` of a roll",
    "attempts": "as `attempt`",
    "bridge": "an English word of the manual; see STRICT",
    "contact": "an English word",
    "control": "an English word",
    "effect": "a finding has an effect",
    "ends": "a form of question in the grammar: the ends of a route",
    "final": "a word of Python typing and of searches",
    "fire": "an English word",
    "firing": "an English word",
    "impulse": "an English word",
    "kind": "what sort a value, a fault or a form is",
    "legal": "outcome of a verdict and answer of a check",
    "level": "an English word",
    "links": "connections of a place",
    "link": "a connection of a place",
    "move": "an English word",
    "owner": "an English word",
    "path": "a file's path; a form of question in the grammar",
    "place": "a word of the grammar",
    "points": "a word of the grammar: the points of a route",
    "position": "a situation of the API",
    "positions": "as `position`",
    "reach": "an English word",
    "road": "an English word",
    "roads": "as `road`",
    "role": "a word of the engine: what a record is for",
    "score": "an English word",
    "side": "a word of diagrams",
    "shift": "an English word",
    "shifts": "as `shift`",
    "still": "an English word",
    "strength": "an English word",
    "supply": "an English word",
    "unit": "an English word",
    "units": "as `unit`",
    "zone": "an English word",
    "zones": "as `zone`",
}
# What the protocol itself defines in every game: a case file may carry these fields.
CLAUSE = re.compile(r"(?<![\w.])\d{1,2}\.\d{1,2}[a-z]?(?![\w.])")


@cache
def rule_sets() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in data_folder("rulesets").glob("*/game.rules")))


@cache
def models():
    return [load_model(info.name, game) for game in rule_sets() for info in list_editions(game)]


@cache
def facts() -> dict[str, str]:
    """Map every word of every rule set to what it is there."""
    found: dict[str, str] = {}
    for model in models():
        for enum in model.enums.values():
            found |= {name: f"value of {enum.name}" for name in (enum.name, *enum.values, *enum.texts)}
        for record in model.records.values():
            found[record.name] = "record"
            found |= {name: f"field of {record.name}" for spec in record.fields for name in (spec.name, spec.json)}
        found |= dict.fromkeys(model.questions, "question")
        found |= dict.fromkeys(model.forms, "form")
        found |= dict.fromkeys(model.actions, "action")
        found |= dict.fromkeys(model.readings, "reading")
        found |= {choice: f"choice of {r.name}" for r in model.readings.values() for choice in r.choices}
        found |= {key: "definition" for key in model.heads if "." not in key}
        found |= {s.label: "name of a modifier" for head in model.heads.values() for s in head.statements if s.label}
        found |= dict.fromkeys(model.clauses, "clause")
    return {word: what for word, what in found.items() if len(word) > 1}


def forbidden() -> dict[str, str]:
    """Give the words of the game in the forms that code writes them."""
    words: dict[str, str] = {}
    for word, what in facts().items():
        words |= {form: what for form in (word, word.replace("-", "_"), word.lower()) if form.lower() not in OURS}
    return words


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def tokens(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and text of every name, string and comment of a module."""
    kinds = {tokenize.NAME: "name", tokenize.STRING: "string", tokenize.COMMENT: "comment"}
    text = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield token.start[0], kinds[token.type], token.string


def prose_lines(path: Path) -> set[int]:
    """Number the lines of docstrings: prose, in which English words are free."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def words_of(text: str) -> set[str]:
    """Split code or a string into words, with and without hyphens and underscores."""
    return set(re.findall(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*", text)) | set(re.findall(r"\d+(?:\.\w+)+", text))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_names_no_game_fact(path):
    banned, prose = forbidden(), prose_lines(path)
    found = [
        (line, word, banned[word])
        for line, kind, text in tokens(path)
        if kind != "comment" and line not in prose
        for word in words_of(text)
        if word in banned
    ]
    assert found == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_cites_no_clause(path):
    """Not in docstrings and comments either."""
    clauses = {clause for model in models() for clause in model.clauses if "." in clause}
    found = [
        (line, word)
        for line, kind, text in tokens(path)
        if kind != "name"
        for word in words_of(text)
        if word in clauses or CLAUSE.fullmatch(word)
    ]
    assert found == []


def test_no_letter_of_a_place_stands_in_code():
    """Letters of places are single capitals: none may be compared with or listed."""
    found = [
        (path.name, node.lineno, node.value)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[A-P]", node.value)
    ]
    assert found == []


def test_the_words_are_found():
    assert {"armor", "German", "Allied", "fire_allocations", "demolition", "R2", "9.57a", "foot-mode"} <= set(facts())
    assert {"armor", "fire_allocations", "foot_mode"} <= set(forbidden())


def test_every_exemption_is_a_word_of_a_rule_set():
    known = {form for word in facts() for form in (word.lower(), word.replace("-", "_").lower())}
    assert set(OURS) - known == set()
