"""What is worked out once: by the board alone, for all places at a time, and for all movers who are alike."""

from itertools import product

import pytest
from titm_rules.engines.compiled.codegen import hoist_invariants
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.engines.compiled.equivalence import profile_of
from titm_rules.engines.compiled.hoisting import StaticTerms
from titm_rules.engines.compiled.partial_eval import PartialEvaluator
from titm_rules.engines.compiled.program import program_of
from titm_rules.engines.compiled.route_search import RouteKernel
from titm_rules.engines.reference.brute_force import ReferenceEngine
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.terms import Logic, Quantified, subterms
from titm_rules.world.world import World

from tests.play.hills import DATA, rules

ROUTE = """
define flag held of spot: place on skirmish default some s in scouts standing at spot where (tired of s).
route flee on skirmish: mover runner: scout, crosses way: trail from behind to ahead.
clause 1 "Flight" "Scouts flee."
  flee ends when height of ahead is 3.
  flee has {points} points.
  flee costs {cost}.
  flee may not step when {bar}.
"""
BARS = {
    "the board": "bridge of way is broken",
    "the place entered": "some s in scouts standing at ahead where (side of s is not side of runner)",
    "the place left": "some s in scouts standing at behind where (tired of s)",
    "both at once": "some scouts standing at ahead and some scouts standing at behind",
    "the situation": "day is 2 and height of ahead is 1",
    "the mover": "tired of runner and bridge of way is broken",
    "which mover it is": "some s in scouts standing at ahead where (s is not runner)",
    "a definition": "ahead is held",
}
STOPS = {
    "nowhere": "",
    "at a height": "  flee must stop when height of ahead is 1.\n",
    "behind a bridge": "  flee must stop when bridge of way is whole and tired of runner.\n",
}
COSTS = ("1", "1 when bridge of way is broken", "height of ahead + 1", "1 when some scouts standing at behind")


def model_of(bar, stop="", cost="1", points="strength of runner"):
    return rules(ROUTE.format(points=points, cost=cost, bar=bar) + stop)


def situations():
    """Small situations that differ in bridges, in who stands where and who is tired, and in the day."""
    trails = [("low", "mid"), ("mid", "top"), ("low", "top")]
    for day, (broken, tired) in enumerate(product((0, 1, 6), range(4))):
        scouts = [
            {**scout, "tired": bool(tired & 1 << n % 2), "place": ("low", "mid", "low", "mid")[(n + tired) % 4]}
            for n, scout in enumerate(DATA["scouts"])
        ]
        states = ["Broken" if broken & 1 << n else "Whole" for n in range(3)]
        made = [
            {"id": f"t{n}", "ends": list(ends), "bridge": state.lower()}
            for n, (ends, state) in enumerate(zip(trails, states, strict=True))
        ]
        yield {**DATA, "day": 1 + day % 2, "scouts": scouts, "trails": made}


def costs(kind, model, data):
    """What the way to a goal costs each scout, from where it stands and from every place."""
    world = World(model, "skirmish", data)
    engine, route = kind(model, world), model.forms["flee"]
    return [
        (scout.id, start and start.id, engine.trace(route, scout, start))
        for scout in world.root.scouts
        for start in (None, *world.places)
    ]


@pytest.mark.parametrize("stop", STOPS.values(), ids=STOPS)
@pytest.mark.parametrize("bar", BARS.values(), ids=BARS)
def test_whatever_bars_a_step_costs_are_those_of_the_reference_engine(bar, stop):
    for cost in COSTS:
        model = model_of(bar, stop, cost)
        for data in situations():
            assert costs(CompiledEngine, model, data) == costs(ReferenceEngine, model, data), (cost, data)


def is_gated(bar, stop="", cost="1"):
    model = model_of(BARS[bar], stop, cost)
    return RouteKernel(program_of(model), model.forms["flee"]).crossing.is_gated


def test_whether_gates_are_all_there_is():
    named = ["the board", "the place entered", "a definition", "the place left", "both at once"]
    assert [name for name in named if is_gated(name)] == named[:3]
    assert not is_gated("the board", STOPS["at a height"])
    assert not is_gated("the board", cost=COSTS[3])


ON_BOARD = {
    "bridge of way is broken": True, "height of ahead is 1 and height of behind is 3": True,
    "some s in scouts standing at ahead where (tired of s)": False, "ahead is held": False, "day is 1": False,
    "ahead is front": False, "tired of runner": False,
}  # fmt: skip


@pytest.mark.parametrize("bar", ON_BOARD)
def test_what_the_board_decides(bar):
    model = model_of(bar)
    head = model.heads["flee.step"]
    says = StaticTerms(program_of(model), "skirmish", {}, {"way", "behind", "ahead"})
    assert says.decides(counts_when(head, head.statements[0])) == ON_BOARD[bar]


