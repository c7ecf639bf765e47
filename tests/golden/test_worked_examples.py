"""The rulebook's worked examples as whole situations: verdicts, the clauses that decide, counts.

What the lost pictures showed (roads, strengths) is supplied so that the printed totals come out.
"""

# ruff: noqa: E501 -- a case stands on as few lines as it can

from dataclasses import dataclass, field
from typing import Any

import pytest
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.edition import Edition

from tests.builders import battle, position
from tests.coverage.collect import record_case


@dataclass(frozen=True)
class Example:
    """A question about an example, its outcome, part of its answer, and clauses that must decide it."""

    name: str
    query: str
    asked: dict[str, Any]
    outcome: str
    answer: dict[str, Any]
    clauses: tuple[str, ...] = ()
    readings: dict[str, str] = field(default_factory=dict)

    def ask(self, edition: Edition) -> dict[str, Any]:
        """Ask an edition for that part of the answer."""
        answer = edition.answer(self.query, self.asked)
        return {name: answer.get(name) for name in self.answer}

    def __str__(self) -> str:
        return f"worked example: {self.name}"


# ---------------------------------------------------------------------- the road to Rambrouch
INFANTRY = ("Sauel", "Grosbous", "Rambrouch")


def rambrouch(bridge: str, gone: str = ""):
    roads = (
        f"B-Mersch major; Mersch-Ettelbruck major {bridge}; Ettelbruck-Eschdorf major; Eschdorf-Rambrouch minor;"
        "Mersch-Sauel minor; Sauel-Grosbous minor; Grosbous-Rambrouch minor"
    )
    infantry = [f"i{n} German foot 2 {place}" for n, place in enumerate(INFANTRY) if place != gone]
    return {"position": position(roads, "; ".join(["m German armor 3 Mersch", *infantry])), "units": ["m"]}


BY_SAUEL = ["Mersch", "Sauel", "Grosbous", "Rambrouch"]
RAMBROUCH = [
    Example("bridge intact", "reachable_cost", rambrouch("intact") | {"to": "Rambrouch"}, "legal", {"cost": 5}, ("8.33-major", "8.33-minor", "8.37")),
    Example("bridge blown", "reachable_cost", rambrouch("blown") | {"to": "Rambrouch"}, "illegal", {"cost": None}),
    Example("bridge blown, over it", "check_path", rambrouch("blown") | {"path": ["Mersch", "Ettelbruck"]}, "illegal", {"legal": False}, ("8.33-unbridged",)),
    Example("bridge blown, by Sauel", "check_path", rambrouch("blown") | {"path": BY_SAUEL}, "illegal", {"legal": False}, ("8.38",)),
    *(Example(f"infantry of {place} has left", "reachable_cost", rambrouch("blown", place) | {"to": "Rambrouch"}, "legal", {"cost": 8}) for place in INFANTRY),
]


# ---------------------------------------------------------------------- the bridge at Malmedy
def malmedy(flags: str = ""):
    roads = "B-Waimes major; Waimes-Malmedy major intact; Malmedy-D major; Waimes-Ligneuville minor; Ligneuville-Recht minor"
    return {"position": position(roads, f"m German armor 3 Waimes; n German mechanized 2 Waimes; e Allied engineer 2 Malmedy {flags}")}


STACK = {"units": ["m", "n"]}
MALMEDY = [
    Example("blown in the face", "check_path", malmedy() | STACK | {"path": ["Waimes", "!Malmedy"]}, "legal", {"cost": 1}, ("8.42b",)),
    Example("another way", "check_path", malmedy() | STACK | {"path": ["Waimes", "!Malmedy", "Ligneuville", "Recht"]}, "legal", {"cost": 5}),
    Example("not over it any more", "check_path", malmedy() | STACK | {"path": ["Waimes", "!Malmedy", "Malmedy"]}, "illegal", {"legal": False}, ("8.33-unbridged",)),
    Example("the engineer's chance", "demolition_options", malmedy() | {"bridge": "Waimes-Malmedy", "crossing": ["m", "n"]}, "answered", {"options": {"e": 8}}),
    Example("having moved", "demolition_options", malmedy("moved day_start=D") | {"bridge": "Waimes-Malmedy", "crossing": ["m", "n"]}, "answered", {"options": {"e": 4}}),
]

