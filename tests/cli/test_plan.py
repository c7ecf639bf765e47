"""`titm plan`: what a sheet changes in known cases, what nothing exercises, and what its own tests announce."""

import csv
import itertools
import json
import re
import shutil
from pathlib import Path

import pytest
from titm_rules.catalog import game_folder, scenario_folder
from titm_rules.compare.corpus import read_corpus
from titm_rules.compare.plan import make_plan, open_sheet, plan_page

SLOWER = """\
replace clause 3.3 "Woods"
  "A wood costs 3 points."
  march costs 3 when terrain of place-entered is wood.
"""
RARE = """\
add clause my:1 "Old woods"
  "On turn 6 a wood costs units of strength 1 one point more."
  march costs 1 when terrain of place-entered is wood and turn is 6 and strength of u is 1.
"""
NOTHING = """\
add clause my:2 "A greeting"
  "The players shake hands."
  decides nothing "it is good manners".
"""
FORDS = """\
replace clause 3.8 "Fords are slow"
  "A unit that leaves over a ford must end there, unless strength is 1."
  march must stop when ford of way and strength of u is more than 1.

replace clause 4.3 "Not from zone to zone"
  "No unit goes straight from one enemy zone into another or into a wood."
  march may not step when place-left is zoned against side of u and (terrain of place-entered is wood or
    place-entered is zoned against side of u).
"""
UNLIKE = SLOWER.replace("costs 3 points", "costs 2 points")
TESTS = """\
tests:
- clause: "3.3"
  overlays: [{sheet}]
  from: the-ford
  tests:
  - a wood costs three: r-scouts@0203 | check_path unit=r-scouts path=0203,0304 -> {answer}
"""


@pytest.fixture
def plan(titm, tmp_path):
    def run(rules, *options, **files):
        path = tmp_path / "sheet.rules"
        path.write_text(rules, encoding="utf-8")
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return titm("plan", path, "--game", "cold-ford", "--no-search", *options)

    return run


def test_changes_are_told_with_both_answers_and_the_clause(plan):
    done = plan(SLOWER)
    assert done.exit_code == 4, done.output
    assert "play, by 3.3: 3 cases" in done.stdout
    assert "line 6: 1 Red go r-second 0304\n      before: legal\n      after:  not legal: 3.7" in done.stdout
    found = json.loads(plan(SLOWER, "--json").stdout)
    assert {tuple(map(tuple, one["cause"])) for one in found["changes"]} == {(("3.3",),)}
    by_question = {one["question"]: one for one in found["questions"]}
    assert by_question["supplied"]["how"].startswith("proved")
    assert by_question["play"]["clauses"] == ["3.3"]
    assert by_question["play"]["relation"] == "narrower found, wider not", "what is seen proves nothing of the rest"


def test_nothing_changed_is_never_said_without_what_was_asked(plan):
    done = plan(NOTHING)
    assert done.exit_code == 0, done.output
    assert "no known case changes" in done.stdout
    assert "asked before and after: " in done.stdout
    assert "proved unaffected" in done.stdout


def test_a_file_has_all_changed_cases_and_a_table_all_that_the_page_says(plan, tmp_path):
    """The dearer woods change a fourth case; a page on the terminal has three of one question."""
    more = tmp_path / "more"
    more.mkdir()
    shutil.copy(scenario_folder("cold-ford") / "the-ford/scenario.yaml", more / "another.yaml")
    table, page = tmp_path / "plan.csv", tmp_path / "plan.md"
    assert plan(SLOWER, "--corpus", more, "-o", table).exit_code == 4
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    sections = [section for section, _ in itertools.groupby(row["section"] for row in rows)]
    assert sections == ["Clauses", "What changes", "Cases in which changed clauses decide", "Questions"]
    assert rows[0]["before"] == "A wood costs 2 points."
    assert (rows[0]["what"], rows[0]["after"], rows[0]["clauses"]) == ("changed", "A wood costs 3 points.", "3.3")
    changes = [row for row in rows if row["what"].startswith("play, ")]
    assert len(changes) == 4
    assert {row["clauses"] for row in changes} == {"3.3"}
    assert plan(SLOWER, "--corpus", more, "-o", page).exit_code == 4
    assert page.read_text(encoding="utf-8").count("  before: ") == 4
    assert "and 1 more; titm plan -o FILE has all" in plan(SLOWER, "--corpus", more).stdout
    plan(NOTHING, "-o", table)
    assert "What changes,no known case changes,,," in table.read_text(encoding="utf-8")


