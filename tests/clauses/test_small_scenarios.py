"""The scenarios that are ours: the Race for Bastogne and Across the Sauer, over the edition."""

from tests.builders import ending, position
from tests.clauses.rows import begins, brings, forces, levels, rows, tells

RACE, SAUER = {"overlays": ("race-for-bastogne",)}, {"overlays": ("sauer-crossing",)}
CALM = "m German foot 2 x; e Allied foot 2 y"
ROADS = "C-x major; P-y major"
ALL = "confusion demolition mobility"
GERMAN, ALLIED = "g German foot 1 x", "e Allied foot 3 x"


def race(clause: str, level: str | None, units: str, remark: str, phase: str = "game-over", is_town: bool = True):
    """Make the end of a game with the town x; by the campaign it would be a German marginal victory."""
    world = position(
        "B-x major; x-y major; y-E major", units, 19, 3, "Allied", {"x": {"scenario_town": is_town}}, phase=phase, vp_total=30
    )
    return tells(clause, world, {"final-level": level}, remark, **RACE)


def turn(day: int):
    return ending(ROADS, CALM, "Allied", 3, day)


ROWS = [
    forces("race:forces", position(ROADS, CALM), "", "", "there are none", **RACE),
    forces("race:forces", position(ROADS, CALM), ALL, "x y", "the campaign has them"),
    brings("race:end", turn(19), "end-phase", {"phase": "game-over", "day": 19}, "the turn of the 19th is the last", **RACE),
    brings("race:end", turn(18), "end-phase", {"phase": "movement", "day": 19}, "that of the 18th is not", **RACE),
    begins("race:end", turn(19), "", "the turn of the 19th may be under way", **RACE),
    begins("race:end", turn(20), "race:end", "no later one", **RACE),
    begins("race:end", {**turn(20), "phase": "game-over"}, "", "unless the game is over", **RACE),
    race("race:v1", "German victory", GERMAN, "alone in the town"),
    race("race:v1", "German victory", f"{GERMAN}; f Allied foot 3 y", "the Allies stand beside it"),
    race("race:v1", "Draw", f"{GERMAN}; {ALLIED}", "not alone"),
    race("race:v1", "Allied victory", GERMAN, "no town", is_town=False),
    race("race:v1", None, GERMAN, "the game goes on", phase="movement"),
    race("race:v2", "Draw", f"{GERMAN}; {ALLIED}", "both in the town"),
    race("race:v2", "German victory", f"{GERMAN}; f Allied foot 3 y", "the Allies beside it"),
    race("race:v2", "Allied victory", f"{ALLIED}; h German foot 3 y", "the Germans beside it"),
    race("race:v2", None, f"{GERMAN}; {ALLIED}", "the game goes on", phase="movement"),
    race("race:v3", "Allied victory", ALLIED, "the Allies hold it"),
    race("race:v3", "Allied victory", "h German foot 3 y", "nobody does"),
    race("race:v3", "Draw", f"{GERMAN}; {ALLIED}", "a German is there"),
    race("race:v3", None, ALLIED, "the game goes on", phase="movement"),
    forces("sauer:forces", position(ROADS, CALM), "", "", "there are none", **SAUER),
    forces("sauer:forces", position(ROADS, CALM), ALL, "x y", "the campaign has them"),
    brings("sauer:end", turn(17), "end-phase", {"phase": "game-over", "day": 17}, "the turn of the 17th is the last", **SAUER),
    brings("sauer:end", turn(16), "end-phase", {"phase": "movement", "day": 17}, "that of the 16th is not", **SAUER),
    begins("sauer:end", turn(17), "", "the turn of the 17th may be under way", **SAUER),
    begins("sauer:end", turn(18), "sauer:end", "no later one", **SAUER),
    begins("sauer:end", {**turn(18), "phase": "game-over"}, "", "unless the game is over", **SAUER),
    *levels("sauer:", {"German victory": 6, "Draw": 3, "Allied victory": 0}, **SAUER),
]

test_small_scenarios = rows(ROWS)