# ---------------------------------------------------------------------- artillery
TWO_FEET = {"battle": battle("foot 3, foot 3, armor 2", "armor 2"), "who": "defender"}
FOUR_THREE = {"battle": battle("foot 4, foot 3, mechanized 3", "armor 2"), "who": "defender"}
LONE = {"battle": battle("foot 3", "armor 2"), "who": "defender"}
ARTILLERY = [
    Example("first, two counters", "artillery_targetings", TWO_FEET | {"n": 2}, "answered", {"count": 2, "sequences": ["a1,a2", "a2,a1"], "multisets": ["a1,a2"]}),
    Example("first, a third", "artillery_targetings", TWO_FEET | {"n": 3}, "answered", {"sequences": ["a1,a2,a3", "a2,a1,a3"]}),
    Example("first, second on the armor", "artillery_sequence_legal", TWO_FEET | {"sequence": ["a1", "a3"]}, "illegal", {"legal": False}, ("9.46b",)),
    Example("second", "artillery_targetings", FOUR_THREE | {"n": 2}, "answered", {"count": 3, "sequences": ["a1,a2", "a1,a3", "a2,a1"]}),
    Example("two counters on one unit", "artillery_targetings", LONE | {"n": 2}, "answered", {"count": 1, "sequences": ["a1,a1"]}),
    *(Example(f"calls of {points}", "artillery_calls", {"battle": battle(f"foot {points}", f"foot {points}")}, "answered", {"calls": {"attacker": attacker, "defender": defender}})
      for points, attacker, defender in ((1, 0, 1), (2, 0, 1), (3, 1, 1), (5, 1, 1), (6, 2, 2), (8, 2, 2), (9, 3, 3), (10, 3, 3))),
]  # fmt: skip

# ---------------------------------------------------------------------- fire
COMBAT = battle("armor 2 river, mechanized 1 river, foot 2 river, foot 3 river", "armor 2, mechanized 3 entrenched")
LATER = battle("armor 1 river, mechanized 1 river, foot 3 river", "armor 2, mechanized 3 entrenched")
MIXED = battle("armor 2, mechanized 2, foot 2, foot 2", "engineer 2, motorized 2, armor 2")
TWO_DRMS = {"river": -1, "not-combined-arms": -1}


def shots(fight, who, text):
    return {"battle": fight, "who": who, "allocation": dict(shot.split(">") for shot in text.split())}


def shot(fight, text):
    firing, target = text.split(">")
    return {"battle": fight, "who": "attacker" if firing.startswith("a") else "defender", "firing": firing, "target": target}


FIRE = [
    Example("9.57", "fire_allocations", {"battle": MIXED, "who": "attacker"}, "answered", {"count": 5}),
    Example("9.57, strict", "fire_allocations", {"battle": MIXED, "who": "attacker"}, "answered", {"count": 2}, (), {"R2": "strict-quality"}),
    Example("9.57, mechanized at the engineer", "fire_allocation_legal", shots(MIXED, "attacker", "a1>d3 a2>d1 a3>d2 a4>d1"), "illegal", {"legal": False}, ("9.57a",)),
    Example("9.57, nobody at the engineer", "fire_allocation_legal", shots(MIXED, "attacker", "a1>d3 a2>d2 a3>d2 a4>d3"), "illegal", {"legal": False}, ("9.54b",)),
    Example("calls", "artillery_calls", {"battle": COMBAT}, "answered", {"calls": {"attacker": 2, "defender": 1}}),
    Example("no combined arms", "combined_arms", {"battle": COMBAT}, "illegal", {"combined_arms": False}, ("9.6c",)),
    Example("US choices", "fire_allocations", {"battle": COMBAT, "who": "defender"}, "answered", {"count": 3, "allocations": ["d1>a1,d2>a2", "d1>a1,d2>a3", "d1>a1,d2>a4"]}),
    Example("US mech at the foot of two", "fire_allocation_legal", shots(COMBAT, "defender", "d1>a1 d2>a3"), "legal", {"legal": True}, ("9.53a",)),
    Example("US mech at the armor", "fire_allocation_legal", shots(COMBAT, "defender", "d1>a1 d2>a1"), "illegal", {"legal": False}, ("9.54b", "9.55a")),
    Example("US armor's range", "to_hit", shot(COMBAT, "d1>a1"), "answered", {"factor": 5, "highest": 7, "drms": TWO_DRMS}, ("9.6b", "9.71-river")),
    Example("US mech's range", "to_hit", shot(COMBAT, "d2>a3"), "answered", {"factor": 4, "highest": 6, "drms": TWO_DRMS}),
    Example("German choices", "fire_allocations", {"battle": LATER, "who": "attacker"}, "answered", {"allocations": ["a1>d1,a2>d2,a3>d1", "a1>d1,a2>d2,a3>d2"]}),
    Example("German armor's range", "to_hit", shot(LATER, "a1>d1"), "answered", {"highest": 4, "drms": {}}),
    Example("German mech's range", "to_hit", shot(LATER, "a2>d2"), "answered", {"highest": 2, "drms": {"entrenched": 1}}, ("9.71-entrenched",)),
    Example("German foot's range", "to_hit", shot(LATER, "a3>d1"), "answered", {"highest": 3, "drms": {}}),
    Example("Schoenburg, calls", "artillery_calls", {"battle": battle("armor 4 river, foot 4 river", "armor 3")}, "answered", {"calls": {"attacker": 2, "defender": 1}, "availability": {"attacker": 4, "defender": 8}}),
    Example("Schoenburg, modifiers", "to_hit", shot(battle("armor 4 river, foot 4 river", "armor 3"), "d1>a1"), "answered", {"highest": 7, "drms": TWO_DRMS}),
]


