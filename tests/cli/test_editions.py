"""Editions, histories, house rules and readings on the command line."""

import json
from pathlib import Path

import pytest

from tests.builders import battle

ROOT = Path(__file__).resolve().parents[2]
BATTLE = ROOT / "scenarios" / "combat-of-1999" / "battle.yaml"
QUESTION = ("fire_allocation_legal", "who=defender")


@pytest.fixture
def weak(tmp_path):
    path = tmp_path / "weak.json"
    path.write_text(json.dumps(battle("foot 4, foot 1", "foot 2, foot 2")), encoding="utf-8")
    return path


def test_editions_lists_sources_and_counts(titm):
    rows = {row["edition"]: row for row in json.loads(titm("editions", "--json").stdout)}
    assert len(rows) == 9
    assert rows["1994-11-01"]["attested"] == 0
    assert rows["1999"]["unattested"] == 0
    assert rows["2002-07-25"]["follows"] == "1999"
    assert all(row["attested"] + row["unattested"] == row["clauses"] and row["source"] for row in rows.values())
    assert "an excerpt: 9.14" in titm("editions").stdout


def test_editions_of_a_date(titm):
    [row] = json.loads(titm("editions", "1997-05-01", "--json").stdout)
    assert row["edition"] == "1997-03-01"
    done = titm("editions", "1990-01-01")
    assert done.exit_code == 2
    assert "no rules are in force on 1990-01-01" in done.stderr


def test_owned_rules_take_only_later_sheets(titm):
    asked = ("editions", "--owned", "1996-11-01", "--sheets", "1996-11-01,1997-08-20")
    told = json.loads(titm(*asked, "--json").stdout)
    assert (told["apply"], told["do_not_apply"]) == (["1997-08-20"], ["1996-11-01"])
    assert told["edition"] == "1996-11-01+1997-08-20"
    assert "apply: 1997-08-20" in titm(*asked).stdout
    last_of_the_smaller_side = ("check", BATTLE, *QUESTION, "allocation=d1>a1,d2>a3", "--edition")
    assert titm(*last_of_the_smaller_side, "1996-11-01").exit_code == 1
    assert titm(*last_of_the_smaller_side, told["edition"]).exit_code == 0


def test_a_number_is_that_of_its_edition(titm):
    then = json.loads(titm("clauses", "9.54", "--edition", "1996-11-01", "--json").stdout)
    now = json.loads(titm("clauses", "9.54", "--edition", "1999", "--json").stdout)
    assert [row["clause"] for row in then] == ["9.57a", "9.57b", "9.57c", "9.57d", "9.57e"]
    assert [row["clause"] for row in now] == ["9.54a", "9.54b", "9.54c"]
    assert {(row["number"], row["edition"], row["attested"]) for row in then} == {("9.54", "1996-11-01", True)}
    assert "9.57a (as 9.54)" in titm("clauses", "9.54", "--edition", "1996-11-01").stdout
    assert "carried back" in titm("clauses", "8.22", "--edition", "1996-11-01").stdout


def test_history_of_a_clause(titm):
    [rows] = json.loads(titm("clauses", "9.57a", "--history", "--json").stdout).values()
    numbers = {row["edition"]: row["number"] for row in rows}
    assert (numbers["1994-11-01"], numbers["1997-03-01"], numbers["1998-01-15"]) == (None, "9.54", "9.57")
    assert [row["edition"] for row in rows if not row["attested"]] == ["1994-11-01", "1996-08-01"]
    shown = titm("clauses", "9.57a", "--history").stdout
    assert "restates" in shown
    assert "carried back" in shown


def test_history_of_a_clause_of_one_sheet(titm):
    [rows] = json.loads(titm("clauses", "1997:9.59", "--history", "--json").stdout).values()
    assert [row["edition"] for row in rows] == ["1997-08-20", "1998-01-15"]
    assert titm("clauses", "77.7", "--history").exit_code == 2


def test_every_edition_a_line_and_a_mark_where_it_changes(titm, weak):
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--edition", "all")
    rows = json.loads(titm(*asked, "--json").stdout)
    assert [row["edition"] for row in rows if row["changed"]] == ["1998-01-15", "1999"]
    assert {row["edition"]: row["outcome"] for row in rows}["1998-01-15"] == "legal"
    done = titm(*asked)
    assert done.exit_code == 3
    assert "* changes in 1998-01-15, 1999" in done.stdout
    assert len(rows[0]["assumed"]) > len(rows[4]["assumed"]) > len(rows[6]["assumed"]) == 0


def test_every_edition_that_agrees_gives_their_exit_code(titm):
    done = titm("check", BATTLE, *QUESTION, "allocation=d1>a3,d2>a2", "--edition", "all")
    assert (done.exit_code, "the same in every edition" in done.stdout) == (1, True)


def test_an_edition_that_cannot_be_asked_says_why(titm, weak):
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--edition", "all", "--reading", "R7=in-force")
    rows = {row["edition"]: row for row in json.loads(titm(*asked, "--json").stdout)}
    assert rows["1999"]["error"] == "unknown reading `R7`"
    assert rows["1998-01-15"]["outcome"] == "legal"


def test_under_all_readings_it_may_depend(titm, weak):
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--edition", "1998-06-01")
    assert titm(*asked).exit_code == 0
    done = titm(*asked, "--readings", "all")
    assert done.exit_code == 3
    assert "It depends on the reading" in done.stdout
    assert json.loads(titm(*asked, "--readings", "all", "--json").stdout)["deciding"] == [{"R1": "coverage-first"}]
    assert titm(*asked, "--readings", "all", "--reading", "R1=absolute").exit_code == 0


def test_readings_takes_all_only(titm, weak):
    done = titm("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--readings", "R1")
    assert done.exit_code == 2
    assert "--reading NAME=CHOICE" in done.stderr


def test_overlay_on_the_command_line(titm, weak, tmp_path):
    path = tmp_path / "free.rules"
    path.write_text('add clause my:1 "Free fire" "Coverage is off."\n  lifts 9.54b in fire when who is defender.\n')
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1")
    assert titm(*asked).exit_code == 1
    assert titm(*asked, "--overlay", path).exit_code == 0
    assert "house:3" in titm("clauses", "--overlay", "divisional-integrity", "--json").stdout
    done = titm(*asked, "--overlay", "nothing.rules")
    assert done.exit_code == 2
    assert "unknown overlay `nothing.rules`" in done.stderr


def test_a_faulty_overlay_is_shown_with_its_place(titm, weak, tmp_path):
    path = tmp_path / "bad.rules"
    path.write_text("delete 9.57a.\n", encoding="utf-8")
    done = titm("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--overlay", path)
    assert done.exit_code == 2
    assert "clause 9.53a names 9.57a, which was deleted" in done.stderr
    assert f"see also: {path}:1:8" in done.stderr
