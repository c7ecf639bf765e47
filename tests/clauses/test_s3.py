"""The First Three Days: S3, over the edition."""

from tests.builders import ending, position
from tests.clauses.rows import begins, brings, levels, rows, scores, tells

S3 = {"overlays": ("first-three-days",)}
GERMAN, ALLIED = "g German foot 2 x", "e Allied foot 3 x"
OPEN = "B-x major; x-E major"
LINE = "B-s major; s-x major; x-E major"
EACH, CLOSED = {"S3-holes": "each-exit"}, {"S3-bridges": "closed"}


def town(units: str, final: bool = True, **area):
    """Make a position with the town x, worth five points on the map, that was German last."""
    fields = {"vp": 5, "control": "German", "scenario_town": True, **area}
    return position(OPEN, units, 18, 3, "Allied", areas={"x": fields}, final=final)


def hole(roads: str, points: int, remark: str, units: str = "", **more):
    world = position(roads, units or "g German foot 1 B", 18, 3, "Allied", final=True)
    return tells("S3.sc5", world, {"hole-points": points}, remark, **more, **S3)


def turn(day: int, units: str = f"m German foot 2 s; {ALLIED}", roads: str = LINE, **more):
    return ending(roads, units, "Allied", 3, day, areas={"s": {"scenario_town": True}}, **more)


LOST = {"units": "m German foot 1 s; n German foot 2 s; e Allied foot 3 y", "roads": "s-x major; y-E major"}
GONE, KEPT = {"units.m.strength": None, "units.n.strength": 1}, {"units.m.strength": 1, "units.n.strength": 2}
LEVELS = {"German Decisive": 13, "German Tactical": 10, "Draw": 8, "Allied Tactical": 6, "Allied Decisive": 0}

ROWS = [
    brings("S3.sr1", turn(18), "end-phase", {"phase": "game-over", "day": 18}, "the 18th is the last day", **S3),
    brings("S3.sr1", turn(17), "end-phase", {"phase": "movement", "day": 18}, "the 17th is not", **S3),
    begins("S3.sr1", turn(18), "", "the 18th may be under way", **S3),
    begins("S3.sr1", turn(19), "S3.sr1", "no later day", **S3),
    begins("S3.sr1", {**turn(19), "phase": "game-over"}, "", "unless the game is over", **S3),
    brings("S3.sr1", turn(18, **LOST), "end-phase", KEPT, "nobody loses strength after the last impulse", **S3),
    brings("S3.sr1", turn(18, **LOST), "end-phase", GONE, "unless the turn is completed", readings={"S3-end": "whole-turn"}, **S3),
    brings("S3.sr1", turn(17, **LOST), "end-phase", GONE, "on other days they do", **S3),
    scores("S3.sr3", town(GERMAN, scenario_town=False), {}, {}, "what the map gives does not count", **S3),
    scores("S3.sr3", town(GERMAN, False, scenario_town=False), {}, {}, "nor before the end", **S3),
    scores("S3.sr3", town(GERMAN), {"x": 2}, {}, "a town of the scenario has its own worth", **S3),
    scores("S3.sc2", town(GERMAN), {"x": 2}, {}, "Germans alone", **S3),
    scores("S3.sc2", town(GERMAN, vp=0), {"x": 2}, {}, "it need not be worth anything on the map", **S3),
    scores("S3.sc2", town(GERMAN, control="Allied"), {"x": 2}, {}, "presence, not control", **S3),
    scores("S3.sc2", town("g German foot 2 B"), {}, {}, "control without presence", **S3),
    scores("S3.sc2", town(GERMAN, False), {}, {}, "not before the end", **S3),
    scores("S3.sc2", town(GERMAN, False), {"x": 2}, {}, "unless towns score every turn", readings={"R53": "every-turn"}, **S3),
    scores("S3.sc3", town(f"{GERMAN}; {ALLIED}", False), {"x": 1}, {}, "contested ones likewise", readings={"R53": "every-turn"}, **S3),
    scores("S3.sc2", town(ALLIED), {}, {}, "the Allies alone", **S3),
    scores("S3.sc3", town(f"{GERMAN}; {ALLIED}"), {"x": 1}, {}, "both stand there", **S3),
    scores("S3.sc3", town(GERMAN), {"x": 2}, {}, "the Germans alone", **S3),
    scores("S3.sc3", town(f"{GERMAN}; {ALLIED}", False), {}, {}, "not before the end", **S3),
    scores("S3.sc3", town(f"{GERMAN}; {ALLIED}", scenario_town=False), {}, {}, "in a town only", **S3),
    hole(OPEN, 3, "a road through nobody's land"),
    hole(OPEN, 0, "an Allied unit on it", ALLIED),
    hole(OPEN, 0, "even if Germans stand there too", f"{GERMAN}; {ALLIED}"),
    hole(OPEN, 0, "an Allied unit in the zone that it leads to", "e Allied foot 1 E"),
    hole(OPEN, 3, "one beside it", "e Allied foot 3 y"),
    hole("A-x minor; x-D minor", 3, "from A to D by minor roads"),
    hole("C-x major; x-K major", 3, "from C to K"),
    hole("C-x major; x-L major", 0, "beyond K there is no exit"),
    hole("A-x major; x-C major", 0, "to the Germans' own zone"),
    hole("D-x major; x-E major", 0, "from an Allied zone"),
    hole("B-x major; x-E", 0, "no road"),
    hole("B-x major; x-L major; L-y major; y-E major", 0, "not by way of another zone"),
    hole("B-x major; x-E major blown", 3, "a blown bridge is on a road"),
    hole("B-x major; x-E major blown", 0, "a blown bridge closes it", readings=CLOSED),
    hole("B-x major; x-E major intact", 3, "an intact one does not", readings=CLOSED),
    hole("B-x major; x-E major; x-F major", 3, "two exits are one hole"),
    hole("B-x major; x-E major; x-F major; x-L major", 6, "or two, if each exit is one", readings=EACH),
    hole(OPEN, 0, "none with an Allied unit on it", ALLIED, readings=EACH),
    brings("S3.sc6", turn(18, vp_total=1), "end-phase", {"vp_total": 3}, "a town, and no hole", **S3),
    brings("S3.sc6", turn(18, "m German foot 2 s", vp_total=1), "end-phase", {"vp_total": 6}, "a town and a hole", **S3),
    brings("S3.sc6", turn(18, "m German foot 3 E", zones={"E": {"vp_factor": 2}}), "end-phase", {"vp_total": 9}, "an exit and a hole", **S3),
    brings("S3.sc6", turn(17, "m German foot 2 s", vp_total=1), "end-phase", {"vp_total": 1}, "nothing before the last day", **S3),
    *levels("S3.", LEVELS, **S3),
]

test_s3 = rows(ROWS)
