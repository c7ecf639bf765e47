"""Every reading that the rules name: one question, and the two answers."""

import pytest
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests.builders import battle, position
from tests.coverage.collect import record_case

MIXED = battle("armor 2, mechanized 2, foot 2, foot 2", "engineer 2, motorized 2, armor 2")
CUT_OFF = position("B-s major; s-x major; x-y major", "m German foot 2 x; e Allied foot 1 s")
ELEVEN = position("B-x major", "a German foot 6 x; b German foot 5 x")
BEYOND = position(
    "B-x major; x-H major", "m German foot 3 H; n German foot 2 H scored", zones={"H": {"vp_factor": 2, "counted": 3}}
)

EDGE = position(
    "A-s major; K-s major; C-s major; H-s major",
    "m German foot 2 s",
    20,
    zone_neighbours=[["A", "K"], ["K", "H"], ["H", "C"]],
)
RELEASED = {"id": "g", "side": "German", "kind": "armor", "strength": 3, "entry": ["A"], "due": [17, 1],
            "release": ["s"], "released": True, "released_day": 17, "released_impulse": 3}  # fmt: skip
FREED = position("A-s major; B-s major", "m German foot 2 s", 18, phase="reinforcement", placing="German",
                 reserves=[RELEASED], zone_neighbours=[["A", "B"]])  # fmt: skip

# reading, position, whether an action is listed under the default, other choice, whether it is under that
MARCHING = position("B-s major; s-x major; x-y major blown; x-E major", "m German mechanized 2 s",
                    marching=["m"], front="x", march_spent=1)  # fmt: skip
PLAYED = [
    ("R51", FREED, "German bring-on g B", False, "from-the-card", True),
    ("E47", MARCHING, "German wade y x-y", False, "at-any-time", True),
]