# ---------------------------------------------------------------------- the pocket at Bastogne
def bastogne(units: str, impulse: int = 1):
    roads = "B-Bastogne major; Bastogne-Sprimont major; Sprimont-Moircy major; Nives-Moircy major; B-Nives major"
    return position(roads, f"tank German armor 3 Nives; us Allied foot 2 Nives; {units}", impulse=impulse)


HELD = bastogne("inf German foot 3 Bastogne; them Allied armor 2 Bastogne")
WON = bastogne("inf German foot 3 Bastogne attacked", 2)
INTO_BASTOGNE = bastogne("inf German foot 3 Bastogne attacked; them Allied foot 2 Bastogne", 2)
INTO_SPRIMONT = bastogne("inf German foot 3 Bastogne attacked; them Allied foot 2 Sprimont", 2)


def path(world, unit: str, text: str, foot: bool = False):
    return {"position": world, "units": [unit], "path": text.split(), "foot_mode": foot}


SUPPLY = [
    Example("Bastogne to Sprimont", "check_path", path(HELD, "inf", "Bastogne Sprimont"), "illegal", {"legal": False}, ("8.28",)),
    Example("Nives to Moircy", "check_path", path(HELD, "tank", "Nives Moircy"), "illegal", {"legal": False}, ("8.28",)),
    Example("staying at Nives", "attack_status", {"position": HELD, "unit": "tank"}, "answered", {"status": "may"}),
    Example("Bastogne is won", "check_path", path(WON, "tank", "Nives Moircy"), "legal", {"legal": True}),
    Example("and beyond Moircy", "check_path", path(WON, "tank", "Nives Moircy Sprimont"), "legal", {"legal": True}),
    Example("Allies come to Bastogne", "check_path", path(INTO_BASTOGNE, "tank", "Nives Moircy"), "illegal", {"legal": False}, ("8.28",)),
    Example("Allies come to Sprimont", "check_path", path(INTO_SPRIMONT, "tank", "Nives Moircy"), "illegal", {"legal": False}, ("8.28",)),
    Example("the infantry has attacked", "check_path", path(WON, "inf", "Bastogne Sprimont"), "illegal", {"legal": False}, ("9.16",)),
]


# ---------------------------------------------------------------------- the crossing at Dasburg
def dasburg(bridge: str, mech: str = "mech German mechanized 3 Dasburg", **fields):
    roads = f"B-Dasburg major; Dasburg-Marnach major {bridge}; Marnach-Clervaux major; Clervaux-Wiltz major; Wiltz-Esch minor; Esch-Heiderscheid minor"
    units = f"{mech}; eng German engineer 2 Dasburg; tank German armor 3 Dasburg; us Allied foot 2 Marnach"
    return position(roads, units, **fields)


ACROSS = "mech German mechanized 3 Marnach day_start=Dasburg impulse_start=Dasburg moved attacked foot_mode"
NEXT_DAY = "mech German mechanized 3 Marnach foot_mode"
DEAD = "other German foot 2 Dasburg"
FAR = "Marnach Clervaux Wiltz Esch Heiderscheid"


def alone(bridge: str, back: str = ""):
    """The mech beyond the river on the next day, the enemy gone."""
    roads = f"B-Dasburg major; Dasburg-Marnach major {bridge}; Marnach-Clervaux major; Clervaux-Wiltz major; Wiltz-Esch minor; Esch-Heiderscheid minor; {back}"
    return position(roads, NEXT_DAY, 18)


