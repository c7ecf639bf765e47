"""Positions written by hand, in any step of the turn: they are played on, or refused with the reason."""

import copy
import random
from itertools import product

import pytest
from titm_rules import Action, Edition, Position
from titm_rules.diagnostics import InputError
from titm_rules.oracle.game import POLICIES, play_game

from tests import builders
from tests.play.games import first_position
from tests.worlds import random_position

PHASES = Edition("1999").model.enums["phase"].texts
FOUGHT = ("calls", "shelling", "barrage", "aiming", "volley")
DAYS = {
    "campaign": range(16, 23), "fifth-panzer-army": range(16, 23), "first-three-days": (16, 17, 18),
    "race-for-bastogne": (18, 19), "sauer-crossing": (16, 17), "seventh-army": (16, 17, 18, 19),
}  # fmt: skip
SMALL = ("race-for-bastogne", "sauer-crossing")
FIGHTING = ("movement", "stacking", "battles", *FOUGHT)
STEPS = 8


def written(base, phase, days, rng):
    """A position of a scenario in some step, with units moved about and some of what that step is about."""
    world = copy.deepcopy(base)
    world |= {
        "phase": phase, "day": rng.choice(days), "impulse": rng.randint(1, 3),
        "side_to_move": rng.choice(["German", "Allied"]), "placing": rng.choice([None, "German", "Allied"]),
    }  # fmt: skip
    for _ in range(rng.randint(0, 8)):
        one, other = rng.choice(world["units"]), rng.choice(world["units"])
        begun = one["place"] if phase in FIGHTING else other["place"]
        one |= {"impulse_start": begun, "day_start": one["place"], "place": other["place"]}
    for unit in rng.sample(world["units"], min(5, len(world["units"]))):
        unit[rng.choice(["moved", "attacked", "come_anew" if phase in FIGHTING else "moved"])] = True
    if rng.random() < 0.1:
        rng.choice(world["units"])["attacking"] = True
    if phase in FOUGHT and rng.random() < 0.9:
        fight(world, phase, rng)
    if phase == "movement" and rng.random() < 0.5:
        march(world, rng)
    return world


def fight(world, phase, rng):
    """Let a battle be fought where both sides stand."""
    for unit in world["units"]:
        unit.pop("attacking", None)
    mine = [unit for unit in world["units"] if unit["side"] == world["side_to_move"]]
    theirs = [unit for unit in world["units"] if unit["side"] != world["side_to_move"]]
    if not mine or not theirs:
        return
    attacker, spot = rng.choice(mine), rng.choice(theirs)["place"]
    attacker |= {"impulse_start": attacker["place"], "place": spot}
    for unit in mine:
        if unit["place"] == spot:
            unit["attacking"] = True
    world |= {"contested": spot, "firing": rng.choice(["attacker", "defender"])}
    if phase != "calls" and rng.random() < 0.9:
        world |= {"attacker_counters": rng.randint(0, 3), "defender_counters": rng.randint(0, 3)}


def march(world, rng):
    """Put a unit of the side that moves on the march."""
    unit = rng.choice(world["units"])
    world |= {"marching": [unit["id"]], "front": unit["place"], "march_spent": rng.choice([0, 0, 2])}
    if rng.random() < 0.5:
        ways = [link["id"] for link in world["connections"] if unit["place"] in link["ends"]]
        world |= {"way_tried": rng.choice(ways)} if ways else {}


def check(world, edition, seed):
    """Play a position on, or see that it is refused with reasons; say which."""
    position = Position.from_dict(world, edition)
    if faults := position.status():
        assert all(fault.what and fault.why and fault.fix for fault in faults)
        with pytest.raises(InputError):
            list(position.legal_actions)
        return "refused"
    for turn in play_game(position, POLICIES["random"], seed, STEPS):
        position = turn.after
        assert position.legal_actions or position.summary["phase"] == "game-over", "nobody can do anything"
    assert Position.from_dict(position.to_dict(), edition).status() == [], "a position of a game is refused"
    return "played"


def check_all(name, seeds, phases=PHASES):
    """Check positions of a scenario in some steps of the turn; tell of each what came of it."""
    start = first_position(name)
    base, edition, came = start.to_dict(), start.edition, []
    for phase in phases:
        for seed in seeds:
            rng = random.Random(f"{name} {phase} {seed}")
            came.append(check(written(base, phase, DAYS[name], rng), edition, seed))
    return came


@pytest.mark.parametrize("name", DAYS)
def test_positions_are_played_or_refused(name):
    came = check_all(name, range(2)) if name in SMALL else check_all(name, range(1), PHASES[::4])
    assert name not in SMALL or set(came) == {"played", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "part"), [*product(DAYS, range(10))])