# reading, query, input, answer under the default, other choice, answer under it
TABLE = [
    (
        "R2", "fire_allocations",
        {"battle": MIXED, "who": "attacker"},
        {"count": 5}, "strict-quality", {"count": 2},
    ),
    (
        "R3", "fire_allocation_legal",
        {"battle": battle("mechanized 1, motorized 2, foot 2", "mechanized 2, foot 2"), "who": "defender",
         "allocation": {"d1": "a3", "d2": "a2"}},
        {"legal": False}, "exempt-means-free", {"legal": True},
    ),
    (
        "R6", "fire_allocation_legal",
        {"battle": battle("foot 2", "foot 2", bystanders="foot 2"), "who": "defender", "allocation": {"d1": "b1"}},
        {"legal": False}, "all-present", {"legal": True},
    ),
    (
        "E41", "artillery_calls", {"battle": battle("foot 3", "foot 6 oos")},
        {"calls": {"attacker": 1, "defender": 0}}, "always", {"calls": {"attacker": 1, "defender": 1}},
    ),
    (
        "E42", "artillery_sequence_legal",
        {"battle": battle("foot 9", "foot 2, armor 1"), "who": "attacker", "sequence": ["d1", "d2", "d2"]},
        {"legal": False}, "free-choice", {"legal": True},
    ),
    (
        "E43", "artillery_calls", {"battle": battle("foot 3", "foot 3", attacker="Allied", front_line=True)},
        {"availability": {"attacker": 8, "defender": 6}}, "attacks-only",
        {"availability": {"attacker": 8, "defender": 4}},
    ),
    (
        "E44", "attack_status",
        {"position": position("B-x major", "m German foot 2 x entrenched entrenched_today; e Allied foot 1 x"),
         "unit": "m"}, {"status": "may not"}, "may-attack", {"status": "may"},
    ),
    (
        "E45", "check_path",
        {"position": position("B-x major", "m German foot 2 B day_start=null; n German foot 2 B day_start=null"),
         "units": ["m", "n"], "path": ["B", "x"]}, {"legal": False}, "as-placed", {"legal": True},
    ),
    (
        "E46", "attack_status",
        {"position": position("E-x major", "m Allied foot 2 x; e German foot 1 x", 16, side="Allied"), "unit": "m"},
        {"status": "may"}, "no-attack", {"status": "may not"},
    ),
    (
        "R39", "check_path",
        {"position": position("K-s major; s-E major", "m Allied foot 2 K; e German foot 1 K", side="Allied"),
         "units": ["m"], "path": ["K", "s"]},
        {"legal": True}, "all", {"legal": False},
    ),
    (
        "R47", "reinforcement_options",
        {"position": EDGE, "side": "German", "entry": ["A"], "due": [18, 1], "ask": ["K"]},
        {"zones": {"K": None}}, "any-open", {"zones": {"K": 2}},
    ),
    (
        "R48", "reinforcement_options",
        {"position": EDGE, "side": "German", "entry": ["A"], "due": [18, 1], "ask": ["C"], "kind": "foot"},
        {"zones": {"C": None}}, "any-distance", {"zones": {"C": 6}},
    ),
    (
        "R49", "entrench_options",
        {"position": position("B-s major", "m German foot 2 s !moves_16_1", 16), "unit": "m"},
        {"areas": ["s"]}, "no-digging-in", {"areas": []},
    ),
    (
        "R52", "supplied", {"position": position("x-K major; K-y major; y-B major", "m German foot 2 x"), "unit": "m"},
        {"supplied": False}, "zones-pass", {"supplied": True},
    ),
    (
        "R54", "demolition_options",
        {"position": position("B-s major; s-x major intact; x-E major",
                              "m German foot 2 s; e Allied foot 2 x moved stood_aside"),
         "bridge": "s-x", "crossing": ["m"]},
        {"options": {"e": 2}}, "stood-still", {"options": {"e": 4}},
    ),
    (
        "R17", "reachable", {"position": CUT_OFF, "units": ["m"]},
        {"destinations": {"s": 2, "y": 1}}, "no-oos-destination", {"destinations": {"s": 2}},
    ),
    (
        "R20", "overstack_eliminations", {"position": ELEVEN, "place": "x", "side": "German"},
        {"sets": ["a", "b"]}, "any", {"sets": ["a", "a,b", "b"]},
    ),
    (
        "R33", "vp_at_turn_end", {"position": BEYOND}, {"total": 0}, "high-water", {"total": 4},
    ),
    (
        "R33", "vp_at_turn_end", {"position": BEYOND}, {"total": 0}, "per-unit", {"total": 6},
    ),
    (
        "R19", "check_path",
        {"position": position("B-x major; x-y river; B-y major", "g German foot 2 x"), "units": ["g"],
         "path": ["x", "y"]},
        {"legal": False}, "wading", {"legal": True},
    ),
    (
        "E23", "reinforcement_options",
        {"position": position("A-x major", "g German foot 2 x"), "side": "German", "entry": ["A"], "due": [17, 3],
         "ask": ["A"]},
        {"zones": {"A": None}}, "once-a-day", {"zones": {"A": 0}},
    ),
    (
        "E28", "contingent_release",
        {"position": position("A-x major; x-y major", "g German foot 2 x; e Allied foot 2 y"), "areas": ["x", "y"]},
        {"released": True}, "all-areas", {"released": False},
    ),
    (
        "E32", "vp_at_turn_end",
        {"position": position("A-x major", "g German foot 2 x", 22, areas={"x": {"vp": 4, "control": "German"}})},
        {"total": 4}, "scores-nothing", {"total": 0},
    ),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize(
    ("name", "query", "asked", "default", "choice", "other"), TABLE, ids=[f"{row[0]} {row[4]}" for row in TABLE]
)
def test_reading_decides(name, query, asked, default, choice, other, engine):
    def ask(edition):
        found = edition.answer(query, asked)
        return {key: found[key] for key in default}

    def answer(readings):
        edition = Edition("1999", readings, engine)
        chosen = readings.get(name, "default")
        return record_case(edition, ask, f"reading {name} {chosen}") if engine == "reference" else ask(edition)

    ruling = Edition("1999").all_readings[name].default
    assert answer({}) == answer({name: ruling}) == default
    assert answer({name: choice}) == other


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize(("name", "world", "action", "default", "choice", "other"), PLAYED)
def test_reading_decides_in_a_game(name, world, action, default, choice, other, engine):
    def listed(readings):
        actions = Position.from_dict(world, Edition("1999", readings, engine)).legal_actions
        return action in [f"{one.by} {one}" for one in actions]

    assert (listed({}), listed({name: choice})) == (default, other)


def test_every_choice_is_shown():
    shown = {(row[0], row[4]) for row in (*TABLE, *PLAYED)}
    readings = Edition("1999").all_readings.values()
    named = {(one.name, choice) for one in readings for choice in one.offered if choice != one.default}
    assert shown == named
