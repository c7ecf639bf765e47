"""Every reading that the rules name: one question, and the two answers."""

import pytest
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests.builders import battle, position
from tests.clauses.rows import (
    ENGINES,
    Row,
    attacks,
    available,
    blows,
    calls,
    counters,
    fires,
    releases,
    supplied,
)
from tests.coverage.collect import record_case

MIXED = battle("armor 2, mechanized 2, foot 2, foot 2", "engineer 2, motorized 2, armor 2")
CUT_OFF = position("B-s major; s-x major; x-y major", "m German foot 2 x; e Allied foot 1 s")
ELEVEN = position("B-x major", "a German foot 6 x; b German foot 5 x")
BEYOND = position(
    "B-x major; x-H major", "m German foot 3 H; n German foot 2 H scored", zones={"H": {"vp_factor": 2, "counted": 3}}
)

EDGE = position(
    "A-s major; K-s major; C-s major; H-s major", "m German foot 2 s", 20,
    zone_neighbours=[["A", "K"], ["K", "H"], ["H", "C"]],
)  # fmt: skip
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

def path(reading: str, choice: str, world: dict, units: str, way: str, legal: bool) -> tuple[Row, dict]:
    asked = {"position": world, "units": units.split(), "path": way.split()}
    return Row(reading, "check_path", asked, {"legal": legal}, choice), {"legal": not legal}


def coming(reading: str, choice: str, world: dict, due: list[int], zone: str, cost: int, **more) -> tuple[Row, dict]:
    asked = {"position": world, "side": "German", "entry": ["A"], "due": due, "ask": [zone], **more}
    return Row(reading, "reinforcement_options", asked, {"zones": {zone: None}}, choice), {"zones": {zone: cost}}


def total(reading: str, choice: str, world: dict, points: int, other: int) -> tuple[Row, dict]:
    return Row(reading, "vp_at_turn_end", {"position": world}, {"total": points}, choice), {"total": other}


# A row of a reading and its other choice, with the answer under the default; and the answer under that choice.
MASKED = battle("mechanized 1, motorized 2, foot 2", "mechanized 2, foot 2")
ASIDE = position("B-s major; s-x major intact; x-E major", "m German foot 2 s; e Allied foot 2 x moved stood_aside")
TABLE = [
    (Row("R2", "fire_allocations", {"battle": MIXED, "who": "attacker"}, {"count": 5}, "strict-quality"), {"count": 2}),
    (fires("R3", MASKED, "defender", "d1>a3 d2>a2", False, "exempt-means-free"), {"legal": True}),
    (fires("R6", battle("foot 2", "foot 2", bystanders="foot 2"), "defender", "d1>b1", False, "all-present"), {"legal": True}),
    (calls("E41", battle("foot 3", "foot 6 oos"), 1, 0, "always"), {"calls": {"attacker": 1, "defender": 1}}),
    (counters("E42", battle("foot 9", "foot 2, armor 1"), "attacker", "d1 d2 d2", False, "free-choice"), {"legal": True}),
    (available("E43", battle("foot 3", "foot 3", attacker="Allied", front_line=True), 8, 6, "attacks-only"),
     {"availability": {"attacker": 8, "defender": 4}}),
    (attacks("E44", position("B-x major", "m German foot 2 x entrenched entrenched_today; e Allied foot 1 x"), "m", "may not", "may-attack"),
     {"status": "may"}),
    path("E45", "as-placed", position("B-x major", "m German foot 2 B day_start=null; n German foot 2 B day_start=null"), "m n", "B x", False),
    (attacks("E46", position("E-x major", "m Allied foot 2 x; e German foot 1 x", 16, side="Allied"), "m", "may", "no-attack"),
     {"status": "may not"}),
    path("R39", "all", position("K-s major; s-E major", "m Allied foot 2 K; e German foot 1 K", side="Allied"), "m", "K s", True),
    coming("R47", "any-open", EDGE, [18, 1], "K", 2),
    coming("R48", "any-distance", EDGE, [18, 1], "C", 6, kind="foot"),
    (Row("R49", "entrench_options", {"position": position("B-s major", "m German foot 2 s !moves_16_1", 16), "unit": "m"},
         {"areas": ["s"]}, "no-digging-in"), {"areas": []}),
    (supplied("R52", position("x-K major; K-y major; y-B major", "m German foot 2 x"), "m", False, "zones-pass"), {"supplied": True}),
    (blows("R54", ASIDE, "s-x", "m", {"e": 2}, "stood-still"), {"options": {"e": 4}}),
    (Row("R17", "reachable", {"position": CUT_OFF, "units": ["m"]}, {"destinations": {"s": 2, "y": 1}}, "no-oos-destination"),
     {"destinations": {"s": 2}}),
    (Row("R20", "overstack_eliminations", {"position": ELEVEN, "place": "x", "side": "German"}, {"sets": ["a", "b"]}, "any"),
     {"sets": ["a", "a,b", "b"]}),
    total("R33", "high-water", BEYOND, 0, 4),
    total("R33", "per-unit", BEYOND, 0, 6),
    path("R19", "wading", position("B-x major; x-y river; B-y major", "g German foot 2 x"), "g", "x y", False),
    coming("E23", "once-a-day", position("A-x major", "g German foot 2 x"), [17, 3], "A", 0),
    (releases("E28", position("A-x major; x-y major", "g German foot 2 x; e Allied foot 2 y"), "x y", True, "all-areas"), {"released": False}),
    total("E32", "scores-nothing", position("A-x major", "g German foot 2 x", 22, areas={"x": {"vp": 4, "control": "German"}}), 4, 0),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("row", "other"), TABLE, ids=[str(row) for row, _ in TABLE])
def test_reading_decides(row, other, engine):
    name = row.clause

    def answer(readings):
        edition = Edition("1999", readings, engine)
        chosen = readings.get(name, "default")
        return record_case(edition, row.ask, f"reading {name} {chosen}") if engine == "reference" else row.ask(edition)

    ruling = Edition("1999").all_readings[name].default
    assert answer({}) == answer({name: ruling}) == row.expected
    assert answer({name: row.remark}) == other


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "world", "action", "default", "choice", "other"), PLAYED)
def test_reading_decides_in_a_game(name, world, action, default, choice, other, engine):
    def listed(readings):
        actions = Position.from_dict(world, Edition("1999", readings, engine)).legal_actions
        return action in [f"{one.by} {one}" for one in actions]

    assert (listed({}), listed({name: choice})) == (default, other)


def test_every_choice_is_shown():
    shown = {*((row.clause, row.remark) for row, _ in TABLE), *((row[0], row[4]) for row in PLAYED)}
    readings = Edition("1999").all_readings.values()
    named = {(one.name, choice) for one in readings for choice in one.offered if choice != one.default}
    assert shown == named
