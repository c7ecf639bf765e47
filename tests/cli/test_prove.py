"""`titm prove`: what it says of the claims of an edition."""

import json

import pytest

pytest.importorskip("z3")

FORD = ("prove", "1", "--game", "cold-ford")


def test_it_says_what_is_known_of_each_claim(titm, tmp_path):
    file = tmp_path / "certificate.json"
    result = titm(*FORD, "-o", file)
    assert result.exit_code == 1
    told = " ".join(result.output.split())  # a table breaks its lines
    assert "proved under every reading" in told
    assert "fails in: " in told
    assert "declared: no size finished; others drawn at random" in told
    assert {one["head"] for one in json.loads(file.read_text())["claims"]} >= {"claim dry-feet", "claim zones-stop"}


def test_one_claim_alone_decides_the_exit_code(titm):
    assert titm(*FORD, "--claim", "dry-feet").exit_code == 0
    result = titm(*FORD, "--claim", "short-marches", "--json")
    [claim] = json.loads(result.stdout)["claims"]
    assert (result.exit_code, claim["verdict"], claim["refutation"]) == (3, "open", None)
    assert sum(one["asked"] for one in claim["searches"]) > 100


def test_an_unknown_claim_is_refused(titm):
    result = titm(*FORD, "--claim", "dry-foot")
    assert result.exit_code == 2
    assert "did you mean `dry-feet`?" in result.output
    assert titm("prove", "1999", "2016-10-01", "--claim", "no-waiding").exit_code == 2


FAR = 'claim no-far "Nobody is supplied." on position takes u: unit: u is not in-supply.\n'


def test_claims_of_house_rules_are_checked(titm, tmp_path):
    (tmp_path / "far.rules").write_text(FAR, encoding="utf-8")
    result = titm(*FORD, "--overlay", tmp_path / "far.rules", "--claim", "no-far", "--json")
    assert [(one["claim"], one["verdict"]) for one in json.loads(result.stdout)["claims"]] == [("no-far", "refuted")]
    assert result.exit_code == 1
    result = titm(*FORD, "--overlay", tmp_path / "far.rules", "--json")
    assert {one["claim"] for one in json.loads(result.stdout)["claims"]} > {"no-far", "dry-feet"}


def test_a_certificate_is_checked_and_what_is_none_is_named(titm, tmp_path):
    file = tmp_path / "certificate.json"
    titm(*FORD, "--claim", "dry-feet", "-o", file)
    result = titm("prove", "--check", file)
    assert (result.exit_code, result.output) == (0, "1 proofs, 1 confirmed by a second solver\n")
    text = file.read_text(encoding="utf-8")
    kept = json.loads(text)
    for changed, code, words in (
        (json.dumps({**kept, "named": ["zones-stop"]}), 1, "the rules do not give this"),
        ("[]", 2, f"{file}: this is not a certificate"), ('{"format": 2}', 2, "not a certificate of format 3"),
        (text[:300], 2, f"{file}: this is not JSON"), (json.dumps({**kept, "claims": [{}]}), 2, "a field is missing"),
    ):  # fmt: skip
        file.write_text(changed, encoding="utf-8")
        result = titm("prove", "--check", file)
        assert (result.exit_code, words in result.output) == (code, True), result.output
        assert "at at" not in result.output
        assert "a line" not in result.output
