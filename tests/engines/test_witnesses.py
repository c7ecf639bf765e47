"""The checkers refuse bad witnesses and name the clauses."""

import pytest
from titm_rules.editions.load import load_model
from titm_rules.world.world import World

from tests.engines import witnesses

MODEL = load_model("1999")
MOVE, SUPPLY, FIRE, ARTILLERY = (MODEL.forms[name] for name in ("move", "supply", "fire", "artillery"))


def link(name, one, other, **fields):
    return {"id": name, "ends": [one, other], "road": "minor", **fields}


def unit(name, side, place, kind="foot", **fields):
    return {"id": name, "side": side, "kind": kind, "strength": 2, "place": place, **fields}


def world():
    """A chain A-a-b-c-d with an enemy in c, tracks from b to e and a to g, and a bridged river from a to f."""
    return World(MODEL, "position", {
        "day": 18, "impulse": 1, "side_to_move": "German",
        "areas": [{"id": name} for name in "abcdefg"],
        "zones": [{"id": "A", "owner": "German"}, {"id": "L", "owner": "Allied"}],
        "connections": [
            link("Aa", "A", "a"), link("ab", "a", "b"), link("bc", "b", "c"), link("cd", "c", "d"),
            link("be", "b", "e", road=None), link("af", "a", "f", river=True, bridge="intact"), link("Lf", "L", "f"),
            link("ag", "a", "g", road=None),
        ],
        "units": [
            unit("foot", "German", "a"), unit("tank", "German", "a", "armor"), unit("lost", "German", "d"),
            unit("enemy", "Allied", "c"), unit("sapper", "Allied", "f", "engineer"),
        ],
    })  # fmt: skip


def judged(steps, *names):
    here = world()
    movers = [one for one in here.root.units if one.id in names]
    return witnesses.path_ok(MODEL, here, MOVE, movers, {"foot-mode": False}, steps)


@pytest.mark.parametrize(
    ("name", "steps", "violated"),
    [
        ("tank", ["a", "b", "c"], []),
        ("tank", ["a", "!f", "b"], []),
        ("foot", ["a"], []),
        ("foot", ["a", "entrench"], []),
        ("foot", ["a", "b", "c"], []),
        ("foot", ["a", "g"], ["8.2b", "8.28"]),
        ("foot", ["a", "!f", "b", "c"], ["8.38"]),
        ("tank", ["a", "b", "c", "d"], ["8.22", "8.38", "8.28"]),
        ("tank", ["a", "b", "e"], ["8.2b", "8.28"]),
        ("tank", ["a", "!f", "f"], ["8.33-unbridged"]),
        ("tank", ["a", "!b"], ["8.41"]),
        ("tank", ["a", "entrench"], ["8.54"]),
        ("foot", ["a", "b", "entrench"], ["8.38"]),
        ("foot", ["b", "c"], [witnesses.START]),
        ("foot", ["a", "c"], [witnesses.LINK]),
        ("enemy", ["c", "b"], ["8.1c"]),
    ],
)
def test_paths(name, steps, violated):
    assert judged(steps, name) == violated


def test_movers_must_stand_together():
    assert judged(["a", "b"], "foot", "lost") == [witnesses.START]


@pytest.mark.parametrize(
    ("name", "places", "cost", "violated"),
    [
        ("foot", "baA", 0, []),
        ("foot", "baA", 1, [witnesses.COST]),
        ("foot", "ba", 0, [witnesses.GOAL]),
        ("foot", "cA", 0, [witnesses.LINK]),
        ("foot", "", 0, [witnesses.GOAL]),
        ("lost", "dcbaA", 0, [witnesses.LINK]),
        ("sapper", "fL", 0, []),
    ],
)
def test_traces(name, places, cost, violated):
    here = world()
    client = next(one for one in here.root.units if one.id == name)
    route = [next(place for place in here.places if place.id == letter) for letter in places]
    assert witnesses.trace_ok(MODEL, here, SUPPLY, client, route, cost) == violated


def battle():
    return World(MODEL, "battle", {
        "attacker": "German",
        "attackers": [{"id": "e", "kind": "engineer", "strength": 2}, {"id": "f", "kind": "foot", "strength": 2}],
        "defenders": [{"id": "x", "kind": "armor", "strength": 2}, {"id": "y", "kind": "foot", "strength": 3}],
    })  # fmt: skip


def replay(form, given, pairs):
    here = battle()
    units = {one.id: one for one in here.root.attackers + here.root.defenders}
    named = [(units.get(who, who), units[target]) for who, target in pairs]
    return witnesses.allocation_ok(MODEL, here, form, given, named)


@pytest.mark.parametrize(
    ("pairs", "violated"),
    [
        (["ex", "fy"], []),
        (["fy", "ex"], [witnesses.ORDER]),
        (["ey", "fx"], ["9.57a"]),
        (["ex", "fx"], ["9.54b", "9.57a"]),
        (["ex"], [witnesses.CHOOSERS]),
        (["ex", "ey"], [witnesses.CHOOSERS]),
        (["ex", "fe"], [witnesses.TARGET]),
    ],
)
def test_allocations_are_replayed_in_their_order(pairs, violated):
    assert replay(FIRE, {"who": 0}, pairs) == violated


@pytest.mark.parametrize(
    ("targets", "violated"),
    [("yx", []), ("xy", ["9.46b"]), ("yy", ["9.46b", "9.46f"]), ("y", [witnesses.CHOOSERS])],
)
def test_counters_are_replayed(targets, violated):
    assert replay(ARTILLERY, {"who": 0, "n": 2}, [(n, target) for n, target in enumerate(targets)]) == violated


def test_selections():
    here = world()
    crowd = [unit(f"u{n}", "German", "a") for n in range(5)]
    here = World(MODEL, "position", {**here.data, "units": crowd})
    elimination, units = MODEL.forms["elimination"], here.root.units
    given = {"spot": here.places[0], "owner": 0}
    assert witnesses.selection_ok(MODEL, here, elimination, given, units[:1]) == []
    assert witnesses.selection_ok(MODEL, here, elimination, given, []) == ["7.2"]
    assert witnesses.selection_ok(MODEL, here, elimination, given, units[:2]) == ["7.2"]
    assert witnesses.selection_ok(MODEL, here, elimination, given, [units[0], units[0]]) == [witnesses.TARGET]
