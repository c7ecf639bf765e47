"""Positions with which no game can begin: what a position tells of its step has to add up (6, 8 and 9)."""

from typing import Any

from tests.builders import position
from tests.clauses.rows import begins, rows

ROADS = "B-s major; s-x major; x-E major; s-y major; y-E major"
MARCH = "m German foot 2 s; n German foot 1 s; k German foot 1 y; e Allied foot 2 x"
# m has come from s and attacks e
ASSAULT = "m German foot 2 x impulse_start=s attacking; e Allied foot 2 x"
PEACE = "m German foot 2 s; e Allied foot 2 x"


def world(units: str = PEACE, phase: str = "movement", **more: Any) -> dict[str, Any]:
    return position(ROADS, units, phase=phase, **more)


def marching(who: str = "m", **more: Any) -> dict[str, Any]:
    """Make a position in which units are on the march, at s."""
    return world(MARCH, **({"marching": who.split(), "front": "s"} | more))


def fight(units: str = ASSAULT, phase: str = "calls", **more: Any) -> dict[str, Any]:
    """Make a position in which a battle is fought in x."""
    return world(units, phase, **({"contested": "x"} | more))


def crossing(units: str = "m German armor 2 s; e Allied foot 2 x", **more: Any) -> dict[str, Any]:
    """Make a position in which m tries to cross a bridge that e may blow."""
    roads = "B-s major; s-x major intact; x-y major; y-E major"
    return position(roads, units, **({"marching": ["m"], "front": "s", "way_tried": "s-x"} | more))


QUIET = {"attacker_counters": 0, "defender_counters": 0}
DEFENDER, ATTACKER = {"firing": "defender", **QUIET}, {"firing": "attacker", **QUIET}
# m has to attack e, and does not yet
DUE = "m German foot 2 x impulse_start=s; e Allied foot 2 x"

