"""Editions, histories, house rules and readings on the command line."""

import json
import re

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.editions.clause_index import clause_histories
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import edition_on
from titm_rules.oracle.all_editions import Subject, ask_every
from titm_rules.oracle.case import Rules

from tests.builders import battle

from .conftest import SCENARIOS

BATTLE = SCENARIOS / "combat-of-1999" / "battle.yaml"
QUESTION = ("fire_allocation_legal", "who=defender")


@pytest.fixture
def weak(tmp_path):
    path = tmp_path / "weak.json"
    path.write_text(json.dumps(battle("foot 4, foot 1", "foot 2, foot 2")), encoding="utf-8")
    return path


def test_editions_are_listed_with_sources_counts_and_dates(titm):
    rows = {row["edition"]: row for row in json.loads(titm("editions", "--json").stdout)}
    assert len(rows) == 9
    assert rows["1994-11-01"]["attested"] == 0
    assert rows["1999"]["unattested"] == 0
    assert rows["2002-07-25"]["follows"] == "1999"
    assert all(row["attested"] + row["unattested"] == row["clauses"] and row["source"] for row in rows.values())
    [row] = json.loads(titm("editions", "1997-05-01", "--json").stdout)
    assert row["edition"] == "1997-03-01"


def test_owned_rules_take_only_later_sheets(titm):
    asked = ("editions", "--owned", "1996-11-01", "--sheets", "1996-11-01,1997-08-20")
    told = json.loads(titm(*asked, "--json").stdout)
    assert (told["apply"], told["do_not_apply"]) == (["1997-08-20"], ["1996-11-01"])
    assert told["edition"] == "1996-11-01+1997-08-20"
    assert "apply: 1997-08-20" in titm(*asked).stdout
    last_of_the_smaller_side = ("check", BATTLE, *QUESTION, "allocation=d1>a1,d2>a3", "--edition")
    assert titm(*last_of_the_smaller_side, "1996-11-01").exit_code == 1
    assert titm(*last_of_the_smaller_side, told["edition"]).exit_code == 0
    told = json.loads(titm("editions", "--owned", "1997-05-01", "--json").stdout)
    assert told["edition"] == "1997-03-01+1997-08-20+1998-01-15"


def test_a_number_is_that_of_its_edition(titm):
    then = json.loads(titm("clauses", "9.54", "--edition", "1996-11-01", "--json").stdout)
    now = json.loads(titm("clauses", "9.54", "--edition", "1999", "--json").stdout)
    assert [row["clause"] for row in then] == ["9.57a", "9.57b", "9.57c", "9.57d", "9.57e"]
    assert [row["clause"] for row in now] == ["9.54a", "9.54b", "9.54c"]
    assert {(row["number"], row["edition"], row["attested"]) for row in then} == {("9.54", "1996-11-01", True)}
    assert "9.57a (as 9.54)" in titm("clauses", "9.54", "--edition", "1996-11-01").stdout
    assert "carried back" in titm("clauses", "8.22", "--edition", "1996-11-01").stdout


def test_a_clause_under_a_number_of_its_own_says_where_it_is_printed(titm):
    shown = titm("clauses", "9.57b", "8.33-major", "S2.sr5", "8.22").stdout
    said = [line for line in shown.splitlines() if line.startswith("printed in ")]
    assert said == [
        "printed in 9.54 (1996-11-01), 9.57 (1998-01-15), 9.57 (1999)", "printed in 8.33 (1999)",
        "printed in scenario page 10 (1999)",
    ]  # fmt: skip


def test_the_history_of_a_clause_has_its_numbers_and_whole_paths(titm):
    [rows] = json.loads(titm("clauses", "9.57a", "--history", "--json").stdout).values()
    numbers = {row["edition"]: row["number"] for row in rows}
    assert (numbers["1994-11-01"], numbers["1997-03-01"], numbers["1998-01-15"]) == (None, "9.54", "9.57")
    assert [row["edition"] for row in rows if not row["attested"]] == ["1994-11-01", "1996-08-01"]
    shown = titm("clauses", "9.57a", "--history").stdout
    assert "restates" in shown
    assert "revised on 1996-11-01" in shown
    shown = titm("clauses", "9.46b", "--history", env={"COLUMNS": "80"}).stdout.splitlines()
    [rows] = json.loads(titm("clauses", "9.46b", "--history", "--json").stdout).values()
    assert "".join(line.split()[-1] for line in shown[2:4]) == rows[0]["at"]
    [rows] = json.loads(titm("clauses", "1997:9.59", "--history", "--json").stdout).values()
    assert [row["edition"] for row in rows] == ["1997-08-20", "1998-01-15"]
    # 9.54 of 1996 is 9.57 of 1999, and 9.54 of 1999 is another rule
    assert {"9.54a", "9.54b", "9.57a", "9.57e"} <= set(
        json.loads(titm("clauses", "9.54", "--history", "--json").stdout)
    )