PROFILES = {
    "tired of runner and day is 1": ("tired",),
    "side of runner is red or side of runner is blue and tired of runner": ("side", "tired"),
    "runner is spent-out": ("strength", "tired"),
    "day is 2": (),
}
APART = {
    "which one it is": "walker is runner",
    "a list that may hold it": "runner is in walkers",
    "whom it aims at": "aims-at of runner is not nothing",
    "its own way": "flee of runner is possible",
}
SPENT = "define flag spent-out of s: scout on skirmish default strength of s is 0 or tired of s.\n"


def profile(condition):
    asked = "define flag asked of runner: scout on skirmish default " + condition + ".\n"
    model = rules(SPENT + asked + ROUTE.format(points="1", cost="1", bar="day is 9"))
    head = model.heads["asked"]
    return profile_of(model, [(counts_when(head, said), "runner") for said in head.statements])


@pytest.mark.parametrize("condition", PROFILES)
def test_by_what_scouts_are_told_apart(condition):
    found, scouts = profile(condition), World(rules(""), "skirmish", DATA).root.scouts
    names = PROFILES[condition]
    assert {scout.id: found(scout) for scout in scouts} == {
        scout.id: tuple(getattr(scout, name) for name in names) if len(names) != 1 else getattr(scout, *names)
        for scout in scouts
    }


@pytest.mark.parametrize("condition", APART.values(), ids=APART)
def test_who_is_told_apart_by_more_than_plain_fields(condition):
    assert profile(condition) is None


SIFTED = {
    "some s in scouts standing at spot where (tired of s)": True,
    "some s in scouts standing at spot where (side of s is whose)": True,
    "some s in scouts where (place of s is spot and side of s is whose)": True,
    "some s in scouts where (tired of s and (place of s is spot or spot is place of (aims-at of s)))": True,
    "some s in scouts where (s is busy at spot)": True,
    "some s in scouts where (tired of s and side of s is whose)": False,
    "some s in scouts where (place of s is not spot)": False,
    "some s in scouts where (place of s is spot or tired of s)": False,
    "some s in scouts where (place of s is spot and height of spot is 1)": False,
    "some s in scouts where (place of s is spot and some scouts standing at place of s besides s)": False,
    "every s in scouts where (place of s is spot)": False,
}
BUSY = """
define flag busy of s: scout at spot: place on skirmish
  default (place of s is spot and tired of s) or place of (aims-at of s) is spot.
"""


@pytest.mark.parametrize("condition", SIFTED)
def test_what_is_asked_of_all_places_at_once(condition):
    model = rules(f"{BUSY}define flag asked of spot: place for whose: side on skirmish default {condition}.\n")
    assert (program_of(model).places("asked") is not None) == SIFTED[condition]
    for data in situations():
        scouts = [{**scout, "aims-at": ("dot", "cid", None, "ann")[n]} for n, scout in enumerate(data["scouts"])]
        engines = [
            kind(model, World(model, "skirmish", {**data, "scouts": scouts}))
            for kind in (CompiledEngine, ReferenceEngine)
        ]
        answers = [
            [
                bool(engine.decide("asked", {"spot": spot, "whose": side}))
                for spot in engine.world.places
                for side in (0, 1)
            ]
            for engine in engines
        ]
        assert answers[0] == answers[1], data


SEEN = "some s in scouts standing at spot"
# How many conditions are asked before a search, since they do not speak of those who are looked for.
BEFORE = {
    "day is 3 and tired of s": 1, "tired of s and height of spot is 3 and mover is red": 2,
    "not (tired of s or day is 3)": 1, "tired of s": 0,
    "some t in scouts where (tired of t)": 0,  # costs a search of its own
    "spot is held": 0,  # may be undecided where nobody is there
    "tired of s or day is 3": 0,
}  # fmt: skip


@pytest.mark.parametrize(("condition", "number"), BEFORE.items())
def test_what_is_asked_before(condition, number):
    asked = f"define flag asked of spot: place on skirmish default {SEEN} where ({condition}).\n"
    model = rules(f"define flag held of spot: place on skirmish default {SEEN} where (side of s is red).\n{asked}")
    folder = PartialEvaluator(model)
    found = hoist_invariants(folder, folder.decision(model.heads["asked"]))
    parts = found.parts if isinstance(found, Logic) and found.op == "all" else (found,)
    assert len(parts) == number + 1
    assert isinstance(parts[-1], Quantified)
    assert not any(isinstance(one, Quantified) for part in parts[:-1] for one in subterms(part))
