"""The engine and the hand-written rules of 1999 give equal answers.

Random worlds are first made into such as the printed board can show (`as_printed`); what the two answer
differently elsewhere stands in `DISPUTED`, each with the smallest case and the reason for the expected answer.
"""

import copy
import random
from functools import cache

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import battle, position, value
from tests.clauses.corpus import conformance_rows
from tests.reference.campaign import answer
from tests.reference.handwritten import (
    count_fire,
    firing_order,
    list_fire,
    moves_of_side,
    read_battle,
    read_fire,
    read_position,
    supplied,
    supply_of_side,
)
from tests.worlds import (
    BATTLE_QUERIES,
    KINDS,
    LATER_QUERIES,
    POSITION_QUERIES,
    chance,
    later_input,
    random_case,
    seeded_case,
)


@cache
def edition(readings=()):
    return Edition("1999", dict(readings))


def engine_answer(case):
    return edition(tuple(sorted(case["readings"].items()))).answer(case["query"], case["input"])


def reference_answer(case):
    return answer(case["query"], case["input"], case["readings"])


# ---------------------------------------------------------------------- worlds as the printed board can show them


def roads_as_printed(given):
    """Leave each zone one road, to an area and over no river (11.13)."""
    zones, seen, kept = {zone["id"] for zone in given["zones"]}, set(), []
    for link in given["connections"]:
        ends = zones & set(link["ends"])
        if len(ends) == 2 or ends & seen:
            continue
        if ends:
            seen |= ends
            link |= {"river": False, "bridge": None}
        kept.append(link)
    return kept


def as_printed(case):
    """Make a case as it can stand on the printed board, or None if what it asks for is then gone."""
    case = copy.deepcopy(case)
    given = case["input"]
    if "position" not in given:
        return case
    board = given["position"]
    board["connections"] = roads_as_printed(board)
    left = {link["id"] for link in board["connections"]}
    if given.get("bridge", min(left, default="")) not in left | {""}:
        return None
    for record in ("demolition_attempts", "construction_attempts"):
        board[record] = [attempt for attempt in board.get(record, ()) if attempt["bridge"] in left]
    return case


ONE_UNIT = {
    "may_fire": "fire_allocations", "fire_targets": "fire_allocations", "may_blow": "demolition_options",
    "may_build": "construction_options",
}  # fmt: skip
LATER_READINGS = {
    "E28": ("all-areas",), "E32": ("scores-nothing",), "R33": ("high-water", "per-unit"), "R47": ("any-open",),
    "R48": ("any-distance",),
}  # fmt: skip


def case_of_campaign(seed):
    """Make a case of arrivals, special forces, control, points or attrition."""
    rng, query = random.Random(seed), LATER_QUERIES[seed % len(LATER_QUERIES)]
    asked = later_input(rng, query)
    if query == "reinforcement_options" and chance(rng, 0.5):
        asked["kind"] = rng.choice(KINDS)
    if query == "vp_at_turn_end" and chance(rng, 0.7):
        asked["position"]["units"] = [unit | {"scored": chance(rng, 0.3)} for unit in asked["position"]["units"]]
        asked["position"]["units"][0] |= {"side": "German", "place": asked["position"]["zones"][-1]["id"]}
    readings = {name: rng.choice(choices) for name, choices in LATER_READINGS.items() if chance(rng, 0.3)}
    return {"edition": "1999", "readings": readings, "query": query, "input": asked}


