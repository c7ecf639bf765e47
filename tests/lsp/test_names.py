"""What names mean, where they come from and where they are used; of every name of the rules that ship."""

from pathlib import Path

import pytest
from titm_rules.files import data_folder
from titm_rules.lsp.navigation import definition, exceptions, hover, outline, references, search
from titm_rules.lsp.workspace import Symbol, Workspace
from titm_rules.syntax.references import mentions

from tests.lsp.conftest import RULES, VOCABULARY

RULESETS = data_folder("rulesets")
# Names that the language itself gives: to what is rolled, walked or listed, and types that have no declaration.
OF_LANGUAGE = {
    "place", "number", "path", "assignment", "sequence", "id", "first", "second", "next", "previous", "member",
    "part", "numbers", "picks", "successes", "price", "stops", "key", "start", "end", "best", "ends",
    "choices", "cost",
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(RULESETS.rglob("*.rules")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_mention_is_the_word_at_its_place(path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    found = mentions(text, "here")
    assert found
    for one in found:
        assert lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1] == one.text


@pytest.mark.parametrize("name", ["titm/1999/09_combat.rules", "cold-ford/game.rules"])
def test_every_name_in_force_means_something(name):
    index = Workspace().check(RULESETS / name).index
    silent = [one for one in index._all() if index.meaning(one) is None and one.text not in OF_LANGUAGE]
    own = [one for one in silent if one.part[0] not in ("bar", "answer") and not one.part[0].startswith("ask_")]
    assert [f"{one.span} {one.text}" for one in own if one.text != "bridge"] == []


@pytest.mark.parametrize(
    ("words", "pointed", "symbol"),
    [
        ("closed holds when river of way", "closed", Symbol("name", "closed")),
        ("closed holds when river of way", "river", Symbol("field", "river", "hexside")),
        ("closed holds when river of way", "way", Symbol("role", "way", "closed")),
        ("march must stop when ford of way", "way", Symbol("role", "way", "march")),
        ("foe is blue when owner is red", "blue", Symbol("value", "blue", "side")),
        ("some e in units standing at h where", "e in", Symbol("local", "e")),
        ("some e in units standing at h where", "units", Symbol("field", "units", "position")),
        ("halt sets stage to fighting", "fighting", Symbol("value", "fighting", "stage")),
        ('"{place-entered} is taken"', "place-entered", Symbol("role", "place-entered", "march")),
        ("instead of 3.1 when", "3.1", Symbol("clause", "3.1")),
        ("where the side of v is the side of\n    u.", "u.", Symbol("role", "u", "supply")),
    ],
)  # fmt: skip
def test_a_name_means_what_the_check_took_it_for(rules, words, pointed, symbol):
    _, found = rules.at(words, pointed)
    assert (found.kind, found.name) == (symbol.kind, symbol.name)
    assert symbol.kind == "local" or found == symbol


@pytest.mark.parametrize(
    ("words", "pointed", "line"),
    [
        ("answers supplied: unit is in-supply", "unit is", "  takes unit: unit"),
        ("with u = unit as destinations", "u =", "route march on position: mover u: unit"),
        ("takes target: unit\n  answers odds", "target", "  takes target: unit"),
        ("side-to-move as \"side_to_move\": side default red", "red", 'type side is red as "Red"'),
        ("roll assault of d: unit on position with d6", "d6", "die d6 from 1 to 6."),
        ("table hits-on by odds.", "odds", "type odds is one-to-two"),
    ],
)  # fmt: skip
def test_a_declaration_is_found(vocabulary, words, pointed, line):
    [span] = definition(vocabulary.checked.index, vocabulary.at(words, pointed)[1])
    assert vocabulary.text.split("\n")[span.line - 1].startswith(line)


def test_a_declaration_in_another_file_exceptions_and_the_clauses_of_a_definition_are_found(rules):
    index, lines = rules.checked.index, rules.text.split("\n")
    [span] = definition(index, rules.at("in-supply holds when supply", "in-supply")[1])
    assert Path(span.path).name == VOCABULARY
    [span] = exceptions(index, rules.at("clause 5.3", "5.3")[1])
    assert lines[span.line - 1] == 'clause 5.4 "Our own keep it open"'
    [span] = exceptions(index, rules.at("closed holds", "closed")[1])
    assert lines[span.line - 1] == 'clause 2.1 "The river"'


def test_references_cross_files_and_may_leave_the_declaration_out(rules):
    symbol = rules.at("closed holds", "closed")[1]
    found = references(rules.workspace, rules.path, symbol)
    assert {Path(span.path).name for span in found} >= {Path(RULES).name, VOCABULARY}
    used = references(rules.workspace, rules.path, symbol, declared=False)
    assert len(found) == len(used) + 1
    here = [span for span in used if Path(span.path).name == Path(RULES).name]
    assert len(here) == rules.text.count("is closed") + rules.text.count("is not closed") + 1
    local = rules.at("some v in units standing at the place-entered where v is not u", "v in")[1]
    found = references(rules.workspace, rules.path, local)  # not those of another sentence
    assert (len(found), len({span.line for span in found})) == (2, 1)


def test_references_are_found_in_every_edition():
    path = RULESETS / "titm" / "game.rules"
    found = references(Workspace(), path, Symbol("clause", "9.54b"))
    assert {Path(span.path).parent.name for span in found} >= {"1999", "1997-08-20"}


@pytest.mark.parametrize(
    ("words", "pointed", "told"),
    [
        ("instead of 3.1 when", "3.1", ["**3.1** Three points", "A unit has 3 points", "exceptions to it: 5.5"]),
        ("closed holds", "closed", ["**closed** define: flag", "define flag closed of", "clauses about it: 2.1"]),
        ("closed holds when river of way", "way", ["parameter of `closed`: hexside"]),
        ("some e in units standing at h where", "e in", ["bound variable: unit"]),
        ("halt sets stage to fighting", "fighting", ["value of `stage`"]),
        ("force is strength of u when", "strength", ["field of `unit`: number", "  strength: number 1 to 9,"]),
    ],
)  # fmt: skip
def test_hover_tells_the_type_the_words_and_the_declaration(rules, words, pointed, told):
    text = hover(rules.checked.index, *rules.at(words, pointed))
    for part in told:
        assert part in text


def test_hover_tells_what_a_reading_leaves_open_and_of_an_unknown_clause(rules):
    workspace, path = Workspace(), RULESETS / "titm" / "1997-08-20" / "sheet.rules"
    checked = workspace.check(path)
    shown = checked.shown[path.resolve()]
    [use] = [one for one in checked.index.mentions[shown] if one.text == "R7" and one.part == ("name", 0)]
    text = hover(checked.index, use, Symbol("name", "R7"))
    assert "- `in-force` yes (default)" in text
    index = rules.write("instead of 3.1 when", "instead of 3.111 when").index
    told = hover(index, *rules.at("instead of 3.111 when", "3.111"))
    assert told == "**3.111** is not a clause of these rules"


def test_the_outline_goes_by_chapter_and_lists_amendments(rules, vocabulary):
    found = outline(rules.text, "here")
    assert [entry.name for entry in found if entry.kind == "chapter"] == list("12345678")
    assert [one.name for one in found[1].inner] == ["2.1", "2.2"]
    assert found[1].inner[0].detail == "The river"
    assert rules.text.split("\n")[found[1].end_line - 1].strip() == '"{place-entered} is taken".'
    kinds = {entry.name: entry.kind for entry in outline(vocabulary.text, "here")}
    assert (kinds["hex"], kinds["march"], kinds["closed"]) == ("record", "route", "define")
    text = (RULESETS / "titm" / "1997-08-20" / "sheet.rules").read_text(encoding="utf-8")
    assert {"delete 1994:9.51", "limit R46"} <= {entry.name for entry in outline(text, "here")}


def test_clauses_and_names_are_searched_in_the_whole_game(rules):
    found = search(rules.workspace, [rules.path], "river")
    assert [(entry.name, entry.detail) for entry in found if entry.kind == "clause"] == [
        ("2.1", "The river"), ("3.5", "No way over the river"),
    ]  # fmt: skip
