"""What the rulings on marches, battles, arrivals and older sheets decide, under the default and under the other reading."""

from tests.builders import battle, ending, position
from tests.clauses.rows import (
    Row,
    arrives,
    attacks,
    blows,
    brings,
    builds,
    entrenches,
    fires,
    lists,
    moves,
    rows,
    supplied,
)  # fmt: skip

# ---------------------------------------------------------------- 9.12: entering means attacking
ROUND = "B-x major; x-y major; y-E major; x-E major"
CONTACT = "m German armor 2 x; e Allied foot 2 x"

DUG_IN = position("A-s major; s-x major", "e German engineer 3 s entrenched")


def before_a_bridge(kind: str, more: str = ""):
    """Make a position in which x lies between enemies: m may come there, and see the bridge to y blown."""
    roads = f"B-s major; s-x minor; x-y major intact; y-B minor; y-E major; s-E major; {more}"
    return position(roads, f"m German {kind} 2 s; e Allied foot 1 s; f Allied foot 1 y")


# ---------------------------------------------------------------- 11: zones and reinforcements
BORDERS = [["G", "H"], ["H", "K"], ["K", "L"], ["L", "A"], ["A", "B"], ["B", "C"]]
EDGE = "G-s major; H-s major; K-s major; L-s major; A-s major; B-s major; C-s major"


def edge(side: str, day: int = 18, impulse: int = 3, borders=BORDERS, units: str = "", **more):
    return position(EDGE, units, day, impulse, side, zone_neighbours=borders, **more)


def held(unit: str):
    return position("E-s major; K-s major", f"m Allied foot 2 K {unit}; e German foot 1 K", side="Allied")


def reserve(**more):
    return {"id": "g", "side": "German", "kind": "armor", "strength": 3, "entry": ["B"], "due": [17, 1], **more}


def coming(day: int = 18, impulse: int = 1, **more):
    return position(
        EDGE,
        "m German foot 2 s",
        day,
        impulse,
        phase="reinforcement",
        placing="German",
        reserves=[reserve(**more)],
        zone_neighbours=BORDERS,
    )


RELEASED = {"release": ["s"], "released": True, "released_day": 17, "released_impulse": 3}
CARD, ANY, FAR, ALL = {"R51": "from-the-card"}, {"R47": "any-open"}, {"R48": "any-distance"}, {"R39": "all"}


def shifts(kind: str, zones: dict[str, int | None], **more) -> Row:
    row = arrives("11.14b", edge("Allied", 20), "G", "18-1", zones, f"{kind} shifts as far as its points last", **more)
    row.input["kind"] = kind
    return row


FAR_AWAY = position(EDGE, "m German foot 2 s", 20, 1, phase="reinforcement", placing="Allied",
                    reserves=[reserve(side="Allied", kind="foot", entry=["G"])], zone_neighbours=BORDERS)  # fmt: skip

# ---------------------------------------------------------------- 9.14, 10: standing aside
ASIDE = "B-s major; s-x major intact; x-E major; m-x major blown; m-E major"
STOOD = "e Allied engineer 2 x moved stood_aside; g German foot 2 s"
STILL = {"R54": "stood-still"}


def building(flags: str):
    return position(
        "B-s major; s-x major blown; x-E major",
        f"m German engineer 1 s {flags}; n German foot 1 x",
        phase="construction",
    )


# ---------------------------------------------------------------- 14: special forces
def demolishing(side: str, **more):
    sapper, mover = ("Allied", "German") if side == "German" else ("German", "Allied")
    zones = "B-s major; s-x major intact; x-E major; x-B major"
    units = f"e {sapper} engineer 2 x; m {mover} foot 2 s"
    return position(zones, units, 18, 1, side, special_forces={"area": "x", "effect": "demolition"}, **more)


OLD_FIGHT = battle("motorized 2, foot 2", "engineer 2, armor 2")
MARCHING = "B-s major; s-x major; x-y major; y-E major"
ON_THE_WAY = position(MARCHING, "m German foot 2 s; e Allied foot 1 E", 18)
OLD = [{"edition": edition} for edition in ("1996-08-01", "1997-03-01", "1998-01-15")]

