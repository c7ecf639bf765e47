"""`titm render` from the shell."""

import json
from xml.etree import ElementTree

import pytest

from .conftest import SCENARIOS

TITLE = "{http://www.w3.org/2000/svg}title"


def title(path):
    return ElementTree.fromstring(path.read_text(encoding="utf-8")).findtext(TITLE) or ""


@pytest.mark.parametrize(("name", "told"), [
    ("campaign", "The Campaign Game"),
    ("two-bridges", "position"),
    ("combat-of-1999", "battle"),
    ("01-rambrouch-by-the-bridge", "the road to rambrouch"),
    (SCENARIOS / "sauer-crossing" / "scenario.yaml", "Sauer"),
    (SCENARIOS / "crossing-at-dasburg" / "position.yaml", ""),
])  # fmt: skip
def test_scenarios_positions_battles_and_disputes_are_drawn(titm, tmp_path, name, told):
    done = titm("render", name, "-o", tmp_path / "x.svg")
    assert done.exit_code == 0, done.stderr
    assert f"picture: {tmp_path / 'x.svg'}" in done.stdout
    assert told.lower() in title(tmp_path / "x.svg").lower()


def test_a_map_says_what_it_rests_on_and_input_of_the_question_goes_with_it(titm, tmp_path):
    told = json.loads(titm("render", "campaign", "-o", tmp_path / "x.png", "--json").stdout)
    assert told["picture"] == str(tmp_path / "x.png")
    assert "not the printed map" in told["told"][0]
    assert "attested" in told["told"][1]
    assert "reconstructed in part" in told["told"][2]
    assert (tmp_path / "x.png").stat().st_size > 100_000
    # armor cannot go on foot; infantry on wheels reaches less that way
    words = ["render", "campaign", "--reach", "2-pz-b", "-o", tmp_path / "x.svg"]
    driven, walked = titm(*words).stdout, titm(*words, "foot-mode=yes").stdout
    assert "2-pz-b at Dasburg can reach" in driven
    assert "2-pz-b at Dasburg can reach" in walked
    assert driven != walked
