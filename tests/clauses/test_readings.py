"""Every reading that the rules name: one question, and the two answers."""

import pytest
from titm_rules.oracle.edition import Edition

from tests.builders import battle, position
from tests.coverage.collect import record_case

MIXED = battle("armor 2, mechanized 2, foot 2, foot 2", "engineer 2, motorized 2, armor 2")
CUT_OFF = position("B-s major; s-x major; x-y major", "m German foot 2 x; e Allied foot 1 s")
ELEVEN = position("B-x major", "a German foot 6 x; b German foot 5 x")
BEYOND = position(
    "B-x major; x-H major", "m German foot 3 H; n German foot 2 H scored", zones={"H": {"vp_factor": 2, "counted": 3}}
)

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
        "R9", "artillery_sequence_legal",
        {"battle": battle("foot 3", "foot 4, foot 3, mechanized 3"), "who": "attacker", "sequence": ["d1", "d3"]},
        {"legal": True}, "pre-1999-no-subtract", {"legal": False},
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


@pytest.mark.parametrize("engine", ["compiled", "naive"])
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
        return record_case(edition, ask, f"reading {name} {chosen}") if engine == "naive" else ask(edition)

    ruling = Edition("1999").all_readings[name].default
    assert answer({}) == answer({name: ruling}) == default
    assert answer({name: choice}) == other


def test_every_choice_is_shown():
    shown = {(row[0], row[4]) for row in TABLE}
    readings = Edition("1999").all_readings.values()
    named = {(one.name, choice) for one in readings for choice in one.offered if choice != one.default}
    assert shown == named
