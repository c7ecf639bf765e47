"""Positions as values: read from every file that ships, written, copied, compared."""

import copy
import pickle
from pathlib import Path

import pytest
import yaml
from titm_rules import Edition, IllegalAction, Position
from titm_rules.oracle.game import POLICIES, play_game

from tests.builders import fault_of, position

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios" / "titm"
FILES = sorted(SCENARIOS.glob("*/*.yaml"))
SMALL = Position.from_dict(position("B-s major; s-x minor", "g German foot 2 s"))


def ids(path):
    return f"{path.parent.name}/{path.stem}"


@pytest.fixture(scope="module")
def campaign():
    return Position.from_file("campaign")


# ---------------------------------------------------------------------- reading
@pytest.mark.parametrize("path", FILES, ids=ids)
def test_every_file_that_ships_is_read(path):
    assert Position.from_file(path).world.root


def test_a_file_names_its_rules_and_an_edition_goes_before_it():
    position = Position.from_file("seventh-army")
    assert (position.edition.date, position.edition.overlays) == ("1999", ("seventh-army",))
    edition = Edition("1996-08-01", engine="reference")
    position = Position.from_file("seventh-army", edition)
    assert (position.edition.date, position.edition.engine) == ("1996-08-01", "reference")
    assert position.edition.overlays == ("seventh-army",)
    assert Position.from_file("seventh-army", position.edition).edition == position.edition
    assert Position.from_file("road-to-rambrouch", edition).edition is edition


# ---------------------------------------------------------------------- writing
def test_what_is_written_keeps_the_map_and_its_part(campaign):
    again = Position.from_json(campaign.to_json(), campaign.edition)
    assert again == campaign
    assert hash(again) == hash(campaign)
    assert again.digest == campaign.digest
    for attribute in ("notes", "numbers", "layout", "origins", "bases"):
        assert getattr(again, attribute) == getattr(campaign, attribute) != type(getattr(campaign, attribute))()
    assert again.place_id("St. Vith") == campaign.place_id("St. Vith")
    seventh = Position.from_file("seventh-army")
    assert Position.from_json(seventh.to_json(), seventh.edition) == seventh
    *_, last = play_game(campaign, POLICIES["random"], seed=3, limit=25)
    assert Position.from_json(last.after.to_json(), campaign.edition) == last.after
    bare = {name: value for name, value in campaign.to_dict().items() if name not in ("map", "map_part")}
    plain = Position.from_dict(bare, campaign.edition)
    assert plain.digest == campaign.digest
    assert not plain.notes
    assert plain != campaign
    assert Position.from_dict(yaml.safe_load(SMALL.to_yaml())) == SMALL


# ---------------------------------------------------------------------- copies
@pytest.mark.parametrize("name", ["campaign", "sauer-crossing", "two-bridges", "combat-of-1999"])
def test_pickled_and_copied(name):
    position = Position.from_file(name)
    if position.situation == "position":
        assert position.legal_actions  # what was worked out before is no hindrance
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.notes == position.notes
    assert copy.deepcopy(position) == copy.copy(position) == position
    assert copy.deepcopy({"here": [position]}) == {"here": [position]}


@pytest.mark.parametrize("rules", [
    {"date": "1996-08-01", "readings": {"R2": "strict-quality"}, "engine": "reference"},
    {"date": "1996-08-01", "readings": {"R2": "strict-quality"}, "overlays": ("skirmish",)},
    {"game": "titm"},
    {"game": "bitterwoods"},
], ids=["readings", "house rules", "titm", "bitterwoods"])  # fmt: skip
def test_editions_are_pickled_and_copied(rules):
    edition = Edition(**rules)  # made here: other tests empty what is kept
    assert edition.clauses
    for again in (pickle.loads(pickle.dumps(edition)), copy.deepcopy(edition)):
        assert again == edition
        assert again.model is edition.model
    assert len(pickle.dumps(edition)) < 1_000
    # Readings are the edition's own.
    chosen = {"R2": "strict-quality"}
    edition = Edition(readings=chosen)
    chosen["R2"] = "what nobody knows"
    assert edition.readings == {"R2": "strict-quality"}


# ---------------------------------------------------------------------- actions
@pytest.mark.parametrize(("kind", "fix"), [("fly", "did you mean `lay`?"), ("mustre", "did you mean `muster`?")])
def test_an_action_that_the_rules_do_not_know(kind, fix):
    fault = fault_of(SMALL.read, kind, "German", ["g"])
    assert (fault.what, fault.where, fault.kind) == (f"unknown action `{kind}`", "$.action", "unknown-name")
    assert fault.fix == fix


def test_an_illegal_action_is_refused_with_its_verdict():
    position = Position.from_file("two-bridges")
    action = position.read("end-phase", "Allied", [])
    with pytest.raises(IllegalAction, match="not legal here") as refused:
        position.apply(action)
    assert refused.value.verdict == position.judge(action)
    assert refused.value.verdict.sentence() in str(refused.value)
