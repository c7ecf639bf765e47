"""The 7th Army Attacks: S1, over the edition."""

from tests.builders import ending, position
from tests.clauses.rows import begins, brings, forces, lists, rows, supplied, tells

S1 = {"overlays": ("seventh-army",)}
CALM = "m German foot 2 x; e Allied foot 2 y"
ALL = "confusion demolition mobility"
GERMAN, ALLIED = {"control": "German"}, {"control": "Allied"}


def turn(day: int, **more):
    return ending("C-x major; P-y major", CALM, "Allied", 3, day, **more)


def over(p, q, units: str = "", phase: str = "game-over"):
    """Make the end of a game with the towns p and q; r is none. By the campaign it would be a German marginal victory."""
    areas = {"p": {"scenario_town": True, **p}, "q": {"scenario_town": True, **q}, "r": {"control": "German"}}
    return position("C-r major; r-p major; p-q major; q-P major", units, 18, 3, "Allied", areas, phase=phase, vp_total=30)


def ends(clause: str, level: str | None, p, q, units: str, remark: str, **more):
    return tells(clause, over(p, q, units, **more), {"final-level": level}, remark, **S1)


BOTH_IN_P, BOTH_IN_Q = "g German foot 1 p; e Allied foot 3 p", "h German foot 1 q; f Allied foot 3 q"

COUNTS = {"R50": "contested-counts"}
ROWS = [
    tells("S1.v1", over(GERMAN, ALLIED, f"{BOTH_IN_P}; {BOTH_IN_Q}"), {"final-level": "Both sides lose"},
          "whoever was last alone in a contested town still controls it", readings=COUNTS, **S1),
    tells("S1.v3", over(GERMAN, ALLIED, f"{BOTH_IN_P}; {BOTH_IN_Q}"), {"final-level": "Draw"}, "contested towns are nobody's", **S1),
    tells("S1.v4", over(ALLIED, {}, f"{BOTH_IN_Q}"), {"final-level": "Allied Tactical"},
          "a town that nobody held is contested all the same", readings=COUNTS, **S1),
    forces("S1.sf", position("C-x major", CALM), "", "", "there are none", **S1),
    lists("S1.sf", position("C-x major", CALM), "German infiltrate *", False, "none can be placed", **S1),
    forces("S1.sf", position("C-x major", CALM), ALL, "x y", "the campaign has them"),
    supplied("S1.sr2", position("C-x major", CALM), "m", True, "from zone C", **S1),
    supplied("S1.sr2", position("B-x major", CALM), "m", False, "not from zone B", **S1),
    supplied("S1.sr2", position("A-x major", CALM), "m", False, "nor from zone A", **S1),
    supplied("S1.sr2", position("B-z major; z-x major; x-w major; w-C major", CALM), "m", True, "B does no harm", **S1),
    supplied("S1.sr3", position("P-y major", CALM), "e", True, "from zone P", **S1),
    supplied("S1.sr3", position("N-y major", CALM), "e", False, "not from zone N", **S1),
    supplied("S1.sr3", position("E-y major", CALM), "e", False, "nor from zone E", **S1),
    brings("S1.sr5", turn(18), "end-phase", {"phase": "game-over", "day": 18}, "the turn of the 18th is the last", **S1),
    brings("S1.sr5", turn(17), "end-phase", {"phase": "movement", "day": 18}, "that of the 17th is not", **S1),
    begins("S1.sr5", turn(18), "", "the turn of the 18th may be under way", **S1),
    begins("S1.sr5", turn(19), "S1.sr5", "no later one", **S1),
    begins("S1.sr5", {**turn(19), "phase": "game-over"}, "", "unless the game is over", **S1),
    ends("S1.v1", "German Decisive", GERMAN, GERMAN, "g German foot 1 p; h German foot 1 q", "he stands in both"),
    ends("S1.v1", "German Decisive", GERMAN, GERMAN, "", "control is enough"),
    ends("S1.v1", "Both sides lose", GERMAN, ALLIED, "g German foot 1 r", "another area is no town"),
    ends("S1.v1", "German Tactical", GERMAN, GERMAN, BOTH_IN_Q, "a town where both stand is contested, whoever controlled it"),
    ends("S1.v1", None, GERMAN, GERMAN, "", "the game goes on", phase="movement"),
    ends("S1.v2", "German Tactical", GERMAN, ALLIED, BOTH_IN_Q, "one German, one contested"),
    ends("S1.v2", "German Tactical", ALLIED, GERMAN, BOTH_IN_P, "whichever is which"),
    ends("S1.v2", "Both sides lose", GERMAN, ALLIED, "f Allied foot 3 q", "not contested if no German is there"),
    ends("S1.v2", "German Decisive", GERMAN, GERMAN, "g German foot 1 q", "not contested if no Allied unit is there"),
    ends("S1.v2", None, GERMAN, ALLIED, BOTH_IN_Q, "the game goes on", phase="movement"),
    ends("S1.v3", "Draw", ALLIED, ALLIED, f"{BOTH_IN_P}; {BOTH_IN_Q}", "both contested"),
    ends("S1.v3", "Draw", GERMAN, GERMAN, f"{BOTH_IN_P}; {BOTH_IN_Q}", "whoever was there before"),
    ends("S1.v3", "Allied Tactical", ALLIED, ALLIED, BOTH_IN_P, "one is not"),
    ends("S1.v3", None, ALLIED, ALLIED, f"{BOTH_IN_P}; {BOTH_IN_Q}", "the game goes on", phase="movement"),
    ends("S1.v4", "Allied Tactical", ALLIED, ALLIED, BOTH_IN_Q, "one contested, one Allied"),
    ends("S1.v4", "Allied Tactical", {}, ALLIED, BOTH_IN_Q, "or nobody's"),
    ends("S1.v4", "German Tactical", GERMAN, ALLIED, BOTH_IN_Q, "or German"),
    ends("S1.v4", "Allied Decisive", ALLIED, ALLIED, "f Allied foot 3 q", "none contested"),
    ends("S1.v4", None, ALLIED, ALLIED, BOTH_IN_Q, "the game goes on", phase="movement"),
    ends("S1.v5", "Allied Decisive", ALLIED, ALLIED, "e Allied foot 3 p; f Allied foot 3 q", "the Allies hold both"),
    ends("S1.v5", "Allied Decisive", {}, {}, "g German foot 1 r", "nobody holds either"),
    ends("S1.v5", "Both sides lose", ALLIED, GERMAN, "g German foot 1 q", "one is German"),
    ends("S1.v5", "Allied Tactical", ALLIED, ALLIED, BOTH_IN_Q, "one is contested"),
    ends("S1.v5", None, ALLIED, ALLIED, "", "the game goes on", phase="movement"),
    ends("S1.v6", "Both sides lose", GERMAN, ALLIED, "g German foot 1 p; f Allied foot 3 q", "one each"),
    ends("S1.v6", "Both sides lose", {}, GERMAN, "h German foot 1 q", "one German, one nobody's"),
    ends("S1.v6", "German Tactical", GERMAN, ALLIED, f"g German foot 1 p; {BOTH_IN_Q}", "the other is contested"),
    ends("S1.v6", "German Decisive", GERMAN, GERMAN, "g German foot 1 p", "the other is German too"),
    ends("S1.v6", None, GERMAN, ALLIED, "", "the game goes on", phase="movement"),
]

test_s1 = rows(ROWS)
