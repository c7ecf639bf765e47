"""Proofs about heads: what they claim is confirmed by a second solver, and contradicts no known difference."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from titm_rules.compare.counterexamples import MOST, PairRun, read_search
from titm_rules.compare.edition_diff import compared, reading_differences
from titm_rules.compare.monotone import Certificate, Comparison, Derivation
from titm_rules.compare.prove import (
    FREE,
    GAP,
    MISSING,
    ONE_ONLY,
    OPEN,
    OTHER_RULES,
    OTHERWISE,
    QuestionProof,
    _told,
    certificate,
    check_certificate,
    proof_section,
    prove_edition,
    prove_editions,
    prove_pair,
    repeat,
)
from titm_rules.compare.rule_pair import EQUIVALENT, NARROWER, WIDER, side_by_side
from titm_rules.compare.smt import Order
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.formats.file_schemas import CertificateFile

from tests.compare.test_hold_out import known
from tests.sampling import one_in

pytest.importorskip("z3")
pytest.importorskip("cvc5")

FORD = "cold-ford"
WOODS = 'replace clause 3.3 "Woods"\n  "{} points."\n  march costs {} when terrain of place-entered is wood.\n'
VILLAGES = "  march costs 0 when terrain of place-entered is village.\n"
OPEN_GROUND = (
    'replace clause 3.2 "Open ground and villages"\n  "One point."\n'
    "  march costs 1 when terrain of place-entered is one of ({}).\n"
)
STILL = 'add clause my:1 "Rest"\n  "Nobody marches on turn 3."\n  march may not step when turn is 3.\n'
COVER = (
    'replace clause 6.3 "Cover"\n  "In a wood or a village the target has 2 more."\n'
    "  defence is force of d + 2 when terrain of (place of d) is not open.\n"
)
LOOSER = (
    'replace clause 4.3 "Zones"\n  "On turn 1 anything goes."\n'
    "  march may not step when place-left is zoned against side of u and place-entered is zoned against\n"
    "    side of u and turn is not 1.\n"
)


def proofs_of(tmp_path, text):
    sheet = tmp_path / "sheet.rules"
    sheet.write_text(text, encoding="utf-8")
    return prove_pair(side_by_side(compared("", "", (str(sheet),), "cold-ford").pair))


@pytest.mark.parametrize(("text", "head", "relation"), [
    (OPEN_GROUND.format("open, village"), "march.cost", EQUIVALENT),
    (WOODS.format("3", "3"), "march.cost", NARROWER),
    (WOODS.format("1", "1"), "march.cost", WIDER),
    (OPEN_GROUND.format("open") + VILLAGES + WOODS.format("3", "3"), "march.cost", OPEN),
    (STILL, "march.step", NARROWER),
    (LOOSER, "march.step", WIDER),
    (STILL + LOOSER, "march.step", OPEN),
])  # fmt: skip
def test_a_head_is_equal_narrower_or_wider_for_all_facts(tmp_path, text, head, relation):
    proofs = proofs_of(tmp_path, text)
    assert {one.head: one.relation for one in proofs.heads} == {head: relation}
    claims = list(repeat(proofs.problems()))
    assert all(claims)
    assert len(claims) == {EQUIVALENT: 2, OPEN: 0}.get(relation, 1)


POINTLESS = (
    'replace clause 1.3 "What a hex costs"\n  "Who has no points pays 1 in woods."\n'
    "  move costs 1 when terrain of place-entered is clear or allowance of u is 0.\n"
    "  move costs 2 when terrain of place-entered is woods and allowance of u is more than 0.\n"
)
ALWAYS = 'always on position for each u in units: allowance of u is at least 1 says "{u} has no points".\n'
ELSEWHERE = 'always on position: side-to-move is red or number of units is 0 says "{side-to-move} has units".\n'


@pytest.mark.parametrize(("always", "relation"), [(ALWAYS, EQUIVALENT), (ELSEWHERE, WIDER), ("", WIDER)])
def test_what_always_holds_is_assumed(tmp_path, monkeypatch, always, relation):
    """Who has no points differs, and what always holds of all units says that nobody is so."""
    write_skeleton("skirmish", tmp_path)
    with (tmp_path / "skirmish" / "game.rules").open("a", encoding="utf-8") as file:
        file.write(always)
    monkeypatch.setenv("TITM_RULES_GAMES", str(tmp_path))
    (tmp_path / "sheet.rules").write_text(POINTLESS, encoding="utf-8")
    overlay = (str(tmp_path / "sheet.rules"),)
    proofs = prove_pair(side_by_side(compared("", "", overlay, str(tmp_path / "skirmish")).pair))
    assert {one.head: one.relation for one in proofs.heads} == {"move.cost": relation}
    assert proofs.questions["reachable"].relation == relation
    claims = list(repeat(proofs.problems()))
    assert claims
    assert all(claims)


def test_a_question_whose_heads_are_equal_is_answered_alike(tmp_path):
    """The clauses differ, but for a terrain there are three values, and both name the same two."""
    assert proofs_of(tmp_path, OPEN_GROUND.format("open, village")).questions["reachable"].relation == EQUIVALENT


@pytest.mark.parametrize(("text", "question", "relation", "lemma"), [
    (STILL, "reachable", NARROWER, "march, asked for ends fewer, and never cheaper (route)"),
    (WOODS.format("1", "1"), "reachable", WIDER, "march, asked for ends no fewer, and never dearer (route)"),
    (STILL, "check_path", NARROWER, "march, asked for path fewer, and never cheaper (path)"),
    (STILL + LOOSER, "reachable", OPEN, ""),
    (STILL, "attack_odds", EQUIVALENT, ""),
])  # fmt: skip
def test_bars_and_prices_make_the_answers_of_a_question_narrower_or_wider(tmp_path, text, question, relation, lemma):
    proof = proofs_of(tmp_path, text).questions[question]
    assert (proof.relation, bool(proof.open)) == (relation, relation == OPEN)
    assert lemma in proof.chain or not lemma


def test_values_that_may_refute_a_claim_are_possible_only(tmp_path):
    [proof] = proofs_of(tmp_path, STILL).heads
    assert "turn: 3" in proof.possible


def test_the_clauses_of_a_head_are_those_that_differ(tmp_path):
    heads = {one.head: one.clauses for one in proofs_of(tmp_path, STILL + WOODS.format("3", "3")).heads}
    assert heads == {"march.step": ["my:1"], "march.cost": ["3.3"]}


def test_values_are_named_and_each_fact_is_told_once(tmp_path):
    [proof] = proofs_of(tmp_path, WOODS.format("3", "3")).heads
    assert "terrain of place-entered: wood" in proof.possible
    pair = side_by_side(compared("1998-01-15", "1999").pair)
    unlike = [one.name for one in reading_differences(pair)]
    possible = Comparison(pair.first, pair.second, unlike).head("artillery.behind-9.46b").possible
    assert "some _other in targets of who ...: no in 1998-01-15 or yes in 1999" in possible


def test_what_is_given_in_the_same_cases_is_not_called_open():
    assert _told(Derivation("fire.factor", Order.LACKS | Order.KEEPS, "solver")) == (
        "fire.factor nothing where it was nothing, something where it was something (solver)"
    )


def test_the_page_names_what_is_proved_of_its_verdicts():
    marks = {("a", "b"): {"reachable": "<", "supplied": "0", "play": "<>"}}
    supplied = QuestionProof("supplied", OPEN, open=("trace: only one edition has it",))
    text = proof_section(marks, {("a", "b"): {"reachable": QuestionProof("reachable", NARROWER), "supplied": supplied}})
    assert "| a | b | `<` |  |" in text
    assert "- 1 one-sided verdicts: 1 proved (1 narrower)." in text
    assert "| supplied | 1 | 0 | trace: only one edition has it |" in text


def test_an_open_question_is_searched_up_to_the_largest_size_that_is_finished(tmp_path):
    sheet = tmp_path / "sheet.rules"
    sheet.write_text(STILL + LOOSER, encoding="utf-8")
    pair = side_by_side(compared("", "", (str(sheet),), "cold-ford").pair)
    result = PairRun(pair, read_search("cold-ford"), each=True).exhaust(pair.second.questions["reachable"], 0.2)
    assert any(search.size is not None for search in result.searches)
    assert all(search.size is None or search.size < MOST for search in result.searches)


def test_where_no_size_is_finished_that_has_worlds_others_are_drawn(tmp_path):
    """The smallest worlds of Cold Ford have size 9, and the first of them no terrain but open ground."""
    sheet = tmp_path / "sheet.rules"
    sheet.write_text(COVER, encoding="utf-8")
    pair = side_by_side(compared("", "", (str(sheet),), FORD).pair)
    result = PairRun(pair, read_search(FORD), each=True).exhaust(pair.second.questions["attack_odds"], 3)
    assert [search.is_finished for search in result.searches if search.size is not None] == [False]
    assert {str(found.cause) for found in result.found} == {"6.3"}
    assert result.relation != EQUIVALENT


@pytest.mark.parametrize("names", one_in(7, list(map(" ".join, pairwise(info.name for info in list_editions())))))
def test_no_known_difference_contradicts_a_proof(names):
    pair = tuple(names.split())
    proofs = prove_pair(side_by_side(compared(*pair).pair))
    changed = {change.query for _, where, change, _ in known() if where == pair}
    assert EQUIVALENT not in {proof.relation for name, proof in proofs.questions.items() if name in changed}
    assert all(repeat(proofs.problems()))
    assert all(one.certificates for one in proofs.heads if one.relation not in (OPEN, ONE_ONLY, "not compared"))


def test_an_edition_has_neither_conflict_nor_gap_and_false_claims_are_refused():
    proofs = prove_edition(load_model("1999"))
    relations = [one.relation for one in proofs.heads]
    assert relations.count(FREE) >= len(relations) - 2
    assert {one.claim for proof in proofs.heads for one in proof.certificates} >= {GAP}
    assert all(repeat(proofs.problems()))
    false = [replace(claim, smt2=without_claim(claim.smt2)) for claim in proofs.problems()]
    assert len(false) > 100
    assert not any(repeat(false))


def without_claim(text):
    """Leave out the last assertion, so that what is left can be satisfied."""
    return text[: text.rindex("(assert")] + "(check-sat)\n"


# ---------------------------------------------------------------------- certificates
@pytest.fixture
def kept(tmp_path):
    """A certificate of Cold Ford under a sheet, as it is read from its file."""
    (tmp_path / "sheet.rules").write_text(STILL, encoding="utf-8")
    editions = compared("", "", (str(tmp_path / "sheet.rules"),), FORD).editions
    return json.loads(json.dumps(certificate(editions, ["dry-feet"], prove_editions(editions, ["dry-feet"]))))


def refused(data):
    """Give what is not confirmed of a certificate."""
    return {claim: why for claim, why in check_certificate(CertificateFile.model_validate(data)) if why}


def test_a_certificate_is_written_anew_from_the_rules_that_it_names(kept):
    assert kept["count"] == len(kept["claims"]) > 1
    assert kept["heads"] == {"march.step": NARROWER}
    other_work = prove_edition(load_model("1", FORD))  # after which z3 numbers what it makes otherwise
    assert other_work.heads
    assert refused(kept) == {}


NOTHING = {"head": "march.cost", "claim": "equal", "smt2": "(assert false)(check-sat)"}


@pytest.mark.parametrize(("changed", "claim", "why"), [
    ({"claims": [NOTHING], "count": 1}, "1 march.cost: equal", OTHERWISE),
    ({"claims": [NOTHING], "count": 1}, "claim dry-feet: it never fails", MISSING),
    ({"heads": {}}, "march.step", OTHERWISE), ({"heads": {"march.step": EQUIVALENT}}, "march.step", OTHERWISE),
    ({"questions": {"reachable": [EQUIVALENT]}}, "reachable", OTHERWISE), ({"named": ["zones-stop"]}, "", OTHERWISE),
])  # fmt: skip
def test_what_the_rules_do_not_give_is_not_confirmed(kept, changed, claim, why):
    found = refused({**kept, **changed})
    assert (found[claim] if claim else next(iter(found.values()))) == why


def test_a_certificate_of_swapped_or_of_other_rules_is_not_confirmed(kept):
    first, second = kept["of"]
    assert OTHERWISE in refused({**kept, "of": [second, first], "named": []}).values()
    assert refused({**kept, "of": [first, {**second, "rules": first["rules"]}]}) == {"1 with sheet": OTHER_RULES}


def test_nothing_in_a_certificate_is_carried_out_that_was_not_written_here(kept, tmp_path):
    file = tmp_path / "victim.txt"
    file.write_text("kept", encoding="utf-8")
    for name in ("regular-output-channel", "diagnostic-output-channel"):
        hostile = {**NOTHING, "smt2": f'(set-option :{name} "{file}")(assert false)(check-sat)'}
        assert refused({**kept, "claims": [hostile], "count": 1})["1 march.cost: equal"] == OTHERWISE
    assert file.read_text(encoding="utf-8") == "kept"


def test_a_problem_that_cannot_be_read_is_no_proof():
    assert list(repeat([Certificate("h", "c", "(assert nonsense")])) == [False]


@pytest.mark.parametrize("changed", [
    {"format": 2}, {"claims": [], "count": 0}, {"claims": [{}]}, {"claims": ["x"]}, {"count": 1}, {"of": []},
    {"claims": [NOTHING, NOTHING], "count": 2},
])  # fmt: skip
def test_what_is_no_certificate_fits_no_schema(kept, changed):
    with pytest.raises(ValueError, match="CertificateFile"):
        CertificateFile.model_validate({**kept, **changed})
