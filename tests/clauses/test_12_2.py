"""Control, points and levels of victory: 3.26, 3.28, 12.2, and the table of the campaign."""

from tests.builders import position
from tests.clauses.rows import controls, levels, rows, scores

HIGH, EACH = {"R33": "high-water"}, {"R33": "per-unit"}


def held(control: str | None, units: str = "", vp: int = 5):
    area = {"vp": vp} | ({"control": control} if control else {})
    return position("B-x major; x-E major", units, areas={"x": area})


def zone(units: str, final: bool = True, counted: int = 0, factor: int = 2):
    return position("B-x major; x-H major", units, zones={"H": {"vp_factor": factor, "counted": counted}}, final=final)


GERMAN, ALLIED = "g German foot 2 x", "e Allied foot 3 x"
TWO = "g German foot 3 H; h German foot 1 H scored"

LAST_DAY = position("B-x major", "g German foot 2 x", 22, areas={"x": {"vp": 5, "control": "German"}})
CAMPAIGN = {"Allied Decisive": 0, "Allied Marginal": 15, "Draw": 25, "German Marginal": 30, "German Decisive": 40}

ROWS = [
    scores("3.26b", held("German"), {"x": 5}, {}, "an area that he controls"),
    scores("3.26b", held("Allied"), {}, {}, "one that the enemy controls"),
    scores("3.26b", held(None), {}, {}, "one that nobody does"),
    scores("12.11", LAST_DAY, {"x": 5}, {}, "the single impulse of the last day scores like a whole day"),
    scores("12.11", LAST_DAY, {}, {}, "unless it is read not to", readings={"E32": "scores-nothing"}),
    scores("12.22c", held("German", vp=3), {"x": 3}, {}, "what the map gives"),
    scores("12.22c", held("Allied", GERMAN), {}, {}, "control is not presence"),
    controls("12.22a", held("Allied", GERMAN), {"x": "German"}, "the German is alone"),
    controls("12.22a", held("German", ALLIED), {"x": "Allied"}, "the Allies are alone"),
    controls("12.22a", held("German"), {"x": "German"}, "an empty area keeps its controller"),
    controls("12.22a", held(None), {"x": None}, "or its lack of one"),
    controls("12.22b", held("Allied", f"{GERMAN}; {ALLIED}"), {"x": "Allied"}, "contested it stays Allied"),
    controls("12.22b", held("German", f"{GERMAN}; {ALLIED}"), {"x": "German"}, "or German, outnumbered or not"),
    scores("3.28b", zone("g German foot 3 H"), {}, {"H": 6}, "when the game ends"),
    scores("3.28b", zone("g German foot 3 H", final=False), {}, {}, "not before"),
    scores("3.28b", zone("g German foot 3 H", final=False), {}, {"H": 6}, "unless zones score each turn", readings=HIGH),
    scores("12.23a", zone("g German foot 3 H"), {}, {"H": 6}, "Germans in an Allied zone"),
    scores("12.23a", zone("e Allied foot 3 H"), {}, {}, "the Allies score nothing"),
    scores("12.23a", position("B-x major", "g German foot 3 B", zones={"B": {"vp_factor": 2}}, final=True), {}, {},
           "nor Germans at home"),
    scores("12.23b", zone("g German foot 3 H", factor=3), {}, {"H": 9}, "strength times factor"),
    scores("12.23b", zone("g German foot 3 H", factor=1), {}, {"H": 3}, "the factor of the zone"),
    scores("12.23b", zone("g German foot 3 H", factor=0), {}, {}, "most zones give nothing"),
    scores("12.23c", zone("g German foot 3 H", counted=1), {}, {"H": 4}, "one point has been counted"),
    scores("12.23c", zone("g German foot 3 H", counted=3), {}, {}, "all have"),
    scores("12.23c", zone("g German foot 3 H", counted=4), {}, {}, "nothing is taken back"),
    scores("12.23c", zone(TWO, final=False, counted=3), {}, {"H": 2}, "what exceeds the highest total", readings=HIGH),
    scores("12.23c", zone(TWO, final=False, counted=3), {}, {"H": 6}, "the units that were not counted", readings=EACH),
    scores("12.24", zone("g German foot 3 H; e Allied foot 1 x"), {}, {}, "out of supply when the game ends"),
    scores("12.24", zone("g German foot 3 H"), {}, {"H": 6}, "in supply"),
    scores("12.24", zone("g German foot 3 H; e Allied foot 1 x", final=False), {}, {"H": 6},
           "before that supply does not matter", readings=HIGH),
    *levels("S4.", CAMPAIGN, one_less=False),
]

test_12_2 = rows(ROWS)