TEN = """\
replace clause 7.3 "Zones hold ten units"
  "A perimeter zone holds at most 10 units."
  lifts 7.1a when spot is a zone and (number of u in units standing at spot where its side is
    owner) is at most 10.
"""


def test_of_many_choices_a_terminal_shows_some_and_a_file_all(tmp_path):
    """Eleven units in a zone: who has to go can be chosen in many ways."""
    sheet = tmp_path / "ten.rules"
    sheet.write_text(TEN, encoding="utf-8")
    cases = [case for case in read_corpus() if case.query == "overstack_eliminations"]
    plan = make_plan(open_sheet(str(sheet)), cases)
    shown, whole = (
        text.splitlines()[-1] for page in (plan_page(plan), plan_page(plan, whole=True))
        for section in page.sections if section.title.startswith("Cases in which") for text in section.texts
    )  # fmt: skip
    more = int(re.search(r" and (\d+) more; titm plan -o FILE has all$", shown)[1])
    assert shown.count(";") == 5 + 1
    assert whole.count(";") + 1 == more + 6


def test_a_table_has_the_tests_also_where_no_clause_differs(plan, tmp_path):
    """A sheet that restates a clause as it was; its test expects another answer."""
    table, tests = tmp_path / "plan.csv", TESTS.format(sheet=tmp_path / "sheet.rules", answer="cost=3")
    assert plan("restate 3.3.\n", "-o", table, sheet=tests).exit_code == 1
    sections = [row["section"] for row in csv.DictReader(table.open(encoding="utf-8"))]
    assert "Clauses" not in sections
    assert any(section.startswith("Tests of the sheet: 1") for section in sections)


@pytest.mark.parametrize(("answer", "code"), [("cost=3", 0), ("cost=4", 1)])
def test_the_tests_of_a_sheet_announce_its_changes(plan, tmp_path, answer, code):
    """A test of the sheet that fails is an error of its own; what it does not announce is a finding."""
    tests = TESTS.format(sheet=tmp_path / "sheet.rules", answer=answer)
    done = plan(SLOWER, sheet=tests)
    assert done.exit_code == code, done.output
    assert "Tests of the sheet: 1" in done.stdout


def test_a_rare_clause_is_found_by_the_search_and_kept_as_a_test(titm, tmp_path):
    sheet, kept = tmp_path / "sheet.rules", tmp_path / "kept.yaml"
    sheet.write_text(RARE, encoding="utf-8")
    done = titm("plan", sheet, "--game", "cold-ford", "--keep", kept)
    assert done.exit_code == 5, done.output
    assert "my:1: none; the smallest situation found" in done.stdout
    tested = titm("test", kept, "--game", "cold-ford")
    assert tested.exit_code == 0, tested.output
    again = titm("plan", sheet, "--game", "cold-ford", "--tests", kept)
    assert "Tests of the sheet: 1, none failed" in again.stdout
    assert "my:1: 1" in again.stdout, "what is kept is a known case"
    assert again.exit_code == 0, again.output
    (tmp_path / "own").mkdir()
    text = kept.read_text(encoding="utf-8")
    assert "  - sheet.rules\n" in text, "a path from the folder of the test"
    kept.unlink()
    (tmp_path / "own" / "kept.yaml").write_text(text.replace("- sheet.rules", "- ../sheet.rules"), encoding="utf-8")
    again = titm("plan", sheet, "--game", "cold-ford", "--no-search", "--corpus", tmp_path / "own")
    assert "my:1: 1" in again.stdout
    assert again.exit_code == 4, "it is not the sheet's own"