ROWS = [
    # R39
    moves("11.21a", held("day_start=null"), "m", "K s", None, "a reinforcement of today is held"),
    moves("11.21a", held("yet_to_enter"), "m", "K s", None, "one that has waited over night likewise"),
    moves("11.21a", held(""), "m", "K s", 1, "a unit that came from the board may leave"),
    moves("11.21a", held(""), "m", "K s", None, "unless every unit is held", readings=ALL),
    brings("11.21a", coming(), "bring-on g B", {"units.g.yet_to_enter": True}, "a reinforcement is yet to enter"),
    brings("11.21a", position("B-s major; s-x major", "m German foot 2 B yet_to_enter"), "muster m; advance s B-s; halt",
           {"units.m.yet_to_enter": False}, "until it leaves its zone"),
    # R41
    *(blows("14.23d", demolishing("German"), "s-x", "m", {"e": 1}, "the Allies blow bridges on 1 only", **old) for old in OLD),
    *(blows("14.23d", demolishing("Allied"), "s-x", "m", {"e": 8}, "the Germans as usual", **old) for old in OLD),
    *(blows("14.23d", demolishing("Allied"), "s-x", "m", {"e": 1}, "unless both sides are meant",
            readings={"R41": "both-sides"}, **old) for old in OLD),
    # R44
    brings("9.12", position(ROUND, CONTACT), "muster m; advance y x-y; advance x x-y; halt; end-phase",
           {"units.m.attacking": True}, "who left and comes back attacks"),
    attacks("9.12", position(ROUND, "m German armor 2 x moved come_anew; e Allied foot 2 x"), "m", "must", "it has entered the area anew"),
    attacks("9.12", position(ROUND, "m German armor 2 x moved; e Allied foot 2 x"), "m", "may not", "it has dug in or stayed"),
    brings("9.12", ending(ROUND, "m German armor 2 y come_anew; e Allied foot 2 E", "German"), "end-phase",
           {"units.m.come_anew": False}, "the next impulse begins anew"),
    # R43 in a game
    brings("8.58", position(ROUND, "m German foot 2 x entrenched"), "muster m; advance y x-y; advance x x-y; halt",
           {"units.m.entrenched": False, "units.m.place": "x"}, "who leaves its entrenchment and comes back has lost it"),
    # R38
    moves("8.42a", before_a_bridge("foot"), "m", "s x !y", 4, "who cannot go on stays where it stands, though out of supply"),
    moves("8.42a", before_a_bridge("foot"), "m", "s x", None, "nobody ends there of his own will"),
    moves("8.42a", before_a_bridge("armor"), "m", "s x !y", None, "who can end elsewhere has to go on"),
    moves("8.42a", before_a_bridge("armor"), "m", "s x !y s", 7, "and does so with the points that are left"),
    moves("8.42a", before_a_bridge("armor", "B-x minor"), "m", "s x !y", 4, "who may end there need not go on"),
    # R43
    moves("8.58", DUG_IN, "e", "s x s entrench", 6, "who leaves an entrenchment may dig a new one where it was"),
    moves("8.58", DUG_IN, "e", "s entrench", None, "not where it stands entrenched"),
    entrenches("8.58", DUG_IN, "e", "x", "nor is that listed"),
    # R46
    fires("9.51", OLD_FIGHT, "attacker", "a1>d1 a2>d2", False, "armor is the lowest of the better ones", edition="1996-11-01"),
    fires("9.51", OLD_FIGHT, "attacker", "a1>d1 a2>d2", True, "an engineer ranks below motorized infantry", edition="1996-11-01",
          readings={"R46": "list-of-1996"}),
    # R47
    arrives("11.14a", edge("German"), "B", "18-1", {"A": 2, "C": 2, "B": 0}, "by zones of its own side"),
    arrives("11.14a", edge("German", 19), "A", "18-1", {"K": None, "H": None}, "not by those of the other"),
    arrives("11.14a", edge("German", 19), "A", "18-1", {"L": None, "K": 4, "H": 6}, "unless any open zone will do", readings=ANY),
    arrives("11.14a", edge("Allied", 20), "G", "18-1", {"K": 4, "L": 6}, "along the edge"),
    arrives("11.14a", edge("German", 20, borders=[["A", "L"], ["L", "C"]]), "A", "18-1", {"C": None}, "not through a zone that is closed"),
    arrives("11.14a", edge("German", 20, borders=[["A", "L"], ["L", "C"]]), "A", "18-1", {"C": 4}, "unless the whole edge counts", readings=ANY),
    arrives("11.14a", edge("German", 20, borders=[["A", "K"], ["K", "C"]]), "A", "18-1", {"C": 4}, "but through one that is open"),
    lists("11.14a", coming(18, 3), "German bring-on g C", True, "a zone of its own side"),
    lists("11.14a", coming(18, 3, entry=["A"]), "German bring-on g K", False, "it cannot come on behind the enemy"),
    lists("11.14a", coming(18, 3, entry=["A"]), "German bring-on g K", True, "unless any open zone will do", readings=ANY),
    # R48
    *(shifts(kind, zones) for kind, zones in (("foot", {"H": 2, "K": 4, "L": None}), ("motorized", {"H": 2, "K": 4, "L": 6}))),
    shifts("foot", {"L": 6}, readings=FAR),
    arrives("11.14b", edge("Allied", 20), "G", "18-1", {"L": 6}, "if nobody says what the unit is"),
    lists("11.14b", coming(20, kind="foot"), "German bring-on g C", True, "one zone costs two points"),
    *(lists("11.14b", FAR_AWAY, "Allied bring-on g L", legal, "three zones cost more than foot has", readings=readings)
      for readings, legal in (({}, False), (FAR, True))),
    # R51
    lists("11.3a", coming(18, 1, **RELEASED), "German bring-on g B", True, "the impulse after its release"),
    lists("11.3a", coming(18, 1, **RELEASED), "German bring-on g A", False, "it cannot have shifted yet"),
    lists("11.3a", coming(18, 1, **RELEASED), "German bring-on g A", True, "unless the card counts", readings=CARD),
    lists("11.3a", coming(18, 2, **RELEASED), "German bring-on g A", True, "an impulse later it can"),
    lists("11.3a", coming(18, 1, release=["s"], released=True), "German bring-on g A", True, "if nobody knows when it was released, the card counts"),
    lists("11.3a", coming(18, 2, **{**RELEASED, "due": [18, 2]}), "German bring-on g A", False, "nor before its date"),
    brings("11.3b", ending(EDGE, "m German foot 2 s", "Allied", 1, 17, reserves=[reserve(release=["s"], due=[20, 1])]), "end-phase",
           {"reserves.g.released": True, "reserves.g.released_day": 17, "reserves.g.released_impulse": 1}, "the release is dated"),
    # R52
    supplied("13.11c", position("x-K major; K-y major; y-B major", "m German foot 2 x"), "m", False, "a zone of the other side is no way"),
    supplied("13.11c", position("x-K major; K-y major; y-B major", "m German foot 2 x"), "m", True, "unless it may be passed",
             readings={"R52": "zones-pass"}),
    # R49
    entrenches("5.24", position("B-s major", "m German foot 2 s !moves_16_1", 16), "m", "s", "held back, it may dig in"),
    entrenches("5.24", position("B-s major", "m German foot 2 s !moves_16_1", 16), "m", "", "unless that is moving too",
               readings={"R49": "no-digging-in"}),
    entrenches("5.24", position("B-s major", "m German foot 2 s !moves_16_1", 16, 2), "m", "s", "on 16-1 only",
               readings={"R49": "no-digging-in"}),
    # R54
    blows("9.14b", position(ASIDE, STOOD), "s-x", "g", {"e": 4}, "it counts as moved"),
    blows("9.14b", position(ASIDE, STOOD), "s-x", "g", {"e": 8}, "unless it stood still", readings=STILL),
    builds("9.14b", building("moved stood_aside"), {}, "it counts as moved"),
    builds("9.14b", building("moved stood_aside"), {"s-x": {"m": 4}}, "unless it stood still", readings=STILL),
    builds("9.14b", building("moved"), {}, "who moved is barred all the same", readings=STILL),
]  # fmt: skip