def test_every_edition_a_line_and_a_mark_where_it_changes(titm, weak):
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--edition", "all")
    told = json.loads(titm(*asked, "--json").stdout)
    assert (told["ok"], told["changes"]) == (True, ["1998-01-15", "1999"])
    assert told["outcome"]["1998-01-15"] == "legal"
    assert told["answer"]["1998-01-15"] == {"legal": True}
    done = titm(*asked)
    assert done.exit_code == 3
    assert "* changes in 1998-01-15, 1999" in done.stdout
    assumed = [len(one) for one in told["assumed"].values()]
    assert assumed[0] > assumed[4] > assumed[6] == 0


def test_readings_that_an_edition_lacks_or_that_all_decide(titm, weak):
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--edition", "all", "--reading", "R7=in-force")
    told = json.loads(titm(*asked, "--json").stdout)
    assert (told["outcome"]["1999"], told["without"]["1999"]) == ("illegal", ["R7"])
    assert told["outcome"]["1998-01-15"] == "legal"
    assert "1998-01-15" not in told["without"]
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--edition", "1998-06-01")
    assert titm(*asked).exit_code == 0
    done = titm(*asked, "--readings", "all")
    assert done.exit_code == 3
    assert "It depends on reading R1;" in done.stdout
    assert json.loads(titm(*asked, "--readings", "all", "--json").stdout)["deciding"] == [{"R1": "coverage-first"}]
    assert titm(*asked, "--readings", "all", "--reading", "R1=absolute").exit_code == 0


def test_overlays_on_the_command_line_count_and_faulty_ones_are_shown(titm, weak, tmp_path):
    path = tmp_path / "free.rules"
    path.write_text('add clause my:1 "Free fire" "Coverage is off."\n  lifts 9.55a in fire when who is defender.\n')
    asked = ("check", weak, *QUESTION, "allocation=d1>a1,d2>a1")
    assert titm(*asked).exit_code == 1
    assert titm(*asked, "--overlay", path).exit_code == 0
    assert "house:3" in titm("clauses", "--overlay", "divisional-integrity", "--json").stdout
    done = titm(*asked, "--overlay", "nothing.rules")
    assert done.exit_code == 2
    assert "unknown overlay `nothing.rules`" in done.stderr
    path = tmp_path / "bad.rules"
    path.write_text("delete 9.57b.\n", encoding="utf-8")
    done = titm("check", weak, *QUESTION, "allocation=d1>a1,d2>a1", "--overlay", path)
    assert done.exit_code == 2
    assert f"{path}:1:8: clause 9.53a names 9.57b, which was deleted" in done.stderr
    assert re.search(r"see also: \S*09_combat\.rules:\d+:\d+", done.stderr)


def test_old_numbers_find_their_clauses_and_one_that_a_later_sheet_words_anew_was_revised():
    old = {"10.25": "10.16a", "9.59": "1997:9.59", "9.12": "9.11a", "9.14": "9.17"}
    assert [one for one, now in old.items() if now not in clause_histories([one], load_model("1999").clauses)] == []
    rows = {row["edition"]: row["how"] for row in clause_histories(["9.46b"], load_model("1999").clauses)["9.46b"]}
    assert rows["1994-11-01"] == "revised on 1996-08-01"
    assert rows["1996-08-01"] == "restates"


def test_a_year_or_a_month_names_the_rules_of_the_time_or_is_refused():
    assert edition_on("1998") == edition_on("1998-01") == "1998-01-15"
    assert (edition_on("1999"), edition_on("2005"), edition_on("1997-05")) == ("1999", "2002-07-25", "1997-03-01")
    for date, says in (
        ("1996", "the rules changed more than once in 1996"), ("1998-13", "is not a date"),
        ("1990", "no rules are in force on 1990"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=says):
            edition_on(date)


def test_some_editions_are_asked_with_their_own_readings(weak):
    """1999 has R1 settled: the choice falls back there, and is marked."""
    words, rules = (
        ("fire_allocation_legal", "who=defender", "allocation=d1>a1,d2>a1"),
        Rules(readings={"R1": "coverage-first"}),
    )
    opinions = ask_every(Subject(weak), words, rules, editions=("1998-01-15", "1999"))
    assert [(one.edition, one.without) for one in opinions] == [("1998-01-15", ()), ("1999", ("R1",))]
    assert opinions[0].verdict is not None
    assert opinions[0].verdict.depends_on == {"R1": ("absolute",)}
    with pytest.raises(InputError, match="R77"):
        ask_every(Subject(weak), words, Rules(readings={"R77": "any"}), editions=("1998-01-15", "1999"))