DASBURG = [
    Example("wading", "check_path", path(dasburg("blown"), "mech", "Dasburg Marnach", True), "legal", {"cost": 4}, ("8.33-unbridged", "8.37", "8.34b")),
    Example("driving", "check_path", path(dasburg("blown"), "mech", "Dasburg Marnach"), "illegal", {"legal": False}, ("8.33-unbridged",)),
    Example("tanks", "check_path", path(dasburg("blown"), "tank", "Dasburg Marnach", True), "illegal", {"legal": False}, ("8.33-unbridged",)),
    Example("a fight follows", "attack_status", {"position": dasburg("blown", ACROSS.replace(" attacked", "")), "unit": "mech"}, "answered", {"status": "must"}, ("9.12",)),
    Example("the fire at it", "to_hit", shot(battle("mechanized 3 river", "foot 2"), "d1>a1"), "answered", {"highest": 6, "drms": TWO_DRMS}),
    Example("its supply", "supplied", {"position": dasburg("blown", ACROSS), "unit": "mech"}, "legal", {"supplied": True, "without_blown_bridge": False}),
    Example("building", "construction_options", {"position": dasburg("blown", ACROSS, battle_areas=["Marnach"])}, "answered", {"options": {"Dasburg-Marnach": {"eng": 4}}}),
    Example("built: its points", "check_path", path(alone("intact"), "mech", FAR), "legal", {"cost": 6}),
    Example("built: tanks attack", "check_path", path(dasburg("intact", ACROSS), "tank", "Dasburg Marnach"), "legal", {"cost": 2}),
    Example("built: the mech has attacked", "attack_status", {"position": dasburg("intact", ACROSS.replace("impulse_start=Dasburg ", ""), impulse=2), "unit": "mech"}, "answered", {"status": "may not"}, ("9.11a",)),
    Example("built: no river for the defenders", "to_hit", shot(battle("armor 3 river", "foot 2", bystanders="mechanized 3"), "d1>a1"), "answered", {"highest": 5, "drms": {"not-combined-arms": -1}}),
    Example("not built: its points", "check_path", path(alone("blown"), "mech", FAR), "illegal", {"legal": False}, ("8.38",)),
    Example("not built: another bridge", "check_path", path(alone("blown", "Clervaux-A major intact"), "mech", FAR), "legal", {"cost": 6}),
    Example("not built: the next try", "construction_options", {"position": dasburg("blown failed=1", ACROSS, impulse=2)}, "answered", {"options": {"Dasburg-Marnach": {"eng": 5}}}),
    Example("the mech died", "construction_options", {"position": dasburg("blown", DEAD)}, "answered", {"options": {}}),
    *(Example(f"try number {failed + 1}", "construction_options", {"position": dasburg(f"blown failed={failed}", ACROSS)}, "answered", {"options": {"Dasburg-Marnach": {"eng": 4 + failed}}}) for failed in range(3)),
]

# ---------------------------------------------------------------------- designer's notes and play strategy
CLEAR = "B-p0 major; " + "; ".join(f"p{n}-p{n + 1} major" for n in range(8))
CROWDED = "B-p0 major; p0-p1 minor; p1-p2 minor; p2-p3 minor"
UNITS = "m German motorized 3 p0"
QUEUE = "; ".join([UNITS, *(f"f{n} German foot 1 p{n}" for n in range(1, 4))])


def heap(strengths: str):
    units = "; ".join(f"u{n} German foot {s} x" for n, s in enumerate(strengths.split()))
    return {"position": position("B-x major", units), "place": "x", "side": "German"}


NOTES = [
    Example("half the board", "reachable_cost", {"position": position(CLEAR, UNITS), "units": ["m"], "to": "p8"}, "legal", {"cost": 8}),
    Example("congestion", "reachable", {"position": position(CROWDED, QUEUE), "units": ["m"]}, "answered", {"destinations": {"B": 1, "p1": 3, "p2": 6}}),
    Example("nine points", "overstack_eliminations", heap("3 2 2 2"), "answered", {"count": 1, "sets": [""]}),
    Example("a fifth unit", "overstack_eliminations", heap("1 1 1 1 1"), "answered", {"count": 5}),
]

EXAMPLES = [*RAMBROUCH, *MALMEDY, *ARTILLERY, *FIRE, *SUPPLY, *DASBURG, *NOTES]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_verdict(example):
    verdict = Edition("1999", example.readings).verdict(example.query, example.asked)
    assert verdict.outcome == example.outcome
    assert {name: verdict.answer[name] for name in example.answer} == example.answer
    assert set(example.clauses) <= set(verdict.clauses)


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_give_the_examples(engine):
    for example in EXAMPLES:
        edition = Edition("1999", example.readings, engine)
        found = record_case(edition, example.ask, str(example)) if engine == "reference" else example.ask(edition)
        assert found == example.answer, example.name
