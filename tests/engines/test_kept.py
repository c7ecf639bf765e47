"""What may be kept from a situation to the next: what looks at given places alone, and costs priced anew in part."""

import random
from types import SimpleNamespace

import pytest
from titm_rules.engines.compiled.distance_maps import Gates, UniformGraph, WeightedGraph
from titm_rules.engines.compiled.incremental import Locality
from titm_rules.ir.dependencies import dependencies_of

from tests.play.hills import rules

SEEN = "some s in scouts standing at spot where"
LOCAL = {
    "who stands there": f"{SEEN} (side of s is red)",
    "how many stand there": "(number of s in scouts standing at spot where tired of s) is more than 1",
    "the place itself": "height of spot is 3",
    "what a situation says besides": "day is 3 and mover is red",
    "another such definition": "spot is held",
}
WIDE = {
    "the whole list": "some s in scouts where (place of s is spot)",
    "any place": "some h in hexes where (some scouts standing at h)",
    "the place of a piece": f"{SEEN} (some scouts standing at place of s)",
    "who is named by a piece": f"{SEEN} (aims-at of s is not nothing and side of (aims-at of s) is red)",
    "who is named by the situation": "some s in walkers where (place of s is spot)",
    "a definition about another place": "front is not nothing and front is held",
}


def local(condition):
    text = f"""
define flag held of spot: place on skirmish default some s in scouts standing at spot where (side of s is red).
define flag asked of spot: place on skirmish default {condition}.
"""
    model = rules(text)
    return Locality(model).of_head(model.heads["asked"], ["spot"])


@pytest.mark.parametrize("condition", LOCAL.values(), ids=LOCAL)
def test_what_looks_at_one_place(condition):
    assert local(condition)


@pytest.mark.parametrize("condition", WIDE.values(), ids=WIDE)
def test_what_looks_further(condition):
    assert not local(condition)


def test_some_terms_are_local_if_each_of_them_is():
    said = LOCAL["who stands there"], WIDE["the whole list"]
    models = [rules(f"define flag asked of spot: place on skirmish default {one}.") for one in said]
    near, far = (model.heads["asked"].statements[0].when for model in models)
    model = models[0]
    assert Locality(model).of_terms([near], ["spot"])
    assert Locality(model).of_terms([near, far], ["spot"], [far])
    assert not Locality(model).of_terms([near, far], ["spot"])
    assert Locality(model).of_mover([near], "s", ["spot"])
    assert not Locality(model).of_mover([near, far], "s", ["spot"])


def test_fields_of_pieces_are_left_out_and_no_others():
    said = f"{SEEN} (tired of s) and day is 3 and height of spot is 1"
    model = rules(f"define flag asked of spot: place on skirmish default {said}.")
    fields = dependencies_of(model).of_head("asked").fields
    assert {("scout", "tired"), ("skirmish", "scouts")} <= fields
    assert Locality(model).apart_from_pieces(fields, "skirmish") == {("skirmish", "day"), ("hex", "height")}


def board(rng, number):
    """Places in a ring with some chords, as far as a net looks at them."""
    places = [SimpleNamespace(index_=n, links_={}, load=rng.randint(0, 3)) for n in range(number)]
    made = [type("P", (), vars(place))() for place in places]
    pairs = {(n, (n + 1) % number) for n in range(number)} | {tuple(rng.sample(range(number), 2)) for _ in range(3)}
    for one, other in sorted(pairs):
        made[one].links_.setdefault("way", []).append(("way", made[other]))
        made[other].links_.setdefault("way", []).append(("way", made[one]))
    return made


def into(entered):
    """A step costs what its ends carry; a load of 3 bars the way in; who enters a load of 2 stops."""
    steps = [(1 + left.load + entered.load, left) for _, left in entered.links_["way"]]
    return ([], []) if entered.load == 3 else ([], steps) if entered.load == 2 else (steps, [])


def is_final(place):
    """Goals carry nothing, or so much that whoever enters stops there."""
    return place.load in (0, 2) and place.index_ % 3 == 0


def into_or_stopping(_places):
    """The steps into a place, those after which one stops only where it is a goal."""
    return lambda entered: [*into(entered)[0], *(into(entered)[1] if is_final(entered) else ())]


def gated(places):
    """A way costs 0 to 2, as the board says; a load of 3 shuts a place."""

    def price(one, other):
        return (one.index_ + other.index_) % 3

    def look(one):
        priced = [(price(one, other), other) for _, other in one.links_["way"]]
        return [other for cost, other in priced if not cost], [step for step in priced if step[0]]

    return Gates({}, look, {one for one in places if one.load == 3})


def through_gates(places):
    _, look, shut = gated(places)

    def steps(entered):
        free, paid = look(entered)
        return () if entered in shut else [*((0, left) for left in free), *paid]

    return steps


def costs(places, steps):
    """Work the costs out by going over all steps until nothing changes."""
    best = {place: 0 for place in places if is_final(place)}
    for _ in places:
        for entered in set(best):
            for price, left in steps(entered):
                best[left] = min(best.get(left, 10**6), best[entered] + price)
    return best


def net_of(places):
    return WeightedGraph(filter(is_final, places), "way", into)


def gated_net(places):
    return UniformGraph(filter(is_final, places), gated(places))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(
    ("make", "about", "by_hand"),
    [(net_of, lambda _: into, into_or_stopping), (gated_net, gated, through_gates)],
    ids=["by both ends", "by the board"],
)
def test_what_is_priced_anew_in_part_is_priced_right(seed, make, about, by_hand):
    rng = random.Random(seed)
    places = board(rng, 9)
    net = make(places)
    assert net.cost == costs(places, by_hand(places))
    for _ in range(6):
        before, changed = dict(net.cost), set(rng.sample(places, rng.randint(1, 3)))
        loads = [(place, place.load) for place in changed]
        for place in changed:
            place.load = rng.randint(0, 3)
        renewed = net.renewed(changed, about(places), is_final)
        assert renewed.cost == costs(places, by_hand(places))
        assert net.cost == before, "the net of the situation before stays as it was"
        if all(place.load == load for place, load in loads):
            assert renewed is net
        net = renewed


@pytest.mark.parametrize("seed", range(20))
def test_what_nobody_comes_to_changes_nothing(seed):
    rng = random.Random(seed)
    places = board(rng, 9)
    for place in places[3:]:
        place.load = 3  # so that whoever stands beyond one of them has no way
    net = gated_net(places)
    beyond = [place for place in places[3:] if place not in net.cost]
    for place in beyond[:1]:
        place.load = 1
        assert net.renewed({place}, gated(places), is_final) is net


def test_costs_within_some_points_are_the_very_same():
    places = board(random.Random(1), 6)
    net = net_of(places)
    assert net.within(4) is net.within(4)
    for points in range(-1, max(net.cost.values()) + 2):
        assert net.within(points).cost == {place: cost for place, cost in net.cost.items() if cost <= points}
