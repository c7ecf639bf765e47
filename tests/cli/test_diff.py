"""`titm diff` and `titm atlas` on the command line."""

import csv
import json
import re

import pytest
from titm_rules.compare.edition_diff import form_runs

from tests.builders import battle, position

from .conftest import SCENARIOS

SPARE = SCENARIOS / "spare-shot" / "spare-shot.yaml"


def test_clauses_as_json(titm):
    found = json.loads(titm("diff", "1997-03-01", "1997-08-20", "--json").stdout)
    assert found["editions"] == ["1997-03-01", "1997-08-20"]
    by_name = {one["clause"]: one for one in found["clauses"]}
    assert by_name["1997:9.59"]["how"] == "added"
    assert by_name["1997:9.59"]["numbers"] == [None, "9.59"]
    assert by_name["9.73"]["how"] == "reworded", "the sheet has it anew, and what it was before is lost"
    assert found["counts"]["added"] == 1


def test_what_differs_in_a_battle(titm, tmp_path):
    """From 1999 on a target counts for less once a counter lies on it, so the armor may get one of two."""
    path = tmp_path / "battle.json"
    shelled = battle("foot 2", "engineer 1, engineer 1, armor 1")
    path.write_text(json.dumps({"battle": shelled}), encoding="utf-8")
    done = titm("diff", "1998-01-15", "1999", "--position", path)
    assert done.exit_code == 1
    assert "artillery_targetings who attacker, n 2: +9.46d" in done.stdout


def test_a_case_is_compared_on_its_question(titm):
    found = json.loads(titm("diff", "1998-01-15", "1999", "--position", SPARE, "--json").stdout)
    [one] = found["differences"]
    assert (one["question"], one["first"], one["second"]) == (
        "fire_allocation_legal", {"legal": True}, {"legal": False},
    )  # fmt: skip
    assert one["cause"] == [["-1998:9.52"]]


def test_legal_actions_that_differ(titm, tmp_path):
    data = position("B-s major; s-x major", "e Allied foot 2 x; g German foot 2 s", 17, 2, areas={"s": {"vp": 3}})
    path = tmp_path / "position.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    found = json.loads(titm("diff", "1997-08-20", "1999", "--position", path, "--json").stdout)
    asked = {one["question"]: one for one in found["differences"]}
    nothing = {"effects": [], "areas": []}
    assert asked["special_forces_options"]["first"] == nothing, "a question without inputs is asked"
    actions = asked[""]
    assert actions["first"] == []
    assert [action for action in actions["second"] if action.startswith("infiltrate")]
    assert actions["cause"] == [["-1996:14.2"]]


def test_what_is_not_asked_is_named_and_no_difference_leaves_with_zero(titm):
    # Paths cannot be listed.
    small = titm("diff", "1996-08-01", "2002-07-25", "--position", "two-bridges", "--json")
    assert json.loads(small.stdout)["not_asked"] == ["check_path"]
    done = titm("diff", "1999", "2002-07-25", "--find", "--query", "fire_allocations")
    assert done.exit_code == 0
    assert "at any size: the same clauses" in " ".join(done.stdout.split())


def test_the_smallest_difference(titm):
    done = titm("diff", "1999", "2002-07-25", "--find", "--query", "vp_at_turn_end")
    assert done.exit_code == 1
    assert "narrower" in done.stdout
    assert "\nvp_at_turn_end: +2002:12.22b\n" in done.stdout, "there is nothing to name behind the question"
    assert re.search(r"^  found at size 2, number [1-9]\d* of the search", done.stdout, re.M)
    found = json.loads(titm("diff", "1999", "2002-07-25", "--find", "--query", "vp_at_turn_end", "--json").stdout)
    [question] = found["questions"]
    assert question["found"][0]["size"] == 2


