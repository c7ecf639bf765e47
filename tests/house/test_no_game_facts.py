"""The engine knows no game: no word, letter or clause of any rule set stands in its code."""

import ast
import io
import re
import tokenize
from functools import cache

import pytest
from titm_rules.checker.link import link_model
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.files import data_folder
from titm_rules.ir.terms import Const, subterms
from titm_rules.syntax.parser import parse_rules

from tests.house.test_imports import SOURCES, tree, where

# Words that a rule set uses and the engine owns, each with its reason.
OURS = {
    "all": "how the parts of a condition are joined; a word of Python", "any": "how a head decides; a word of Python",
    "calls": "what a definition asks of others", "connections": "a word of the engine: what joins places",
    "counted": "English, in messages about what a route counts", "draw": "to make a picture",
    "effect": "what a clause does in a finding",
    "ends": "a form of question in the grammar; the two places of a connection",
    "fire": "an option of a command: who may pick whom as a target", "final": "the places where a search ends",
    "fresh": "a name that nothing has yet", "id": "every record of every game has one",
    "kind": "what sort a value, a fault or a form is", "level": "the depth of a search",
    "link": "to resolve names; a connection of a place", "may": "English, in messages and in the grammar",
    "move": "English, in messages about a route", "moved": "a situation after a step that changed it",
    "must": "English, in messages and in the grammar", "owner": "what a slot belongs to",
    "place": "a word of the engine: the kind of record that pieces stand at",
    "position": "a word of the engine: the situation of its API",
    "entry": "a line of a list",
    "reachable": "what a search comes to", "role": "what a record is for",
    "side": "English, in a message about who chooses", "supply": "an option of a command: the trace of a piece",
    "targets": "a word of the engine: what choosers pick", "units": "English, in a message about movers",
}  # fmt: skip
# The colours of a terminal: code writes in them, and games paint their counters with them.
COLOURS = frozenset({"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"})
CLAUSE = re.compile(r"(?<![\w.])\d{1,2}\.\d{1,2}[a-z]?(?![\w.])")


# A game whose things have everyday names, among them some that this code uses for things of its own.
EVERYDAY = """\
game "Everyday".
type colour is line as "line", step as "Step", half-track, red as "Red".
type state is frozen, half, name.
place field has path: number 0 to 9 default 0.
connection way has ends: pair of field, frozen: flag default no.
piece token has colour: colour, state: state default frozen, place: field, step: number 0 to 9 default 1.
situation position has fields: list of field, ways: list of way, tokens: list of token.
route walk on position: mover t: token, crosses w: way from line to end.
clause e1 "Steps" "A token has its steps." walk has step of t points. walk costs 1.
clause e2 "Frozen" "No token goes over a frozen way." walk may not step when frozen of w.
question walks on position takes token: token asks ends of walk with t = token as text.
"""


@cache
def models(text=""):
    """Load every edition of the games that ship, or the game of a text."""
    if text:
        return [link_model([parse_rules(text, "text.rules")], "text")]
    games = sorted(path.parent.name for path in data_folder("rulesets").glob("*/game.rules"))
    return [load_model(info.name, game) for game in games for info in list_editions(game)]


@cache
def facts(text=""):
    """Map every word of every rule set, or of the game of a text, to what it is there."""
    found = {}
    for model in models(text):
        for enum in model.enums.values():
            found |= dict.fromkeys((enum.name, *enum.values, *enum.texts), f"value of {enum.name}")
        for record in model.records.values():
            found[record.name] = "record"
            found |= {name: f"field of {record.name}" for spec in record.fields for name in (spec.name, spec.json)}
        found |= dict.fromkeys(model.questions, "question")
        found |= dict.fromkeys(model.forms, "form")
        found |= dict.fromkeys(model.events, "event")
        found |= dict.fromkeys(model.readings, "reading")
        found |= {choice: f"choice of {r.name}" for r in model.readings.values() for choice in r.choices}
        found |= {key: "definition" for key in model.heads if "." not in key}
        found |= {s.label: "name of a modifier" for head in model.heads.values() for s in head.statements if s.label}
        found |= dict.fromkeys(model.clauses, "clause")
    return {word: what for word, what in found.items() if len(word) > 1}


@cache
def forbidden(text=""):
    """Give the words of the games, or of the game of a text, in the forms that code writes them."""
    words = {}
    pieces = of_pieces(text)
    for word, what in facts(text).items():
        forms = {word, word.replace("-", "_"), word.lower()}
        words |= {form: what for form in forms if form.lower() not in OURS and not is_everyday(form, pieces)}
    return words