def test_paths_of_overlays_begin_in_the_folder_of_the_test(titm, tmp_path, monkeypatch):
    """The folder in which a command runs makes no difference; the name of the sheet means the sheet."""
    home, other = tmp_path / "my home", tmp_path / "other"
    (home / "tests").mkdir(parents=True)
    other.mkdir()
    (home / "rain.rules").write_text(SLOWER, encoding="utf-8")
    (other / "rain.rules").write_text(SLOWER.replace("costs 3", "costs 1"), encoding="utf-8")
    tests = TESTS.replace("{sheet}", "{{sheet}}").format(answer="cost=3")
    for file, named in (("rain.yaml", "rain.rules"), ("tests/own.yaml", "../rain.rules")):
        (home / file).write_text(tests.format(sheet=named), encoding="utf-8")
    (home / "tests" / "named.yaml").write_text(tests.format(sheet="rain.rules"), encoding="utf-8")
    for folder, way in ((tmp_path, home), (other, home), (home, Path())):
        monkeypatch.chdir(folder)
        for file in ("rain.yaml", "tests/own.yaml"):
            done = titm("test", way / file, "--game", "cold-ford")
            assert done.exit_code == 0, done.output
        for words in ((way / "rain.rules",), (way,)):
            done = titm("plan", *words, "--game", "cold-ford", "--no-search")
            assert done.exit_code == 0, done.output
            assert "none failed" in done.stdout
    named = titm("test", home / "tests" / "named.yaml", "--game", "cold-ford")
    assert "unknown overlay" in named.output, "no sheet is planned"


def test_a_test_that_begins_actions_asks_what_is_legal(plan, tmp_path):
    head, _, _ = TESTS.format(sheet=tmp_path / "sheet.rules", answer="").partition("  - ")
    done = plan(SLOWER, "--json", sheet=f"{head}  - it is far: r-second@0203 | listed Red go r-second 0304 -> no\n")
    [change] = [one for one in json.loads(done.stdout)["changes"] if one["kind"] == "test"]
    assert (change["name"], change["asked"], change["cause"]) == ("3.3 it is far", "What is legal at first?", [["3.3"]])


def test_tests_of_other_editions_are_not_left_out_silently(titm, tmp_path):
    game, sheet = tmp_path / "cold-ford", tmp_path / "sheet.rules"
    shutil.copytree(game_folder("cold-ford"), game)
    with (game / "game.rules").open("a", encoding="utf-8") as file:
        file.write('\nedition "2" "A sheet" dated 2027-01-01 follows "1" reads "2" from "this test".\n')
    (game / "2").mkdir()
    (game / "2" / "sheet.rules").write_text(NOTHING, encoding="utf-8")
    sheet.write_text(SLOWER, encoding="utf-8")
    tests = TESTS.replace("from: the-ford", 'from: the-ford\n  edition: "1"').format(sheet=sheet, answer="cost=3")
    sheet.with_suffix(".yaml").write_text(tests, encoding="utf-8")
    done = titm("plan", sheet, "--game", game, "--no-search")
    assert "1 test not run: of another edition" in done.stdout
    assert done.stdout.startswith("2 with sheet"), "the newest edition has what it amends"


def test_words_and_sentences_that_differ_are_noted(plan):
    done = plan(UNLIKE)
    assert "the words of 3.3 name the numbers 2, its sentences 3" in " ".join(done.stdout.split())


def test_a_folder_is_an_edition_or_a_sheet_that_no_game_declares(titm, tmp_path):
    game = tmp_path / "cold-ford"
    shutil.copytree(game_folder("cold-ford"), game)
    shutil.copytree(scenario_folder("cold-ford"), game / "scenarios")
    sheet = game / "2"
    (sheet / "tests").mkdir(parents=True)
    done = titm("plan", sheet)
    assert done.exit_code == 2
    assert "it holds no rule file" in done.stderr
    (sheet / "sheet.rules").write_text(SLOWER, encoding="utf-8")
    tests = TESTS.replace("  overlays: [{sheet}]\n", "").format(answer="cost=3")
    (sheet / "tests" / "3.yaml").write_text(tests, encoding="utf-8")
    beside = tmp_path / "sheets"
    shutil.copytree(sheet, beside)
    for words in ([sheet], [beside, "--game", "cold-ford"], [beside, "--game", game]):
        done = titm("plan", *words, "--no-search")
        assert done.exit_code == 0, done.output
        assert "Tests of the sheet: 1, none failed" in done.stdout
    (sheet / "tests" / "3.yaml").unlink()
    with (game / "game.rules").open("a", encoding="utf-8") as file:
        file.write('\nedition "2" "A sheet" dated 2027-01-01 follows "1" reads "2" from "this test".\n')
    done = titm("plan", sheet, "--no-search")
    assert done.exit_code == 4, done.output
    done = titm("plan", game)
    assert "it is that of a game" in done.stderr
    done = titm("plan", game / "1")
    assert "nothing comes before the edition `1`" in done.stderr


