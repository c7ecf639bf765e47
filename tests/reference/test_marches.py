"""Small steps of a march: the engine and the referee allow the same, and count the same courses."""

import json
import random
from pathlib import Path

import pytest
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import branches, open_start, perft
from titm_rules.oracle.position import Position

from tests.reference import marches
from tests.reference.marches import Impulse
from tests.reference.test_against_reference import roads_as_printed
from tests.worlds import EDITIONS, chance, random_position

COUNTED = json.loads((Path(__file__).parents[1] / "golden/perft.json").read_text(encoding="utf-8"))


def board(seed):
    """Make a position in a movement phase; on every other board most ways cross a river by a bridge."""
    rng = random.Random(f"marches {seed}")
    data = {"phase": "movement", **random_position(rng, 5)}
    data["connections"] = roads_as_printed(data)
    left = {link["id"] for link in data["connections"]}
    for record in ("demolition_attempts", "construction_attempts"):
        data[record] = [attempt for attempt in data.get(record, ()) if attempt["bridge"] in left]
    if seed % 2:
        for link in data["connections"]:
            if chance(rng, 0.7):
                link |= {"river": True, "bridge": "intact", "road": link.get("road") or "major"}
        data |= {"day": rng.randint(17, 21), "demolition_attempts": [], "construction_attempts": []}
        data["units"] = data["units"][:5]
    return data


def battle(position, place):
    """See a place as a battle, in the form of the referee."""
    seen = position.view("battle", place)
    return {
        "attackers": {unit["id"]: (unit["strength"], unit["in_supply"], unit["arrival"]) for unit in seen["attackers"]},
        "defenders": {
            unit["id"]: (unit["strength"], unit["in_supply"], unit["entrenched"]) for unit in seen["defenders"]
        },
        "bystanders": {unit["id"]: unit["strength"] for unit in seen["bystanders"]},
        "departed": seen["departed"],
    }


def contested(position):
    """List the areas with both sides; not those that units entered before the game began, which leaves open how."""
    units, areas = position.to_dict()["units"], {area["id"] for area in position.to_dict()["areas"]}
    unknown = {
        unit["place"]
        for unit in units
        if unit.get("impulse_start", unit["place"]) != unit["place"] and not unit.get("come_anew")
    }
    sides = [{unit["place"] for unit in units if unit["side"] == side} for side in ("German", "Allied")]
    return sorted((sides[0] & sides[1] & areas) - unknown)


def fault(position, impulse, depth, rng):
    """Follow some courses of marches; give the first where the two allow other actions, other outcomes or battles."""
    if impulse.march is None and position.edition.date >= "1999":  # the book is the first to say who may attack no more
        for place in contested(position):
            if battle(position, place) != impulse.battle(place):
                return place, battle(position, place), impulse.battle(place)
    actions = {tuple(str(action).split()): action for action in position.legal_actions if action.kind != "infiltrate"}
    if set(actions) != set(impulse.actions()):
        return sorted(set(actions) ^ set(impulse.actions()))
    goes_on = sorted(action for action in actions if action[0] not in ("end-phase", "assault")) if depth else []
    for action in rng.sample(goes_on, min(3, len(goes_on))):
        found, wanted = branches(position, actions[action]), impulse.after(action)
        if len(found) != len(wanted):
            return action
        for one, other in zip(found, wanted, strict=True):
            if wrong := fault(one, other, depth - 1, rng):
                return action, wrong
    return None


@pytest.mark.parametrize(("edition", "seeds"), [
    ("1999", range(40)),
    *(pytest.param("1999", range(1000 * part, 1000 * part + 1000), marks=pytest.mark.slow) for part in range(5)),
    *(pytest.param(edition, range(300), marks=pytest.mark.slow) for edition in EDITIONS if edition > "1994-11-01"),
])  # fmt: skip
def test_actions_and_what_comes_of_them(edition, seeds):
    """Since August 1996 no sheet has changed a march on these boards."""
    rules = Edition(edition)
    for seed in seeds:
        position = Position.from_dict(board(seed), rules)
        impulse = Impulse({"zones": [], "connections": [], **position.to_dict()})
        assert fault(position, impulse, 4, random.Random(seed)) is None, seed


def test_courses_of_two_bridges():
    """As many as the book of numbers has, and two actions deeper."""
    start = open_start("two-bridges", Rules("1999"))[1]
    impulse = Impulse(start.to_dict())
    assert [marches.perft(impulse, depth) for depth in (1, 2, 3)] == COUNTED["two-bridges"]["1999"]
    assert [marches.perft(impulse, depth) for depth in (4, 5)] == [perft(start, depth) for depth in (4, 5)]