def is_everyday(word, pieces):
    """Whether a name is one plain word that says nothing of what a piece or a side is, or that is a name in our code.

    Such a word is free in code: a game may call its things by words of everyday English, as `line` or `step`, and
    what code calls something of its own is English too. A name of several parts is judged as a whole.
    """
    if word.lower() in COLOURS:
        return True
    if re.fullmatch("[A-Z][a-z]+", word):
        return word in names()
    return re.fullmatch("[a-z]+|[0-9]+", word) is not None and (word not in pieces or word in names())


@cache
def names():
    """Collect the names of variables, functions, arguments and fields of all modules."""
    return frozenset(text for path in SOURCES for _, kind, text in tokens(path) if kind == "name")


@cache
def of_pieces(text=""):
    """Collect the values of all types that a piece has: its kind, its side, its marks."""
    found = set()
    for model in models(text):
        pieces = [record for record in model.records.values() if record.role == "piece"]
        names = {spec.type.name for record in pieces for spec in record.fields if spec.type.kind == "enum"}
        found |= {word for name in names for word in (*model.enums[name].values, *model.enums[name].texts)}
    return frozenset({*found, *map(str.lower, found)})


@cache
def tokens(path):
    """List line, kind and text of every name, string and comment of a module."""
    kinds = {tokenize.NAME: "name", tokenize.STRING: "string", tokenize.COMMENT: "comment"}
    text = path.read_text(encoding="utf-8")
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.start[0], kinds[token.type], token.string) for token in found if token.type in kinds]


@cache
def prose_lines(path):
    """Number the lines of docstrings: prose, in which English words are free."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


@cache
def words_of(text):
    """Split code or a string into words, with and without hyphens and underscores."""
    return frozenset(re.findall(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*", text) + re.findall(r"\d+(?:\.\w+)+", text))


def named(path, banned):
    """List where a module names a fact, with the fact."""
    prose = prose_lines(path)
    return [
        (line, word, banned[word])
        for line, kind, text in tokens(path)
        if kind != "comment" and line not in prose
        for word in words_of(text)
        if word in banned
    ]


@pytest.mark.parametrize("path", SOURCES, ids=where)
def test_module_names_no_game_fact_and_cites_no_clause(path):
    assert named(path, forbidden()) == []
    # Not in docstrings and comments either.
    clauses = {clause for model in models() for clause in model.clauses if "." in clause}
    found = [
        (line, word)
        for line, kind, text in tokens(path)
        if kind != "name"
        for word in words_of(text)
        if word in clauses or CLAUSE.fullmatch(word)
    ]
    assert found == []


def test_a_game_of_everyday_words_turns_nothing_red(tmp_path):
    banned = forbidden(EVERYDAY)
    assert {"frozen", "line", "half", "step", "name", "path"} <= set(facts(EVERYDAY))
    assert [found for path in SOURCES for found in named(path, banned)] == []
    module = tmp_path / "module.py"
    module.write_text('kind = "half-track"\n')
    assert named(module, banned) == [(1, "half-track", "value of colour")]


def test_what_pieces_of_our_games_are_is_no_name_in_code():
    """A fact is not made free by calling a variable so."""
    plain = {word for word in of_pieces() if re.fullmatch("[a-z]+", word)}
    assert plain & names() - set(OURS) == set()


@cache
def letters():
    """Collect the single capitals by which rules know places."""
    sentences = (one for model in models() for head in model.heads.values() for one in (*head.statements, *head.lifts))
    terms = (term for one in sentences if one.when is not None for term in subterms(one.when))
    values = {str(term.value) for term in terms if isinstance(term, Const)}
    return {value for value in values if re.fullmatch("[A-Z]", value)}


def test_no_letter_of_a_place_stands_in_code():
    assert {"A", "L", "P"} <= letters()
    found = []
    for path in SOURCES:
        nodes = list(ast.walk(tree(path)))
        shown = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "metavar"]
        named = [node for node in nodes if isinstance(node, ast.Constant) and node.value in letters()]
        found += [(path.name, node.lineno, node.value) for node in named if node not in shown]
    assert found == []


def test_plain_words_are_free_unless_they_say_what_a_piece_is():
    pieces = of_pieces()
    assert all(is_everyday(word, pieces) for word in ("line", "step", "half", "frozen", "demolition", "12"))
    assert not any(is_everyday(word, pieces) for word in ("armor", "leader", "foot-mode", "place_left", "German", "R2"))
    assert {"armor", "German", "Allied", "fire_allocations", "demolition", "R2", "9.57a"} <= set(facts())
    assert {"armor", "fire_allocations", "foot_mode"} <= set(forbidden())


def test_every_exemption_is_a_word_of_a_rule_set_and_used():
    assert set(OURS) - {word.lower() for word in facts()} == set()
    code = {text for path in SOURCES for _, kind, text in tokens(path) if kind != "comment"}
    assert set(OURS) - {word for text in code for word in words_of(text)} == set()
