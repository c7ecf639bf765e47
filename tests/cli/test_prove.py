"""`titm prove`: what it says of the claims of an edition."""

import json

import pytest

pytest.importorskip("z3")

FORD = ("prove", "1", "--game", "cold-ford")


def test_it_says_what_is_known_of_each_claim(titm, tmp_path):
    file = tmp_path / "certificate.json"
    result = titm(*FORD, "-o", file)
    assert result.exit_code == 1
    assert "proved under every reading" in result.output
    assert "fails in: " in result.output
    assert "others drawn at random" in result.output
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
