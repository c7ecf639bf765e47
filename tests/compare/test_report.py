"""The pages of differences are those that the search and the atlas make."""

from dataclasses import replace
from pathlib import Path

import pytest
from titm_rules.compare.all_pairs import AtlasPlan, gather_atlas, run_plan
from titm_rules.compare.results import (
    NOT_SEARCHED,
    PLAY,
    PROVED,
    SEARCHED,
    Counterexample,
    Evidence,
    Grade,
    QuestionResult,
    Search,
    atlas_page,
    brief,
    evidence,
    extent,
    joined,
    mark,
    pair_section,
    situation,
    told_outcome,
    verdict_table,
)
from titm_rules.compare.rule_pair import NARROWER, WIDER, DecidingSets
from titm_rules.editions.registry import list_editions
from titm_rules.formats.validate import with_defaults, without_defaults
from titm_rules.oracle.edition import Edition

ATLAS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "atlas.md"
LOST = (Grade((), {"9.42": "1996"}), Grade())
CARRIED = (Grade(("8.1",)), Grade())
HELD, NEVER = Evidence("+1", 0, True), Evidence("2", 0, False, 40)


@pytest.mark.parametrize(("result", "verdict", "marked"), [
    (QuestionResult("q", PROVED, proof="the same"), "equivalent", "="),
    (QuestionResult("q", PROVED, proof="the same", grades=CARRIED), "unknown", "?"),
    (QuestionResult("q", PROVED, proof="the same", grades=LOST), "unknown", "??"),
    (QuestionResult("q", SEARCHED, evidence=[HELD]), "equivalent", "="),
    (QuestionResult("q", SEARCHED, evidence=[HELD, NEVER]), "no evidence", "0"),
    (QuestionResult("q", SEARCHED, evidence=[NEVER], grades=LOST), "no evidence", "0"),
    (QuestionResult("q", SEARCHED, WIDER, evidence=[NEVER], grades=LOST), "wider", ">"),
    (QuestionResult("q", SEARCHED, NARROWER), "narrower", "<"),
    (QuestionResult("q", NOT_SEARCHED), "no evidence", "0"),
])  # fmt: skip
def test_a_verdict_says_no_more_than_is_known(result, verdict, marked):
    assert (result.verdict, mark(result)) == (verdict, marked)


def test_searches_of_one_matter_are_put_together():
    """The shorter line stays, and a clause that held anywhere has held."""
    one = QuestionResult("play", SEARCHED, found=[aimed("a", "b")], evidence=[Evidence("+1", 2, True), NEVER])
    other = QuestionResult(
        "play", SEARCHED, found=[aimed("a")], evidence=[Evidence("+1", 1, True), Evidence("2", 0, True)]
    )
    one.turn(True, False)
    other.turn(False, True)
    assert (one.verdict, other.verdict) == ("wider", "narrower")
    both = joined([one, other])
    assert both.verdict == "incomparable"
    assert [found.line for found in both.found] == [("a",)]
    assert both.evidence == [Evidence("+1", 3, True), Evidence("2", 0, True)]
    assert joined([one]).record() == one.record()


def aimed(*line):
    return Counterexample("battle", {}, {}, 0, 1, [], [], DecidingSets((("+1",),)), "duel", line)


AIMED = ("aim a", "halt")
FOUND = Counterexample(
    "battle", {"units": [{"id": "a"}]}, {"n": 1}, 2, 7, ["x"], [], DecidingSets((("+1",),)), "duel", AIMED
)
SHOWN = QuestionResult(
    "shots", SEARCHED, NARROWER, clauses=["1", "2"], searches=[Search("duel", 3, 1200)],
    evidence=[Evidence("+1", 5, True), NEVER], found=[FOUND],
)  # fmt: skip