def test_many_positions_are_played_or_refused(name, part):
    check_all(name, range(10 * part, 10 * part + 10))


ROADS = "B-s major; s-x major; x-E major; s-y major; y-E major"


def small(units, **more):
    return Position.from_dict(builders.position(ROADS, units, **more))


def offered(position):
    return {action.kind for action in position.legal_actions}


def test_what_is_due_happens_first():
    # Attrition, points and the end of the day; then the reinforcements of the next day.
    due = {"id": "r", "side": "German", "kind": "armor", "strength": 2, "entry": ["B"], "due": [18, 1]}
    position = small("m German foot 2 s; e Allied foot 2 x", phase="attrition", impulse=3, reserves=[due])
    assert (offered(position), position.settled.summary["day"]) == ({"bring-on", "ready"}, 18)
    assert position.apply(next(iter(position.legal_actions))).to_dict()["day"] == 18
    assert position.summary["phase"] == "attrition", "it stays what it is"
    due = {"id": "r", "side": "Allied", "kind": "armor", "strength": 2, "entry": ["E"], "due": [17, 1]}
    position = small("m German foot 2 s; e Allied foot 2 x", phase="reinforcement", reserves=[due])
    assert (offered(position), position.settled.to_dict()["placing"]) == ({"ready", "bring-on"}, "Allied")
    position = small("m German foot 2 x impulse_start=s; e Allied foot 2 x", phase="battles")
    assert offered(position) == {"assault"}
    verdict = position.judge(Action("end-phase", "German"))
    assert [finding.clause for finding in verdict.failing] == ["9.12"]


@pytest.mark.parametrize("phase", ["construction", "impulse-end", "attrition"])
def test_a_battle_that_is_due_cannot_be_written_away(phase):
    [fault] = small("m German foot 2 x impulse_start=s; e Allied foot 2 x", phase=phase).status()
    assert fault.what.endswith("who has to attack, does (m)")
    assert fault.why.startswith("who-attacks ")


def test_no_game_begins_with_a_fault_and_every_fault_is_told():
    # A battle without a place, with an attacker of the wrong side that attacks nobody.
    position = small("m German foot 2 s; e Allied foot 2 x attacking", phase="calls")
    assert {fault.why.split()[0] for fault in position.status()} == {"who-attacks", "what-is-fought-over"}
    with pytest.raises(InputError) as caught:
        len(position.legal_actions)
    assert list(caught.value.faults) == position.status()
    # Who has to stop may not go on; who has spent nothing has moved nowhere, and may not halt.
    position = small("m German foot 2 s; e Allied foot 2 x", day=16, marching=["m"], front="x", march_stopped=True)
    [fault] = position.status()
    assert fault.what == "nobody can do anything, and the game is not over"


def odd_position(seed):
    """A random position with a step of the turn, a march and a battle put together at random."""
    rng = random.Random(seed)
    world = random_position(rng, 5)
    areas, units = [area["id"] for area in world["areas"]], [unit["id"] for unit in world["units"]]
    links = [link["id"] for link in world["connections"]]
    put = {
        "contested": rng.choice(areas), "placing": rng.choice(["German", "Allied"]),
        "marching": rng.sample(units, rng.randint(1, min(2, len(units)))), "front": rng.choice(areas),
        "attacker_counters": rng.randint(0, 3), "defender_counters": rng.randint(0, 3),
        "firing": rng.choice(["attacker", "defender"]),
    }  # fmt: skip
    if links:
        put |= {"way_tried": rng.choice(links), "balked": [rng.choice(links)]}
    world |= {name: value for name, value in put.items() if rng.random() < 0.5}
    for unit in world["units"]:
        odd = {"attacking": True, "aims_at": rng.choice(units), "shells": rng.randint(0, 2), "hits": rng.randint(0, 4)}
        unit |= {name: value for name, value in odd.items() if rng.random() < 0.25}
    return {**world, "phase": rng.choice(PHASES)}


@pytest.mark.parametrize("part", range(6))
def test_nothing_breaks(part):
    for seed in range(25 * part, 25 * part + 25):
        world = odd_position(seed)
        here, plain = (Position.from_dict(world, Edition("1999", {}, name)) for name in ("compiled", "reference"))
        offered, same = ([str(one.action) for one in p._machine.options.listed()] for p in (here, plain))
        assert sorted(offered) == sorted(same)
        faults = here.status()
        assert faults == plain.status()
        for action in [] if faults else list(here.legal_actions)[:4]:
            dice = here.dice(action)
            here.apply(action, [dice.low] * dice.count if dice else [])
