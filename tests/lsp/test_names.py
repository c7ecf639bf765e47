"""What names mean, where they come from and where they are used; of every name of the rules that ship."""

import re
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
    "choices", "cost", "first-picks", "better", "step", "stop",
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
    own = [one for one in silent if not one.part[0].startswith(("bar", "answer", "saying", "ask_"))]
    assert [f"{one.span} {one.text}" for one in own if one.text != "bridge"] == []


@pytest.mark.parametrize(("name", "words", "pointed", "symbol"), [
    (RULES, "closed holds when river of way", "closed", Symbol("name", "closed")),
    (RULES, "closed holds when river of way", "river", Symbol("field", "river", "hexside")),
    (RULES, "closed holds when river of way", "way", Symbol("role", "way", "closed")),
    (RULES, "march must stop when ford of way", "way", Symbol("role", "way", "march")),
    (RULES, "foe is blue when owner is red", "blue", Symbol("value", "blue", "side")),
    (RULES, "some e in units standing at h where", "e in", Symbol("local", "e")),
    (RULES, "some e in units standing at h where", "units", Symbol("field", "units", "position")),
    (RULES, "halt sets stage to fighting", "fighting", Symbol("value", "fighting", "stage")),
    (RULES, '"{place-entered} is taken"', "place-entered", Symbol("role", "place-entered", "march")),
    (RULES, "instead of 3.1 when", "3.1", Symbol("clause", "3.1")),
    (RULES, "where its side is side of u.", "u.", Symbol("role", "u", "supply")),
    (RULES, "where its side is side of u.", "side is", Symbol("field", "side", "unit")),
    (RULES, "where its side is side of u.", "its", Symbol("local", "v")),
    ("64_some_is", "its place is not", "place", Symbol("field", "place", "scout")),
    ("64_some_is", "its place is not", "its", Symbol("local", "s")),
    ("64_some_is", "where it is tired", "it is", Symbol("local", "s")),
    ("64_some_is", "where it is tired", "tired", Symbol("field", "tired", "scout")),
    ("64_some_is", "where it is not s", "it is", Symbol("local", "other")),
    ("64_some_is", "it is not s.", "s.", Symbol("role", "s", "lonely")),
    ("64_some_is", "stack has moved", "moved", Symbol("field", "moved", "scout")),
    ("64_some_is", "stack has not moved", "moved", Symbol("field", "moved", "scout")),
    ("64_some_is", "stack is not lonely", "lonely", Symbol("name", "lonely")),
    ("64_some_is", "{s has}", "s", Symbol("local", "s")),
    ("12_reading_named", "what-is-a-hill is wide", "what", Symbol("name", "what-is-a-hill")),
    ("12_reading_named", "what-is-a-hill is wide", "wide", Symbol("choice", "wide", "R1")),
    ("13_define_worded", "enemies of {s}", "s}", Symbol("role", "s", "hostile")),
    ("13_define_worded", "where its side", "side", Symbol("field", "side", "scout")),
    ("13_define_worded", "entered is hostile", "hostile", Symbol("name", "hostile")),
    ("83_prefers", "fire prefers target", "target", Symbol("role", "target", "fire")),
    ("82_touching_distance", "neighbours of h", "neighbours", Symbol("function", "neighbours")),
    ("83_prefers", "fire prefers target", "fire", Symbol("name", "fire")),
    ("83_prefers", "prefers after 2", "2", Symbol("clause", "2")),
    ("83_prefers", "lowest strength", "strength", Symbol("field", "strength", "scout")),
    ("83_prefers", "need not take target", "target", Symbol("role", "target", "fire")),
    ("83_prefers", "every t in", "t in", Symbol("local", "t")),
])  # fmt: skip
def test_a_name_means_what_the_check_took_it_for(writers, name, words, pointed, symbol):
    writer = writers(name)
    assert writer.checked.faults == ()
    _, found = writer.at(words, pointed)
    assert (found.kind, found.name) == (symbol.kind, symbol.name)
    assert symbol.kind == "local" or found == symbol


@pytest.mark.parametrize("name", ["64_some_is", "12_reading_named", "13_define_worded", "83_prefers"])
def test_every_name_of_a_small_program_means_something(example, name):
    index = example(name).checked.index
    silent = [one for one in index._all() if index.meaning(one) is None and one.text not in OF_LANGUAGE]
    assert [one.text for one in silent if one.part[0] != "bars"] == []


def test_a_member_that_the_list_itself_is_about_is_the_outer_one(rules):
    _, found = rules.at("hexsides touching (its place)", "its")
    assert (found.kind, found.name) == ("local", "r")
    _, found = rules.at("is not closed and place of d is in its ends", "its")
    assert (found.kind, found.name) == ("local", "w")


def test_the_member_of_an_event_is_its_choice(vocabulary):
    [span] = definition(vocabulary.checked.index, vocabulary.at("where its side is side-to-move", "its")[1])
    assert vocabulary.text.split("\n")[span.line - 1] == "  for each u in units where its side is side-to-move"
    assert "parameter of `go`: unit" in hover(
        vocabulary.checked.index, *vocabulary.at("where its side is side-to-move", "its")
    )


@pytest.mark.parametrize(("words", "pointed", "line"), [
    ("answers supplied: unit is in-supply", "unit is", "  takes unit: unit"),
    ("with u = unit as destinations", "u =", "route march: mover u: unit"),
    ("takes target: unit\n  answers odds", "target", "  takes target: unit"),
    ("side-to-move as \"side_to_move\": side default red", "red", 'type side is red as "Red"'),
    ("roll assault of d: unit with d6", "d6", "die d6 from 1 to 6."),
    ("table hits-on by odds.", "odds", "type odds is one-to-two"),
])  # fmt: skip
def test_a_declaration_is_found(vocabulary, words, pointed, line):
    [span] = definition(vocabulary.checked.index, vocabulary.at(words, pointed)[1])
    assert vocabulary.text.split("\n")[span.line - 1].startswith(line)