def case_of_one_unit(seed):
    """Make a case of one unit, shot or bridge of many; None if there is nobody to ask about."""
    rng, query = random.Random(seed), [*ONE_UNIT][seed // 10 % len(ONE_UNIT)]
    case = as_printed(random_case(rng, ONE_UNIT[query]))
    if case is None:
        return None
    asked = case["input"]
    if "battle" in asked:
        own, others = ("attackers", "defenders")[:: 1 if asked["who"] == "attacker" else -1]
        if not (asked["battle"][own] and asked["battle"][others]):
            return None
        asked["firing"] = rng.choice(asked["battle"][own])["id"]
        asked |= {"target": rng.choice(asked["battle"][others])["id"]} if query == "may_fire" else {}
    else:
        asked["unit"] = rng.choice(asked["position"]["units"])["id"]
        links = asked["position"]["connections"]
        if not links:
            return None
        asked.setdefault("bridge", rng.choice([link for link in links if link.get("bridge") == "blown"] or links)["id"])
    return {**case, "query": query}


def differences(seeds):
    """Yield where the two differ, in ten cases of which seven are of battles, moves, supply and bridges."""
    for seed in seeds:
        kind = seed % 10
        case = case_of_campaign(seed) if kind > 7 else case_of_one_unit(seed) if kind == 7 else seeded_case(seed)
        case = as_printed(case) if kind < 7 else case
        if case is not None and (found := engine_answer(case)) != (wanted := reference_answer(case)):
            yield seed, case["query"], found, wanted


def test_2000_random_cases():
    assert list(differences(range(500_000, 502_000))) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_100000_random_cases(part):
    assert list(differences(range(600_000 + part * 10_000, 610_000 + part * 10_000))) == []


@pytest.mark.parametrize("query", [*BATTLE_QUERIES, *POSITION_QUERIES])
def test_random_cases_of_each_query(query):
    """Of paths there are more: no other judge of them is so far from the engines."""
    number = 200 if query == "check_path" else 15
    cases = [as_printed(random_case(random.Random(seed), query)) for seed in range(number)]
    asked = [case for case in cases if case is not None]
    assert len(asked) > 3
    assert [engine_answer(case) for case in asked] == [reference_answer(case) for case in asked]


# ---------------------------------------------------------------------- the worked examples


WORKED = [row for row in conformance_rows() if row.query in {*BATTLE_QUERIES, *POSITION_QUERIES}]


@pytest.mark.parametrize("row", WORKED, ids=lambda row: row.remark)
def test_the_reference_agrees_with_the_worked_examples(row):
    found = answer(row.query, row.input, row.readings)
    assert {name: found.get(name) for name in row.expected} == row.expected


# ---------------------------------------------------------------------- smallest cases


def asks(question, situation, expected):
    """Make a row of a question in words: a name alone is a flag, and one such as `R3` a reading."""
    query, *words = question.split()
    given, readings = {"battle" if "attackers" in situation else "position": situation}, {}
    for name, equals, text in (word.partition("=") for word in words):
        listed = text.split(",") if name in ("units", "path", "crossing") else value(text)
        (readings if name.startswith("R") else given)[name] = listed if equals else True
    return {"query": query, "input": given, "readings": readings}, expected


def parallel(board, **other):
    """Add a second connection of the same places as the last one."""
    board["connections"].append({**board["connections"][-1], "id": "other", **other})
    return board


FIVE_FOOT = "; ".join(f"u{n} German foot 2 s" for n in range(5))
FIVE_ENGINEERS = "; ".join(f"u{n} German engineer 2 s" for n in range(5))
BRIDGE = "A-s major; s-x major intact; x-D major"
GUARDED = "m German mechanized 3 s; v Allied engineer 1 x"
HELD_ZONE = position(
    "A-s major; s-x minor; x-D major",
    "a Allied foot 3 D day_start=null; g German foot 1 D; b Allied armor 1 x",
    side="Allied",
)
CUT_OFF = position("A-r major; s-x major", "u German foot 3 s; w Allied foot 1 r")
MIXED = position(
    "A-s major; s-x blown major; s-y minor; y-z minor; z-w minor", "a German armor 3 s; m German mechanized 1 s"
)
THREE_BRIDGES = position(
    "A-s major; s-x major intact; s-y major intact; s-z major intact; D-x major; x-y major; x-z major",
    "e German mechanized 3 s; v Allied engineer 1 x; w Allied foot 1 y; q Allied foot 1 z",
)

AGREED = {
    "8.37: who comes back to an empty area finds it empty":
        asks("check_path units=a path=s,x,s", position("A-s major; s-x major", "a German armor 3 s"),
        {"legal": True, "cost": 2}),
    "8.37: who comes back to a friend pays for him":
        asks("check_path units=a path=s,x,s", position("A-s major; s-x major", "a German armor 3 s; b German foot 1 s"),
        {"legal": True, "cost": 3}),
    "8.25: to stay is no move, so one that has moved may":
        asks("check_path units=a path=s", position("A-s major", "a German armor 3 s moved"),
        {"legal": True, "cost": 0}),
    "6.0: no second impulse on the 22nd":
        asks("reachable units=a", position("A-s major", "a German armor 3 s", day=22, impulse=2), {"destinations": {}}),
    "7.1: on the 16th nobody comes back to an overstack":
        asks("check_path units=u0 path=s,x,s", position("A-s major; s-x major", FIVE_ENGINEERS, day=16),
        {"legal": False}),
    "7.1: on the 16th one in an overstack may dig in":
        asks("entrench_options unit=u0", position("A-s major", FIVE_FOOT, day=16), {"areas": ["s"]}),
    "7.2: set-up overstacks are spared until 16-3":
        asks("overstack_eliminations place=s side=German",
        position("A-s major", FIVE_FOOT, day=16, impulse=2, areas={"s": {"setup_overstack": True}}),
        {"count": 1, "sets": [""]}),
    "7.2: and not in 16-3": asks("overstack_eliminations place=s side=German",
        position("A-s major", FIVE_FOOT, day=16, impulse=3, areas={"s": {"setup_overstack": True}}),
        {"count": 5, "sets": ["u0", "u1", "u2", "u3", "u4"]}),
    "8.35: armor in a stack on foot neither slows it further nor wades":
        asks("reachable units=a,m foot_mode", MIXED, {"destinations": {"A": 1, "y": 2, "z": 4}}),
    "8.35: a declaration means nothing to armor alone":
        asks("reachable units=a foot_mode", MIXED, {"destinations": {"A": 1, "y": 2, "z": 4, "w": 6}}),
    "8.2: the cheaper of two connections":
        asks("reachable_cost units=a to=x",
        parallel(position("A-s major; s-x minor", "a German foot 3 s"), road="major"), {"cost": 1}),
    "8.42: one of two bridges blown, the other crossed":
        asks("check_path units=m path=s,!x,x", parallel(position("A-s major; D-x major; s-x major intact", GUARDED)),
        {"legal": True, "cost": 3}),
    "8.42: three bridges blown in one move":
        asks("check_path units=e path=s,!x,!y,!z", THREE_BRIDGES, {"legal": True, "cost": 3}),
    "8.42: no bridge is blown twice": asks("check_path units=m foot_mode path=s,!x,!x", position(BRIDGE, GUARDED),
        {"legal": False}),
    "8.42: on foot through the water where the bridge was":
        asks("check_path units=m foot_mode path=s,!x,x", position(BRIDGE, GUARDED), {"legal": True, "cost": 5}),
    "10.26: nobody there to blow it on the 16th":
        asks("check_path units=m path=s,!x", position(BRIDGE, GUARDED, day=16), {"legal": False}),
    "10.27: an engineer that dug in where it began keeps its die":
        asks("demolition_options bridge=s-x crossing=m",
        position(BRIDGE, "m German mechanized 3 s; v Allied engineer 1 x moved entrenched_today"),
        {"options": {"v": 8}}),
    "10.29: one that came from elsewhere and dug in does not":
        asks("demolition_options bridge=s-x crossing=m",
        position(BRIDGE, "m German mechanized 3 s; v Allied engineer 1 x moved entrenched_today day_start=D"),
        {"options": {"v": 4}}),
    "10.16: the modifiers of failures end at the die's end":
        asks("construction_options", position("A-s major; s-x major blown failed=9",
        "e German engineer 3 s; f German foot 1 x"), {"options": {"s-x": {"e": 10}}}),
    "10.12: engineers at both ends": asks("construction_options",
        position("A-s major; s-x major blown", "e German engineer 3 s; f German engineer 1 x"),
        {"options": {"s-x": {"e": 4, "f": 4}}}),
    "10.12: an engineer that began the turn at the other end":
        asks("construction_options", position("A-s major; s-x major blown",
        "e German engineer 3 s day_start=x; f German foot 1 x"), {"options": {"s-x": {"e": 4}}}),
    "10.12: an engineer that began the turn at neither end":
        asks("construction_options", position("A-s major; s-x major blown",
        "e German engineer 3 s day_start=A; f German foot 1 x"), {"options": {}}),
    "10.12: an engineer that is at neither end now":
        asks("construction_options", position("A-s major; s-x major blown; s-y major",
        "e German engineer 3 y day_start=s; f German foot 1 x"), {"options": {}}),
    "8.53: who shifted zones has not all points for digging in":
        asks("check_path units=a path=s,entrench", position("A-s major", "a German foot 3 s points_spent=1"),
        {"legal": False}),
    "13.23: infantry out of supply digs in under either reading of R17":
        asks("check_path units=u path=s,entrench R17=no-oos-destination", CUT_OFF, {"legal": True, "cost": 5}),
    "8.29: out of supply, one area": asks("reachable units=u", CUT_OFF, {"destinations": {"x": 1}}),
    "8.28: none at all under the other reading":
        asks("reachable units=u R17=no-oos-destination", CUT_OFF, {"destinations": {}}),
    "5.24: a red triangle bars moving, not digging in":
        asks("entrench_options unit=a", position("A-s major; s-x major", "a German engineer 3 s !moves_16_1", day=16),
        {"areas": ["s"]}),
    "11.21: no Allied way in by a zone with Germans": asks("reachable units=a", HELD_ZONE, {"destinations": {}}),
    "12.25: no way back from a VP zone":
        asks("reachable units=a", position("A-s major; s-D major", "a German foot 3 D", zones={"D": {"vp_factor": 2}}),
        {"destinations": {}}),
    "8.27: from enemies to a zone with enemies, out of supply as before":
        asks("reachable_cost units=a to=D",
        position("A-s major; s-x major; x-D major",
        "a German foot 3 x; b Allied foot 1 x; c Allied foot 1 D; d Allied foot 1 s"), {"cost": 2}),
    "9.12: off the map when the impulse began":
        asks("attack_status unit=a", position("A-s major", "a German foot 3 s impulse_start=null; c Allied foot 1 s"),
        {"status": "must"}),
    "9.17: no attack in a zone": asks("attack_status unit=a",
        position("A-s major", "a German armor 3 A impulse_start=s; c Allied foot 1 A"), {"status": "may not"}),
    "9.53: an equal of more than one point keeps no one from choosing freely":
        asks("fire_allocations who=defender R3=exempt-means-free",
        battle("foot 1, foot 2, engineer 2", "mechanized 2, mechanized 2"), {"count": 6}),
    "9.53: and by default it does": asks(
        # each takes a foot unit first; the second has the other, or leaves the one point out for the engineer
        "fire_allocations who=defender",
        battle("foot 1, foot 2, engineer 2", "mechanized 2, mechanized 2"),
        {"count": 4, "allocations": ["d1>a1,d2>a2", "d1>a2,d2>a1", "d1>a2,d2>a3", "d1>a3,d2>a2"]},
    ),
    "9.54: one defender leaves out one point, 9.52 binds it all the same":
        asks("fire_allocations who=defender R3=exempt-means-free",
        battle("foot 1, armor 2, engineer 2", "mechanized 2"), {"count": 2, "allocations": ["d1>a1", "d1>a2"]}),
    "9.73: whoever stays without attacking began the impulse there":
        asks("artillery_to_hit who=defender target=a1", battle("foot 2 river", "foot 2", bystanders="foot 1 river"),
        {"factor": 5, "drms": {"not-combined-arms": -1}, "highest": 6}),
    "9.5: nobody left to fire at": asks("fire_allocations who=defender", battle("", "foot 2"),
        {"count": 0, "allocations": []}),
    "9.5: nobody left to fire": asks("fire_allocations who=attacker", battle("", "foot 2"),
        {"count": 1, "allocations": [""]}),
    "9.42: the dead call for nothing": asks("artillery_calls", battle("", "foot 2"),
        {"calls": {"attacker": 0, "defender": 1}}),
    "9.46: five counters on three types":
        asks("artillery_targetings who=defender n=3", battle("foot 2, armor 1", "foot 1"),
        {"count": 1, "sequences": ["a1,a2,a1"], "multisets": ["a1,a1,a2"]}),
    "10.14: an engineer that tried to build may not attack":
        asks("attack_status unit=a", position("A-s major", "a German engineer 3 s built_today; c Allied foot 1 s"),
        {"status": "may not"}),
    "R16: one that dug in today may not attack later":
        asks("attack_status unit=a", position("A-s major", "a German foot 3 s entrenched_today; c Allied foot 1 s"),
        {"status": "may not"}),
    "R16: nor move": asks("reachable units=a", position("A-s major", "a German foot 3 s entrenched_today"),
        {"destinations": {}}),
    "7.2: where the limits hold nothing is eliminated, whatever R20 says":
        asks("overstack_eliminations place=s side=German R20=any", position("A-s major", "a German foot 3 s"),
        {"count": 1, "sets": [""]}),
    "9.53: a bystander is no attacker, so its one point does not exempt it":
        asks("fire_allocations who=defender R6=all-present", battle("armor 3", "mechanized 2", bystanders="foot 1"),
        {"count": 1, "allocations": ["d1>b1"]}),
    "13.11: supply goes back to a zone, never through one":
        asks("supplied unit=a", position("A-D major; D-s major", "a German foot 3 s"),
        {"supplied": False, "without_blown_bridge": False}),
    "10.22: a bridge is blown from an area":
        asks("demolition_options bridge=s-D crossing=a",
        position("A-s major; s-D major intact", "a German foot 3 s; v Allied foot 1 D"), {"options": {}}),
    "10.12: a bridge is built from an area":
        asks("construction_options", position("A-s major blown", "a German engineer 3 A; b German foot 1 s"),
        {"options": {}}),
    "8.58: who leaves an entrenchment may dig a new one where it was":
        asks("check_path units=e path=s,x,s,entrench",
        position("A-s major; s-x major", "e German engineer 3 s entrenched"), {"legal": True, "cost": 6}),
}  # fmt: skip


@pytest.mark.parametrize(("case", "expected"), AGREED.values(), ids=AGREED)
def test_smallest_cases(case, expected):
    found = reference_answer(case)
    assert {name: found[name] for name in expected} == expected
    assert engine_answer(case) == found


# ---------------------------------------------------------------------- the functions that benchmarks time


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_the_lists(seed):
    case = seeded_case(seed, "fire_allocations")
    fight, who, readings = read_battle(case["input"]["battle"]), case["input"]["who"], case["readings"]
    listed = list_fire(fight, who, readings)
    assert count_fire(fight, who, readings) == len(set(listed)) == len(listed)
    assert all(len(row) == len(firing_order(read_fire(fight, who, readings))) for row in listed)


@pytest.mark.parametrize("seed", range(40))
def test_a_side_moves_as_its_units_do(seed):
    case = as_printed(seeded_case(seed, "reachable"))
    board = case["input"]["position"]
    prepared = read_position(board)
    found = {
        name: {prepared.names[place]: cost for place, cost in costs.items()}
        for name, costs in moves_of_side(prepared, case["readings"]).items()
    }
    own = [unit["id"] for unit in board["units"] if unit["side"] == board["side_to_move"]]
    wanted = {
        name: engine_answer({**case, "input": {"position": board, "units": [name]}})["destinations"] for name in own
    }
    assert found == wanted


@pytest.mark.parametrize("seed", range(40))
def test_a_side_is_supplied_as_its_units_are(seed):
    case = as_printed(seeded_case(seed, "supplied"))
    board = case["input"]["position"]
    prepared = read_position(board)
    for unit in prepared.units.values():
        asked = {**case, "input": {"position": board, "unit": unit.id}}
        assert supplied(unit, supply_of_side(prepared, unit.side)) is engine_answer(asked)["supplied"]
