"""`titm legal`, `clauses`, `lint`, `fmt`, `conform`: what they print and how they end."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from titm_rules.editions.clause_index import natural_key

from .conftest import ROOT, SCENARIOS, SHIPPED_CASES

RAMBROUCH = SCENARIOS / "road-to-rambrouch" / "position.yaml"
BATTLE = SCENARIOS / "combat-of-1999" / "battle.yaml"


# ---------------------------------------------------------------------- legal
def test_legal_counts_what_it_lists_and_stops_at_the_limit(titm):
    answer = json.loads(titm("legal", RAMBROUCH, "--limit", 2, "--json").stdout)["answer"]
    assert len(answer["actions"]) == 2 < answer["count"]
    assert "more than 2" in titm("legal", RAMBROUCH, "--limit", 2).stderr
    listed = json.loads(titm("legal", RAMBROUCH, "--limit", 10_000, "--json").stdout)["answer"]
    assert listed["count"] == len(listed["actions"])
    assert json.loads(titm("legal", RAMBROUCH, "--count", "--json").stdout)["answer"]["count"] == listed["count"]
    assert titm("legal", RAMBROUCH, "--count").stdout == f"{listed['count']}\n"


def test_legal_of_a_battle_lists_the_fire_of_both_sides_or_of_one_question(titm):
    lines = titm("legal", BATTLE).stdout.splitlines()
    assert "fire_allocations who=defender: d1>a1,d2>a3" in lines
    assert not any("d1>a3" in line for line in lines)
    assert titm("legal", BATTLE, "--count").stdout.strip() == str(len(lines))
    case = SCENARIOS / "second-artillery-counter" / "battle.yaml"
    told = json.loads(titm("legal", case, "artillery_targetings", "who=attacker", "n=2", "--json").stdout)
    assert (told["query"], told["input"]) == ("artillery_targetings", {"who": "attacker", "n": 2})
    assert told["answer"]["sequences"] == ["d1,d2", "d2,d1"]


def test_a_formation_is_each_of_its_pieces_which_may_part(titm):
    formation = titm("joint", "two-bridges", "G: 3 or 4", "--top", 3, "--json")
    stacks = [f"{name}: 3 or 4" for name in ("g-tank", "g-mech", "g-foot", "g-eng")]
    pieces = titm("joint", "two-bridges", *stacks, "--top", 3, "--json")
    assert json.loads(formation.stdout)["answer"] == json.loads(pieces.stdout)["answer"]
    assert json.loads(formation.stdout)["answer"]["plans"]
    assert "`9 Pz`" in titm("joint", "two-bridges", "9 Pz: 3").stderr


# ---------------------------------------------------------------------- clauses
def test_a_clause_shows_its_place_its_grade_and_the_tests_in_which_it_decides(titm):
    [record] = json.loads(titm("clauses", "8.26", "--json").stdout)
    assert (record["clause"], record["excepts"], record["grade"]) == ("8.26", ["8.37"], "decisive")
    path, line = record["at"].rsplit(":", 1)
    assert (ROOT / path).read_text(encoding="utf-8").splitlines()[int(line) - 1].startswith('clause 8.26 "')
    assert record["tests"][0].startswith("8.26 ")
    assert record["tests"][0] in titm("clauses", "8.26").stdout
    assert "decisive" in titm("clauses", "--chapter", 7).stdout


def test_chapters_are_listed_in_the_reader_s_order(titm):
    numbers = [record["clause"] for record in json.loads(titm("clauses", "--chapter", 8, "--json").stdout)]
    assert {number.split(".")[0] for number in numbers} == {"8"}
    assert numbers.index("8.2a") < numbers.index("8.21a") < numbers.index("8.31")
    ordered = ["8.33-major", "9.6", "9.6a", "9.57", "10.1"]
    assert sorted(sorted(ordered), key=natural_key) == ordered
    numbers = [record["clause"] for record in json.loads(titm("clauses", "--chapter", "S3", "--json").stdout)]
    assert numbers[0] == "S3"
    assert {number.split(".")[0] for number in numbers} == {"S3"}


def test_a_clause_that_refers_to_others_shows_what_theirs_show_and_one_that_decides_nothing_has_no_grade(titm):
    [mine] = json.loads(titm("clauses", "3.22e", "--json").stdout)
    [other] = json.loads(titm("clauses", "8.2b", "--json").stdout)
    assert (mine["sees"], mine["decides"]) == (["8.2b"], [])
    assert (mine["grade"], mine["tests"]) == (other["grade"], other["tests"])
    [record] = json.loads(titm("clauses", "1.0b", "--json").stdout)
    assert (record["grade"], record["tests"]) == (None, [])
    assert "tests in which" not in titm("clauses", "1.0b").stdout


def test_totals_count_kinds_and_grades_and_the_clauses_of_scenarios(titm):
    chapters = json.loads(titm("clauses", "--totals", "--json").stdout)
    seventh = ["7.1a", "7.1b", "7.1c", "7.2", "7.3"]
    assert chapters["7"] == {"formal": seventh, "see": [], "nothing": [], "lost": [], "missing": []} | dict.fromkeys(
        ("evaluated", "held", "decisive"), seventh
    )
    assert chapters["3"]["missing"] == []
    # 13.23.2 says again what other clauses say
    assert set(chapters["13"]["held"]) - set(chapters["13"]["decisive"]) == {"13.23.2"}
    row = next(line for line in titm("clauses", "--totals").stdout.splitlines() if line.split()[:1] == ["7"])
    assert row.split() == ["7", "5", "5", "0", "0", "5", "5", "5", "0", "0"]
    assert [name for name, chapter in chapters.items() if chapter["missing"]] == []
    assert {"S1.sr2", "S1.v6"} <= set(chapters["S1"]["decisive"])
    assert chapters["S1"]["see"] == ["S1"]
    assert "S1.map" in chapters["S1"]["nothing"]
    # with few points the campaign knows the same level
    assert set(chapters["S2"]["formal"]) - set(chapters["S2"]["decisive"]) == {"S2.v5"}


@pytest.mark.parametrize(("number", "why", "fix"), [
    ("13", "the source lacks all text", "`titm clauses --totals` counts what the source lacks"),
    ("24", "it is a note, and decides nothing", "its parts: 24.1, 24.2, 24.3.advance"),
    ("5.3.forrest", "", "did you mean `5.3.forest`?"),
])  # fmt: skip
def test_a_clause_that_the_source_lacks_is_not_called_a_mistake(titm, number, why, fix):
    error = json.loads(titm("clauses", number, "--game", "bitterwoods", "--json").stdout)["error"]
    assert why in error.get("message", "")
    assert error["fix"].startswith(fix)


def test_totals_of_a_sheet_count_the_whole_book_and_keep_apart_what_is_lost(titm):
    chapters = json.loads(titm("clauses", "--totals", "--game", "bitterwoods", "--json").stdout)
    lost = [number for chapter in chapters.values() for number in chapter["lost"]]
    assert {"13", "crt", "17"} < set(lost)
    assert not any(chapter["missing"] for chapter in chapters.values())
    assert len(chapters["9"]["formal"]) > 20  # of the book that the sheet of answers follows
    newer = json.loads(titm("clauses", "--totals", "--edition", "2002-07-25", "--json").stdout)
    assert len(newer["8"]["formal"]) > 30


def test_a_clause_of_bitter_woods_shows_the_cases_in_which_it_decides(titm):
    assert "conformance: E1-infantry-leaves-0812" in titm("clauses", "5.3.forest", "--game", "bitterwoods").stdout


def test_a_clause_of_a_scenario_is_listed_with_its_file_and_its_grade(titm):
    [record] = json.loads(titm("clauses", "S1.sr2", "--json").stdout)
    path, line = record["at"].rsplit(":", 1)
    assert path == "scenarios/titm/seventh-army/seventh-army.rules"
    assert (ROOT / path).read_text(encoding="utf-8").splitlines()[int(line) - 1].startswith('clause S1.sr2 "')
    assert (record["decides"], record["edition"], record["grade"]) == (["supply.end"], "seventh-army", "decisive")
    assert record["tests"][0].startswith("S1.sr2 ")
    assert "supply may not end" in record["text"]


# ---------------------------------------------------------------------- lint and fmt
def test_lint_of_what_ships_finds_nothing_and_takes_declarations_alone(titm, tmp_path):
    done = titm("lint", "--json")
    whole = json.loads(done.stdout)
    assert (done.exit_code, whole["checked"][0]["clauses"] > 200) == (0, True)
    one = json.loads(titm("lint", ROOT / "rulesets/titm/1999/08_movement.rules", "--json").stdout)
    assert one["checked"][0] in whole["checked"]
    # They lie on top of an edition, whose clauses say what its routes cost.
    path = tmp_path / "mine.rules"
    path.write_text("define flag rested of u: unit on position default yes.\n", encoding="utf-8")
    done = titm("lint", path)
    assert done.exit_code == 0, done.stderr
    assert "with mine: " in done.stdout
    path.write_text('replace clause 10.15 "Chance" "Building succeeds on 1-6." construction succeeds on 6.\n', "utf-8")
    told = f"note: {path}:1:16: clause 10.15 says nothing about `build-bridge.effects` any more\n"
    assert titm("lint", path).stdout.startswith(told)
    assert len(json.loads(titm("lint", path, "--json").stdout)["notes"]) == 1


def test_lint_shows_every_fault_with_its_place(titm, tmp_path):
    unknown, wrong = "move may not step when the rod of way is nothing.", "move may not stepp."
    path = tmp_path / "bad.rules"
    path.write_text(f'clause 8.38 "A" "B."\n  {unknown}\nclause 8.39 "C" "D."\n  {wrong}\n', encoding="utf-8")
    done = titm("lint", path, "--json")
    assert done.exit_code == 2
    error = json.loads(done.stdout)["error"]
    assert error["more"] == str(len(error["others"]))
    assert {error["at"].removeprefix(f"{path}:").split(":")[0] for error in (error, *error["others"])} == {"2", "4"}
    assert str(path) in titm("lint", path).stderr


def test_fmt_check_then_fmt(titm, tmp_path):
    path = tmp_path / "one.rules"
    path.write_text('clause   8.38 "A"\n "B."\n move   may not step.\n', encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    for more, code, is_old in ((["--check"], 1, True), ([], 0, False), (["--check"], 0, False)):
        assert titm("fmt", path, *more).exit_code == code
        assert (path.read_text(encoding="utf-8") == before) is is_old


# ---------------------------------------------------------------------- conform
def test_conform_counts_and_passes(titm):
    done = titm("conform", "--edition", "1999", "--json")
    tally = json.loads(done.stdout)
    assert (done.exit_code, tally["failed"]) == (0, [])
    assert {name: count for name, count in tally["queries"]["check_path"].items() if count} == {"passed": 15}
    assert sum(sum(row.values()) for row in tally["queries"].values()) == tally["cases"]


def test_conform_fails_on_a_wrong_expectation_and_where_there_are_no_cases(titm, tmp_path):
    lines = (SHIPPED_CASES).read_text(encoding="utf-8").splitlines()
    case = next(case for case in map(json.loads, lines) if case["id"] == "example-move-direct-1999")
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({**case, "expected": {"cost": 6}}) + "\n", encoding="utf-8")
    done = titm("conform", path)
    assert (done.exit_code, "failed: example-move-direct-1999" in done.stdout) == (1, True)
    path.write_text(json.dumps({**case, "edition": "1066"}) + "\n", encoding="utf-8")
    done = titm("conform", path)
    assert (done.exit_code, "1 not answered" in done.stdout) == (0, True)
    for text in ("", "{}\n", "nothing\n", "[]\n"):
        path.write_text(text, encoding="utf-8")
        assert titm("conform", path).exit_code == 2


STRANGE = Path(__file__).resolve().parents[1] / "conformance" / "strange_referee.py"
FORD = ("conform", "--game", "cold-ford", "--against")


def referee(mode):
    return shlex.join([sys.executable, str(STRANGE), mode])


def test_conform_against_another_program(titm, tmp_path):
    report = tmp_path / "report.json"
    done = titm(*FORD, referee("honest"), "--report", report)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "8 passed, 0 failed, 0 not answered")
    told = json.loads(report.read_text(encoding="utf-8"))
    assert (told["of"], told["version"], told["complies"]) == (referee("honest"), "1.0.0", True)
    assert [chapter["chapter"] for chapter in told["chapters"]] == ["3", "5", "6", "8"]
    assert told["chapters"][0]["clauses"]["3.6"]["passed"] == 1


def test_conform_against_a_wrong_program_tells_the_clauses(titm, tmp_path):
    report = tmp_path / "report.md"
    done = titm(*FORD, referee("trusts-records"), "--report", report)
    assert "failed: record-the-ford-3.6 (3-3 A record stops at: Once): `legal` differs" in done.stdout
    page = report.read_text(encoding="utf-8")
    assert (done.exit_code, "8 cases: 6 passed, 2 failed. It does not comply." in page) == (1, True)
    assert "| 3.6 |  | 1 |  |  |  |" in page
    assert "- **3-3 A record stops at: Once** (1, `replay`, clauses 3.6):\n  failed, `legal` differs" in page


def test_conform_against_a_program_that_gives_no_answer(titm):
    done = titm(*FORD, referee("crashes"))
    assert (done.exit_code, done.stdout.count("no answer: ")) == (1, 3)
    assert "(exit code 3): IndexError: no such bridge" in done.stdout
    assert "0 passed, 0 failed, 0 not answered, 3 no answer, 5 not asked" in done.stdout
    assert done.stdout.splitlines()[-1] == "(not asked: no case was asked after 3 in a row had no answer)"


def test_house_rules_named_by_a_path_from_here_are_shown_and_compared(titm, tmp_path, monkeypatch):
    (tmp_path / "mud.rules").write_text('add clause my:1 "Mud" "All is slow."\n  move costs 1.\n')
    monkeypatch.chdir(tmp_path)
    shown = titm("clauses", "my:1", "--overlay", "mud.rules")
    compared = titm("diff", "1999", "1999", "--overlay", "mud.rules")
    assert (shown.exit_code, compared.exit_code) == (0, 1)
    assert all(text in shown.output for text in ("mud.rules:1", "move costs 1."))
    assert "my:1" in compared.output


def test_a_reading_is_shown_by_its_number_or_its_name(titm):
    shown = titm("clauses", "R54").stdout
    assert "marker-counts: yes, it bears the marker (default, because" in shown
    assert "clauses that ask for it: 10.14a, 10.29" in shown
    assert titm("clauses", "standing-aside").stdout == shown
    assert json.loads(titm("clauses", "R17", "--json").stdout)[0]["choices"]["no-oos-destination"] == "no"