HOLES = "A-w minor; w-r minor; w-n minor; r-m minor; n-m minor"
MARKED = position(HOLES, "g German armor 2 w", hole_markers=["r"])
BEYOND = position(HOLES, "h German armor 2 m", hole_markers=["r"])
OUTWARD = {"edition": "2016-10-01", "readings": {"R40": "any-step-outward"}}
NOW = {"edition": "2016-10-01"}

SHEETS = [
    # R40: w is one area from the zone, r (marked) and n are two, m is three
    moves("2016:8.295d", MARKED, "g", "w n", 2, "no further out than the marked area", **NOW),
    moves("2016:8.295d", MARKED, "g", "w n", None, "not even that, if every step outward is barred", **OUTWARD),
    moves("2016:8.295d", MARKED, "g", "w r", 2, "to the marked area", **NOW),
    moves("2016:8.295d", MARKED, "g", "w r", 2, "to the marked area", **OUTWARD),
    moves("2016:8.295d", MARKED, "g", "w n m", None, "past it", **NOW),
    moves("2016:8.295d", MARKED, "g", "w r m", 4, "through it", **NOW),
    moves("2016:8.295d", MARKED, "g", "w r w n", 6, "who has passed it goes where it likes", **OUTWARD),
    moves("2016:8.295d", MARKED, "g", "w r m n", 6, "and back another way", **NOW),
    moves("2016:8.295d", BEYOND, "h", "m n", 2, "nobody is barred from coming back", **NOW),
    moves("2016:8.295d", position(HOLES, "g German armor 2 w"), "g", "w n m", 4, "without a marker nothing is barred", **OUTWARD),
    brings("2016:8.295d", MARKED, "muster g; advance r w-r; advance m r-m; halt", {"units.g.place": "m", "march_markers": 0},
           "a march goes the same way", **NOW),
    # special forces before other units move
    *(brings("1996:14.2", ON_THE_WAY, "muster m; advance x s-x", {"moves-begun": True}, "a stack is on its way", **old) for old in OLD),
    *(lists("1996:14.2", position(MARCHING, "m German foot 2 x; e Allied foot 1 E", 18, marching=["m"], front="x", march_spent=1),
            "German infiltrate *", False, "not while a stack is on its way", **old) for old in OLD),
    *(brings("1996:14.2", ON_THE_WAY, "muster m; dig-in", {"germans_have_moved": True}, "who digs in has moved", **old) for old in OLD),
    *(lists("1996:14.2", ON_THE_WAY, "German infiltrate *", True, "before that it may", **old) for old in OLD),
]  # fmt: skip

test_row = rows(ROWS)
test_sheet = rows(SHEETS)