ROWS = [
    # the step of the turn
    begins("6.0-II.1", marching(), "", "a stack marches while units move"),
    begins("6.0-II.1", marching(phase="battles"), "6.0-II.1", "not while battles are fought"),
    begins("6.0-II.3", fight(), "", "the side that moves attacks"),
    begins("6.0-II.3", fight(f"{ASSAULT} attacking"), "6.0-II.3", "the other side does not"),
    begins("6.0-II.3", world(ASSAULT, "battles"), "", "attackers are named before the first battle"),
    begins("6.0-II.3", world(ASSAULT), "6.0-II.3", "not while units move"),
    begins("6.0-IV-VII", world(phase="scoring", impulse=3), "", "behind the last impulse of the day the Germans are next"),
    begins("6.0-IV-VII", world(phase="scoring", impulse=3, side="Allied"), "6.0-IV-VII", "not the Allies"),
    begins("6.0-IV-VII", world(phase="attrition", impulse=3, side="Allied"), "6.0-IV-VII", "nor before points are counted"),
    begins("6.0-IV-VII", world(impulse=3, side="Allied"), "", "they may move in the last impulse"),
    begins("6.0-IV-VII", world(day=16, marching=["m"], front="x", march_stopped=True), "6.0-IV-VII", "who had to stop may not go on, and who spent nothing may not halt"),
    begins("6.0-IV-VII", world(phase="game-over"), "", "nobody has to do anything when the game is over"),
    # marches
    begins("8.1c", marching(), "", "the side that moves marches"),
    begins("8.1c", marching(side="Allied"), "8.1c", "the other side does not"),
    begins("8.2b", crossing(), "", "the bridge is at the place that the stack has come to"),
    begins("8.2b", crossing(way_tried="x-y"), "8.2b", "this road is not"),
    begins("8.21a", marching(), "", "a march is somewhere"),
    begins("8.21a", marching(front=None), "8.21a", "it has to be said where"),
    begins("8.21a", world(), "", "nobody marches, and no march is told of"),
    begins("8.21a", world(front="s"), "8.21a", "nobody has come to s"),
    begins("8.21a", world(way_tried="s-x"), "8.21a", "nobody tries a road"),
    begins("8.21a", world(march_spent=1), "8.21a", "nobody has spent a point"),
    begins("8.21a", world(march_stopped=True), "8.21a", "nobody has had to stop"),
    begins("8.21a", world(on_foot=True), "8.21a", "nobody is on foot"),
    begins("8.21a", world(balked=["s-x"]), "8.21a", "nobody has met a bridge"),
    begins("8.21b", marching("m n"), "", "they set out together"),
    begins("8.21b", marching("m k"), "8.21b", "k stands elsewhere"),
    begins("8.41", crossing(let_pass=True), "", "the other side lets the stack cross"),
    begins("8.41", crossing(let_pass=True, way_tried=None), "8.41", "there is nothing to cross"),
    # who attacks
    begins("8.23", world(ASSAULT, "battles"), "", "it attacks e"),
    begins("8.23", world("m German foot 2 s attacking; e Allied foot 2 x", "battles"), "8.23", "nobody is there to be attacked"),
    begins("8.23", fight(f"{ASSAULT}; n German foot 1 s attacking"), "8.23", "nor while another battle begins"),
    begins("8.23", fight("m German foot 2 x impulse_start=s attacking", "volley", **ATTACKER), "", "whom it attacked may have fallen"),
    begins("9.11b", world(ASSAULT, "battles", battle_areas=["y"]), "", "there was a battle elsewhere"),
    begins("9.11b", world(DUE, "battles", battle_areas=["x"]), "9.11b", "there was one where it has to attack"),
    begins("9.11b", fight(battle_areas=["x"]), "9.11b", "there was one where it attacks"),
    begins("9.11b", world(DUE, "construction", battle_areas=["x"]), "9.12", "once battles are over it is too late, battle or not"),
    begins("9.11b", fight(f"{ASSAULT}; n German foot 1 y impulse_start=s; f Allied foot 1 y", battle_areas=["y"]), "9.11b", "nor while another battle goes on"),
    begins("9.12", world(DUE, "battles"), "", "it will attack in time"),
    begins("9.12", world(DUE, "construction"), "9.12", "it had to attack before"),
    begins("9.12", world(DUE, "attrition"), "9.12", "and at the end of the day it is no better"),
    begins("9.12", fight(f"{ASSAULT}; n German foot 1 x impulse_start=s"), "9.12", "n has to join the battle"),
    begins("9.12", fight(f"{ASSAULT}; n German foot 1 x"), "", "n was there before: it need not"),
    begins("9.12", fight(f"{ASSAULT}; n German foot 1 y impulse_start=s; f Allied foot 1 y"), "", "n will attack elsewhere"),
    begins("9.17", world("m German foot 2 E impulse_start=s attacking; e Allied foot 2 E", "battles"), "9.17", "there are no attacks in zones"),
    begins("9.17", world(ASSAULT, "battles"), "", "in areas there are"),
    # what is told of a battle
    begins("9.21b", fight(f"{ASSAULT} hits=1", "volley", **ATTACKER), "", "hits of the battle that is fought"),
    begins("9.21b", world(f"{PEACE} hits=1"), "9.21b", "no battle is fought"),
    begins("9.21b", fight(f"{ASSAULT}; f Allied foot 2 y hits=1", "volley", **ATTACKER), "9.21b", "not where f stands"),
    begins("9.31", fight(), "", "m attacks"),
    begins("9.31", fight("m German foot 2 x; e Allied foot 2 x"), "9.31", "nobody attacks"),
    begins("9.31", fight(contested=None), "9.31", "nobody knows where"),
    begins("9.33", fight(f"{ASSAULT} aims_at=m", "aiming", **DEFENDER), "", "the defender aims"),
    begins("9.33", fight(f"{ASSAULT} aims_at=m", "aiming", **ATTACKER), "9.33", "it is the attacker who aims now"),
    begins("9.33", fight(f"{ASSAULT} aims_at=m"), "9.33", "nobody aims yet"),
    begins("9.38", fight(**QUIET), "", "a battle has a place, and counters"),
    begins("9.38", world(contested="x"), "9.38", "no battle has a place"),
    begins("9.38", world(attacker_counters=1), "9.38", "nor counters"),
    begins("9.38", world(defender_counters=0), "9.38", "nor calls for them"),
    begins("9.46a", fight(f"{ASSAULT} shells=1", "shelling", **ATTACKER | {"attacker_counters": 1}), "", "a counter of the attacker on a defender"),
    begins("9.46a", fight(f"{ASSAULT} shells=1", "shelling", **DEFENDER | {"defender_counters": 1}), "9.46a", "one of the defender on a defender"),
    begins("9.46a", world(f"{PEACE} shells=1"), "9.46a", "no battle is fought"),
]  # fmt: skip

test_row = rows(ROWS)