def test_an_atlas_is_written_and_is_empty_for_editions_that_say_the_same(titm, tmp_path):
    page, data = tmp_path / "atlas.md", tmp_path / "atlas.json"
    parts = tmp_path / "parts"
    words = ("atlas", "1999", "1998-01-15", "--max", "1x1", "--backend", "sequential", "--work", parts)
    assert titm(*words, "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("# Where editions differ, up to 1x1")
    assert titm(*words, "-o", data).exit_code == 0
    assert json.loads(data.read_text(encoding="utf-8"))["editions"] == ["1998-01-15", "1999"]
    assert list(parts.glob("*/*.jsonl"))
    done = titm(*words, "-o", tmp_path / "no" / "atlas.md")
    assert done.exit_code == 2
    assert "cannot write the file" in done.stderr
    # of editions that say the same
    assert titm("atlas", "1999", "2002-07-25", "--max", "1x1", "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8").count("`: 0 situations") == 3


# ---------------------------------------------------------------------- reports
@pytest.mark.parametrize(("ending", "says"), [
    (".html", "<h2>Clauses</h2>"),
    (".md", "| 1997:9.59 | added |"),
    (".csv", "Clauses,1997:9.59,added,"),
    (".txt", "1997:9.59; added;"),
])  # fmt: skip
def test_a_report_is_written_as_its_file_is_named(titm, tmp_path, ending, says):
    path = tmp_path / f"report{ending}"
    done = titm("diff", "1997-03-01", "1997-08-20", "-o", path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert says in path.read_text(encoding="utf-8")


def test_a_report_as_json_is_what_the_option_prints(titm, tmp_path):
    path = tmp_path / "report.json"
    titm("diff", "1997-03-01", "1997-08-20", "-o", path)
    assert json.loads(path.read_text()) == json.loads(titm("diff", "1997-03-01", "1997-08-20", "--json").stdout)
    done = titm("diff", "1997-03-01", "1997-08-20", "-o", tmp_path / "report.pdf")
    assert done.exit_code == 2
    assert "end its name in one of .html" in done.stderr


def test_what_changed_for_players_is_a_page_by_chapter_with_cases_to_look_at(titm, tmp_path):
    sheet = tmp_path / "rain.rules"
    sheet.write_text(
        'replace clause 3.3 "Woods"\n  "A wood costs 3 points."\n'
        "  march costs 3 when terrain of place-entered is wood.\n", encoding="utf-8",
    )  # fmt: skip
    done = titm("diff", "--overlay", sheet, "--for-players", "--game", "cold-ford")
    assert done.exit_code == 1, done.output
    title, _, chapter, heading, words, case, command, *_ = done.stdout.splitlines()
    assert (title, chapter) == ("What changes for players: 1 with rain", "3")
    assert heading == "  3.3 Woods (changed)"
    assert words == "    A wood costs [-2-] {+3+} points."
    assert case.startswith("    The scenario the-ford: What is legal at first? Before: legal only here: go r-guard")
    assert case.endswith(" Now: nothing is legal only here.")
    assert titm(*command.split()[1:]).exit_code == 0


def test_a_table_for_players_has_every_clause_with_its_words_before_and_after(titm, tmp_path):
    path = tmp_path / "players.csv"
    done = titm("diff", "1996-11-01", "1998-01-15", "--for-players", "-o", path)
    assert (done.exit_code, done.stdout) == (1, "")
    rows = {row["clause"]: row for row in csv.DictReader(path.open(encoding="utf-8"))}
    added = rows["14.31 Effect 1: not on the 3rd impulse"]
    assert (added["chapter"], added["how"], added["words before"]) == ("14 Special forces", "new", "")
    assert added["words after"] == "This effect may not be chosen on the third impulse of a turn."
    read = rows["9.52 Absolute exemption for one-point attackers"]
    assert read["words before"] == read["words after"] != ""
    assert "Before: No. Now: Yes." in read["at the table"]
    assert read["look at"] == "titm check change-10 --edition 1996-11-01,1998-01-15"


@pytest.mark.parametrize("command", [("diff", "1999", "2002-07-25"), ("plan", "1999", "2002-07-25"), ("book", "1999")])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(titm, tmp_path, monkeypatch, command):
    for work in ("diff.edition_diff.compared", "plan.planning.open_sheet", "diff.open_book"):
        monkeypatch.setattr(f"titm_rules.cli.{work}", lambda *_, **__: pytest.fail("it works"))
    done = titm(*command, "-o", tmp_path / "no" / "page.html")
    assert done.exit_code == 2
    assert "cannot write the file" in done.stderr
    done = titm(*command, "-o", tmp_path / "page.pdf")
    assert done.exit_code == 2
    assert (".html, and print it to PDF from the browser" if command[0] == "book" else "one of .html") in done.stderr


def test_the_changes_of_shipped_editions_come_without_a_search(titm, monkeypatch):
    monkeypatch.setattr("titm_rules.compare.plan._search", lambda *_: pytest.fail("it searches"))
    done = titm("diff", "1996-11-01", "1998-01-15", "--for-players")
    assert done.exit_code == 1, done.output
    text = done.stdout
    assert "  9.52 Absolute exemption for one-point attackers (same words, read otherwise)" in text
    assert "What may a defender do who leaves out an attacker of one point? Before: he may not" in text
    assert "Is the fire d1 > a1 and d2 > a1 legal for the defender? Before: No. Now: Yes." in text
    command = "titm check change-10 --edition 1996-11-01,1998-01-15"
    assert f"    {command}" in text
    asked = titm(*command.split()[1:])
    assert asked.exit_code == 3, asked.output
    assert "Not legal" in asked.stdout
    # words that have little in common stand one behind the other
    assert "[-One special forces counter may be used on the first impulse of December" in text
    # a difference of play is said by its record
    before, now = "special forces: area x, effect mobility", "no special forces"
    assert f"The Allied part of the second impulse ends. Before: afterwards {before}. Now: afterwards {now}." in text


def test_a_clause_is_not_without_a_position_if_one_of_its_number_or_in_its_place_is_shown(titm):
    found = titm("diff", "1996-08-01", "1997-08-20", "--for-players").stdout
    assert found.count("  14.4 ") == 2  # one new, one gone
    assert "No position in the lists shows" not in found
    found = titm("diff", "2014", "2014-qa", "--for-players", "--game", "bitterwoods").stdout
    assert "See 4.A.3, which is about the same matter." in found.partition("qa.1 ")[2].partition("qa.2 ")[0]
    assert "No position in the lists shows" not in found


def test_a_page_for_players_is_a_page(titm):
    """Twenty-two clauses are a page, for those without room are only named."""
    found = titm("diff", "1994-11-01", "2016-10-01", "--for-players").stdout
    assert len(found.split()) < 900
    assert "  Changed too: " in found
    assert "14.22a Effect 1: entering (new)" in found
    numbers = [float(number) for number in re.findall(r"^  (\d+\.\d+)", found, re.M)]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(("name", "query"), [("10.14b", "options"), ("2016:8.295d", "legal"), ("change-36", "legal")])
def test_a_known_case_is_opened_by_its_id_or_by_the_clause_that_it_shows(titm, name, query):
    done = titm("check", name, "--json")
    assert done.exit_code in (0, 1), done.output
    assert query in json.loads(done.stdout)["answer"]
    assert "cannot read the file" in titm("check", "10.14z").stderr


def test_the_history_of_a_clause_shows_the_words_of_each_step(titm):
    found = titm("clauses", "9.52", "--history").stdout
    assert "  1994-11-01: A unit has to fire at a target of its own or a lower quality if it can." in found
    assert "  1994-11-01: Defending (non-phasing) units never have to fire" in found


@pytest.mark.parametrize(("first", "second", "found"), [
    ("move costs 1 when a.", "move costs 2 when a.", (("", "move costs"), ("-", "1"), ("+", "2"), ("", "when a."))),
    ("move costs 1. lifts 9.3.", "move may not step.", (
        ("-", "move costs 1."), ("-", "lifts 9.3."), ("+", "move may not step."),
    )),
    ('x is 1 says "one. Two."', "x is 1.", (("", "x is"), ("-", '1 says "one. Two."'), ("+", "1."))),
])  # fmt: skip
def test_words_are_compared_between_sentences_of_one_kind_only(first, second, found):
    assert form_runs(first, second) == found


def test_a_table_for_a_pipe_is_as_wide_as_its_texts(titm):
    found = titm("clauses", "--chapter", "14", env={"COLUMNS": None}).stdout
    assert max(map(len, found.splitlines())) > 100
    assert "\u2026" not in found