def test_cases_of_ones_own_are_asked(plan, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    assert plan(SLOWER, "--corpus", folder).exit_code == 2
    shutil.copy(game_folder("cold-ford") / "games" / "the-ford-greedy.txt", folder / "mine.txt")
    done = plan(SLOWER, "--corpus", folder, "--json")
    games = sum(one["cases"] for one in json.loads(done.stdout)["asked"] if one["kind"] == "recorded game")
    shipped = json.loads(plan(SLOWER, "--json").stdout)["asked"]
    assert games == 1 + sum(one["cases"] for one in shipped if one["kind"] == "recorded game")


def test_what_is_proved_is_said_and_not_searched(titm, tmp_path):
    """Dearer woods are narrower on every board, which cases show too: nothing is left to search."""
    pytest.importorskip("z3")
    sheet = tmp_path / "sheet.rules"
    sheet.write_text(SLOWER, encoding="utf-8")
    found = json.loads(titm("plan", sheet, "--game", "cold-ford", "--json").stdout)
    by_question = {one["question"]: one for one in found["questions"]}
    for name in ("reachable", "check_path"):
        assert by_question[name]["relation"] == "narrower"
        assert by_question[name]["how"].startswith("proved under every reading: march.cost never less (solver)")


SHADOWED = """\
add clause my:3 "Woods closed"
  "Nobody enters a wood."
  march may not step when terrain of place-entered is wood says "a wood is closed".

add clause my:4 "Woods closed to Red"
  "Red does not enter a wood."
  march may not step when terrain of place-entered is wood and side of u is {side} says "a wood is closed to Red".
"""
APART = SHADOWED.replace("place-entered is wood and", "place-entered is open and")


@pytest.mark.parametrize(("rules", "is_noted"), [(SHADOWED, True), (APART, False)])
def test_a_sentence_that_another_one_covers_is_noted(plan, rules, is_noted):
    done = plan(rules.format(side="red"))
    assert ("my:4 decides `march.step` only where my:3 decides it too" in done.stdout) == is_noted, done.output
    assert "my:3 decides `" not in done.stdout


def test_a_file_belongs_to_the_game_that_it_names(titm, tmp_path):
    sheet = tmp_path / "sheet.rules"
    sheet.write_text(f'game "cold-ford".\n{SLOWER}', encoding="utf-8")
    assert titm("plan", sheet, "--no-search").exit_code == 4


@pytest.mark.parametrize(("words", "told"), [
    (["nope.rules"], "SHEET: unknown overlay `nope.rules`"),
    (["1999"], "SHEET: `1999` is an edition"),
    (["1999", "2016-10-01", "--edition", "1999"], "--edition: two editions are compared, and a third is named"),
    (["nope.rules", "-o", "no-folder/page.html"], "page.html: cannot write the file"),
    (["nope.rules", "--keep", "no-folder/kept.yaml"], "kept.yaml: cannot write the file"),
])  # fmt: skip
def test_what_cannot_be_planned_or_written_is_said_at_once(titm, words, told):
    done = titm("plan", *words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_an_empty_sheet_is_refused_as_an_empty_folder_is(plan):
    done = plan("# nothing yet\n")
    assert done.exit_code == 2
    assert "the sheet is empty" in done.stderr


def test_a_sheet_that_changes_nothing_has_no_empty_sections(plan):
    done = plan("define flag wet of u: unit.\n")
    assert done.exit_code == 0, done.output
    assert "no clauses differ" in done.stdout
    assert "Clauses\n" not in done.stdout


def test_what_is_found_for_one_question_is_asked_of_the_others_and_of_play(titm, tmp_path):
    """Where a unit reaches a place that it did not reach, it may go there, and the way there may be taken."""
    (tmp_path / "fords.rules").write_text(FORDS, encoding="utf-8")
    plan = titm("plan", tmp_path / "fords.rules", "--game", "cold-ford", "--json")
    told = {one["question"]: one for one in json.loads(plan.stdout)["questions"]}
    assert {told[name]["relation"] for name in ("reachable", "check_path", "play")} == {"incomparable"}
    for name in ("check_path", "play"):
        assert "situations found for other questions, " in told[name]["how"], name
    found = json.loads(plan.stdout)["smallest"]
    assert {one["question"] for one in found.values()} <= {"reachable", "check_path"}, "--keep FILE can write these"
