"""`titm check`, `why`, `trace` and `demo`: verdicts in words, as JSON and as pictures."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from titm_rules.cli.draw import faults
from titm_rules.explain.verdict import Finding, Verdict
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.render.overlays import blocking

from .conftest import SCENARIOS, SHIPPED_CASES

DISPUTES = sorted((SCENARIOS / "disputes").glob("*.yaml"))
POCKET = SCENARIOS / "pocket-at-bastogne" / "position.yaml"
RAMBROUCH = SCENARIOS / "road-to-rambrouch" / "position.yaml"
LONG_WAY = ("check_path", "units=tank", "path=Mersch,Saeul,Redange,Rambrouch")


# ---------------------------------------------------------------------- check and why
def test_a_verdict_names_each_clause_once_and_those_who_may(titm):
    said = titm("check", "two-bridges, a-foot@5", "may_blow", "unit=g-tank", "bridge=2-4", "crossing=g-mech").stdout
    [rest] = [line for line in said.splitlines() if "also forbidden by" in line]
    assert rest.split(" (")[0].split()[3:] == ["10.22b,", "10.22c"]
    crossing = ("demolition_options", "bridge=1-3", "crossing=g-mech")
    assert titm("check", "two-bridges", *crossing).stdout.splitlines() == [
        "Who may blow the bridge 1-3 under g-mech, and up to which roll? a-foot (on 1 to 4). (1999)",
        "  by 10.29, 10.29-inf-unmoved",
    ]  # fmt: skip
    assert "  10.22c It must be adjacent to the bridge" in titm("why", "two-bridges", *crossing).stdout.splitlines()


def test_file_and_words_ask_the_same_and_json_holds_reasons_and_alternatives(titm):
    by_words = titm("check", RAMBROUCH, *LONG_WAY, "--json")
    by_file = titm("check", DISPUTES[2], "--json")
    assert json.loads(by_words.stdout) == json.loads(by_file.stdout)
    verdict = json.loads(titm("check", DISPUTES[1], "--json").stdout)
    assert (verdict["outcome"], verdict["answer"]) == ("illegal", {"legal": False})
    assert {f["clause"] for f in verdict["why"] if f["effect"] == "forbids" and f["holds"]} == {"8.33-unbridged"}
    assert verdict["nearest"]
    assert "8.33-unbridged" in verdict["sentence"]


def test_why_adds_restatements_and_exceptions(titm):
    short, long = titm("check", DISPUTES[13]), titm("why", DISPUTES[13])
    assert (short.exit_code, long.exit_code) == (0, 0)
    # the 3 points at a blown bridge stand instead of the road's cost
    assert "8.34b is an exception" in long.stdout
    assert "8.34b is an exception" not in short.stdout
    # the title stands beside the number, and is not told again before each amount
    lines = [line.strip() for line in long.stdout.splitlines()]
    assert "8.33-unbridged Unbridged river" in lines
    assert "Dasburg > Marnach: 3" in lines


def test_answer_that_turns_on_a_reading_names_it(titm, tmp_path):
    """Once every target has a shot, may foot fire at armor although foot is there too?"""
    battle = {
        "attacker": "German",
        "attackers": [{"id": f"a{n}", "kind": "foot", "strength": 2} for n in (1, 2, 3)],
        "defenders": [{"id": "d1", "kind": "foot", "strength": 2}, {"id": "d2", "kind": "armor", "strength": 2}],
    }
    path = tmp_path / "battle.json"
    path.write_text(json.dumps(battle), encoding="utf-8")
    question = (path, "fire_allocation_legal", "who=attacker", "allocation=a1>d1,a2>d2,a3>d2")
    assert "reading R2: strict-quality would change the answer" in titm("check", *question).stdout
    assert titm("check", *question, "--reading", "R2=first-round-only").exit_code == 0
    assert titm("check", *question, "--reading", "R2=strict-quality").exit_code == 1


@pytest.mark.parametrize(("outcome", "code"), [("legal", 0), ("answered", 0), ("illegal", 1), ("depends", 3)])
def test_exit_code_is_the_outcome_s(titm, monkeypatch, outcome, code):
    verdict = Verdict("check_path", "1999", outcome, {}, deciding=({"R2": "strict-quality"},))
    monkeypatch.setattr(Edition, "verdict", lambda *_: verdict)
    assert titm("check", DISPUTES[0]).exit_code == code


# ---------------------------------------------------------------------- trace
def test_trace_names_the_blocker_or_shows_the_route_and_draws_it(titm, tmp_path):
    out = tmp_path / "new folder" / "trace.svg"
    done = titm("trace", POCKET, "tank", "--at", "Moircy", "-o", out)
    assert done.exit_code == 1
    assert "13.12a" in done.stdout
    assert "ustank" in done.stdout
    svg = ElementTree.parse(out).getroot()
    assert "tank at Moircy" in (svg.findtext("{http://www.w3.org/2000/svg}title") or "")
    done = titm("trace", POCKET, "tank", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["witness"]["route"] == ["Nives", "Fauvillers", "Martelange", "C"]
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = titm("trace", POCKET, "tank", "-o", tmp_path / "file" / "trace.svg")
    assert done.exit_code == 2
    assert "cannot write" in done.stderr


@pytest.mark.parametrize(
    "layout", ["[1, 2]", "{Nives: [1]}", "{Nives: [x, 1]}", "{Nives: [.nan, 1]}", "{Nives: [true, 1]}"]
)
def test_layout_that_is_none_is_bad_input(titm, tmp_path, layout):
    text = POCKET.read_text(encoding="utf-8")
    path = tmp_path / "case.yaml"
    path.write_text(text[: text.index("layout:")] + f"layout: {layout}\n", encoding="utf-8")
    assert titm("trace", path, "tank", "-o", tmp_path / "out.svg").exit_code == 2


def test_terms_are_followed_through_definitions_and_what_blocks_is_what_would_have_to_change():
    model = Edition().model
    basis = dependencies_of(model).of_question(model.questions["supplied"])
    assert {"in-supply", "supply.step"} <= basis.heads
    assert basis.forms == {"supply"}
    finding = Finding("1.1", "t", "s", "1999", True, "forbids", "", "m", ("u1", "u2"))
    verdict = Verdict("supplied", "1999", "illegal", {}, (finding,))
    assert blocking(verdict) == {"u1", "u2"}
    nearest = {"changes": [{"place": "X", "because": ["u2"], "much": 3}]}
    assert blocking(Verdict("supplied", "1999", "illegal", {}, (finding,), nearest=nearest)) == {"X", "u2"}


# ---------------------------------------------------------------------- demo
def test_demo_decides_every_dispute_as_the_examples_do_and_fails_if_one_is_another(titm, tmp_path):
    done = titm("demo", "-o", tmp_path, "--json")
    assert done.exit_code == 0
    records = json.loads(done.stdout)
    assert len(records) == len(DISPUTES)
    assert [r["dispute"] for r in records if r["faults"]] == []
    illegal = [r["verdict"] for r in records if r["verdict"]["outcome"] == "illegal"]
    assert illegal
    assert any(verdict["nearest"].get("legal_route") for verdict in illegal)
    pictures = [Path(r["picture"]) for r in records if r["picture"]]
    assert len(pictures) == len(list(tmp_path.glob("*.svg"))) == 3
    assert all(ElementTree.parse(picture).getroot() is not None for picture in pictures)
    done = titm("demo", "-o", tmp_path)  # in words
    assert done.exit_code == 0
    for path in DISPUTES:
        notes = open_case(path, Rules()).notes
        assert notes["question"] in done.stdout
        assert all(clause in done.stdout for clause in notes["expected"].get("clauses", ()))
    assert f"{len(DISPUTES)} of {len(DISPUTES)} disputes" in done.stdout
    verdict = Verdict("check_path", "1999", "illegal", {"legal": False})
    assert [*faults(verdict, {"outcome": "illegal", "answer": {"legal": False}})] == []
    assert [*faults(verdict, {"outcome": "legal", "answer": {"legal": False}})] == ["expected legal, got illegal"]
    assert [*faults(verdict, {"outcome": "illegal", "answer": {"cost": 2}})] == ["expected cost 2, got None"]
    assert [*faults(verdict, {"outcome": "illegal", "answer": {}, "clauses": ["8.38"]})] == ["not cited: 8.38"]


def test_disputes_use_the_positions_of_the_conformance_cases():
    """Every dispute but those that change their base asks of a position that a case holds too."""
    lines = (SHIPPED_CASES).read_text(encoding="utf-8").splitlines()
    known = [case["input"] for case in map(json.loads, lines)]
    for path in DISPUTES:
        case = open_case(path, Rules())
        assert any(inputs.get(case.situation) == case.data for inputs in known), path.name


def test_an_answer_names_what_a_later_sheet_has_revised(titm):
    """9.42 is given anew by the sheet of November 1996; what it said before is lost."""
    battle = SCENARIOS / "combat-of-1999" / "battle.yaml"
    asked = (battle, "artillery_calls", "--edition", "1996-08-01")
    told = json.loads(titm("check", *asked, "--json").stdout)
    assert told["revised"]["9.42a"] == "1996-11-01"
    assert "later revised; the original wording is lost" in titm("why", *asked).stdout
    assert "revised" not in json.loads(titm("check", battle, "artillery_calls", "--json").stdout)