def test_lines_and_sections_have_evidence_verdicts_and_situations():
    assert evidence(SHOWN) == "+1 decided in 5; 2 never held"
    assert extent(SHOWN) == "duel: up to size 3, 1,200 asked"
    assert extent(replace(SHOWN, searches=[Search("duel", -1, 1200)])) == "duel: no size finished, 1,200 asked"
    assert extent(QuestionResult("q", PROVED, proof="the same")) == "at any size: the same"
    text = pair_section("1998", "1999", [SHOWN, QuestionResult("alike", PROVED, proof="the same")])
    assert "Answered alike at any size, by the same clauses: alike." in text
    assert "| shots | narrower | duel: up to size 3, 1,200 asked | +1 decided in 5; 2 never held |" in text
    assert "| shots | +1 | 2 | units: a; asked: n 1; played: aim a, halt | x | none |" in text

    told = replace(FOUND, first={"march_spent": 3}, second={"units": {"g": {"moved": True, "place": None}}})
    text = pair_section("1998", "1999", [QuestionResult(PLAY, SEARCHED, NARROWER, found=[told])])
    assert "| march spent is 3 | g is marked as moved and has no place |" in text
    lost = pair_section("1994", "1996", [QuestionResult("calls", PROVED, proof="the same", grades=LOST)])
    assert "Not known, for a later sheet has changed clauses behind them: calls; 9.42 (1996)." in lost
    assert "equivalent" not in lost
    same = QuestionResult("shots", PROVED, proof="the same")
    text = verdict_table({("1998", "1999"): [SHOWN], ("1998", "2002"): [same]})
    assert "| 1998 | 1999 | `<` |\n| 1998 | 2002 | `=` |" in text
    assert text.endswith("1 shots.\n")


@pytest.mark.slow
def test_the_page_of_the_atlas_is_up_to_date(tmp_path):
    plan = AtlasPlan(tuple(info.name for info in list_editions()), most=(3, 3))
    run_plan(plan, tmp_path, -1, "loky")
    assert atlas_page(gather_atlas(plan, tmp_path)) == ATLAS.read_text(encoding="utf-8")


def test_situations_are_written_briefly_on_the_page_of_the_atlas():
    # Multisets of ten kinds, one to three on each side.
    side = 10 + 55 + 220
    text = ATLAS.read_text(encoding="utf-8")
    assert text.count(f"{side * side:,} situations") == 2
    assert all(info.name in text for info in list_editions())
    data = {
        "day": 17, "final": False, "roads": [], "map": None, "hill": {"id": "x", "of": "y"}, "lakes": [{"id": "l"}],
        "units": [{"id": "a", "size": 2, "moved": False}, {"id": "b", "size": 1, "moved": True}],
    }  # fmt: skip
    assert situation(data) == ["day: 17", "hill: x (of y)", "lakes: l", "units: a (size 2), b (size 1, moved yes)"]
    assert brief({"areas": [], "legal": True, "n": None}) == "areas none, legal yes, n none"


@pytest.mark.parametrize(("only", "told"), [
    ([], "nothing"),
    (["advance x xy", "halt"], "advance x xy; halt"),
    ({}, "nothing else"),
    ({"march_spent": 0}, "march spent is 0"),
    ({"battle_areas": []}, "no battle areas"),
    ({"battle_areas": ["x", "y"]}, "battle areas: x and y"),
    ({"special_forces": None}, "no special forces"),
    ({"special_forces": {"area": "x"}, "germans_have_moved": False}, "special forces: area x; germans have moved: no"),
    ({"units": {"f": {"moved": False, "stood_aside": False}}}, "f is not marked as moved or stood aside"),
    ({"units": {"f": {"moved": True, "place": "x"}}}, "f is marked as moved and has place x"),
    ({"units": {"g": {"place": None, "strength": 2}}}, "g has no place and strength 2"),
    ({"units": {"f": None, "g": {"place": "x"}}}, "no f; g has place x"),
])  # fmt: skip
def test_what_only_one_edition_makes_of_an_action_is_told_in_sentences(only, told):
    assert told_outcome(only) == told


def test_what_a_situation_leaves_out_is_its_default():
    """Two situations are compared with them: an edition that spends no points spends 0, and not nothing."""
    model = Edition("1999").model
    filled = with_defaults(model, "position", {"day": 17, "units": [{"id": "f", "moved": True}]})
    borders = {"zone_neighbours": [["A", "B"]]}  # which have no fields of their own
    assert with_defaults(model, "position", borders)["zone_neighbours"] == [["A", "B"]]
    assert filled["march_spent"] == 0
    assert [(unit["id"], unit["moved"], unit["attacked"]) for unit in filled["units"]] == [("f", True, False)]
    assert without_defaults(model, "position", filled) == {"day": 17, "units": [{"id": "f", "moved": True}]}