def test_a_declaration_in_another_file_exceptions_and_the_clauses_of_a_definition_are_found(rules):
    index, lines = rules.checked.index, rules.text.split("\n")
    [span] = definition(index, rules.at("in-supply holds when supply", "in-supply")[1])
    assert Path(span.path).name == VOCABULARY
    [span] = exceptions(index, rules.at('clause 5.3 "What', "5.3")[1])
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
    assert len(here) == len(re.findall(r"is(\s+not)?\s+closed", rules.text)) + 1
    local = rules.at("some v in units standing at place-entered where v is not u", "v in")[1]
    found = references(rules.workspace, rules.path, local)  # not those of another sentence
    assert (len(found), len({span.line for span in found})) == (2, 1)


def test_references_of_a_member_are_found_in_texts_and_behind_it(example):
    writer = example("64_some_is")
    symbol = writer.at("{s has}", "s")[1]
    found = references(writer.workspace, writer.path, symbol)
    line = next(line for line in writer.text.split("\n") if "{s has}" in line)
    assert [span.column - 1 for span in found] == [line.index("s in stack"), line.index("s has}")]
    [declared] = definition(writer.checked.index, symbol)
    assert declared == found[0]
    other = writer.at("where it is tired", "it is")[1]
    found = references(writer.workspace, writer.path, other)
    lines = writer.text.split("\n")
    words = [lines[span.line - 1][span.column - 1 : span.end_column - 1] for span in found]
    assert words == ["s", "it", "its", "its"]


def test_references_of_a_reading_are_those_of_its_name_and_of_its_number(example):
    writer = example("12_reading_named")
    writer.write("what-is-a-hill is wide", "what-is-a-hill is wide and R1 is not strict")
    assert writer.checked.faults == ()
    by_name = references(writer.workspace, writer.path, writer.at("and what-is-a-hill is", "what")[1])
    by_number = references(writer.workspace, writer.path, writer.at("and R1 is", "R1")[1])
    assert set(by_name) == set(by_number)
    assert len(by_name) == 4
    used = references(writer.workspace, writer.path, writer.at("reading R1", "R1")[1], declared=False)
    assert len(used) == 2


def test_references_cross_the_files_and_are_found_in_every_edition():
    path = RULESETS / "titm" / "1999" / "09_combat.rules"
    found = references(Workspace(), path, Symbol("name", "R2"))
    assert {Path(span.path).name for span in found} >= {"game.rules", "09_combat.rules"}
    assert set(found) == set(references(Workspace(), path, Symbol("name", "quality-rule")))
    path = RULESETS / "titm" / "game.rules"
    found = references(Workspace(), path, Symbol("clause", "9.54b"))
    assert {Path(span.path).parent.name for span in found} >= {"1999", "1997-08-20"}


@pytest.mark.parametrize(("name", "words", "pointed", "shown"), [
    (RULES, "instead of 3.1 when", "3.1", ["**3.1** Three points", "A unit has 3 points", "exceptions to it: 5.5"]),
    (RULES, "closed holds", "closed",
     ["**closed** define: flag", "define flag closed of", "clauses about it: 2.1"]),
    (RULES, "closed holds when river of way", "way", ["parameter of `closed`: hexside"]),
    (RULES, "some e in units standing at h where", "e in", ["bound variable: unit"]),
    (RULES, "halt sets stage to fighting", "fighting", ["value of `stage`"]),
    (RULES, "force is strength of u when", "strength", ["field of `unit`: number", "  strength: number 1 to 9,"]),
    ("64_some_is", "its place is not", "place", ["field of `scout`: place", "piece scout has place: place"]),
    ("64_some_is", "its place is not", "its", ["**s** bound variable: scout"]),
    ("64_some_is", "{s has}", "s", ["**s** bound variable: scout"]),
    ("64_some_is", "stack has moved", "moved", ["field of `scout`: flag"]),
    ("12_reading_named", "what-is-a-hill is wide", "what", ["**what-is-a-hill** reading", "- `wide` yes"]),
    ("12_reading_named", "what-is-a-hill is wide", "wide", ["choice of reading `R1`", "- `strict` no"]),
    ("13_define_worded", "entered is hostile", "hostile", ["define: flag", 'worded "{h} holds']),
    ("83_prefers", "fire prefers target", "target", ["parameter of `fire`: scout"]),
    ("82_touching_distance", "neighbours of h", "neighbours", ["**neighbours** function", "one connection away"]),
    ("83_prefers", "fire prefers target", "fire", ["**fire** allocation", "clauses about it: 1, 2, 3, 4"]),
])  # fmt: skip
def test_hover_tells_the_type_the_words_and_the_declaration(writers, name, words, pointed, shown):
    writer = writers(name)
    text = hover(writer.checked.index, *writer.at(words, pointed))
    for part in shown:
        assert part in text


def test_hover_tells_what_a_reading_leaves_open_and_of_an_unknown_clause(rules):
    workspace, path = Workspace(), RULESETS / "titm" / "1997-08-20" / "sheet.rules"
    checked = workspace.check(path)
    shown = checked.shown[path.resolve()]
    [use] = [one for one in checked.index.mentions[shown] if one.text == "last-unit-rule" and one.part == ("name", 0)]
    symbol = checked.index.meaning(use)
    assert symbol == Symbol("name", "last-unit-rule")
    text = hover(checked.index, use, symbol)
    assert "reading R7 as last-unit-rule" in text
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
