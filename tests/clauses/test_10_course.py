"""What comes of bridging, arrivals, control, points, attrition and special forces (10 to 14)."""

from tests import builders
from tests.builders import position
from tests.clauses.rows import brings, lists, rows

ROADS = "B-s major; s-x major blown failed=2; x-E major"
PIONEERS = "m German engineer 1 s; n German foot 1 x"
ATTEMPT = {"bridge": "s-x", "unit": "m"}
PLAIN = "B-s major; s-x major; x-E major; x-H major; A-s major"
CALM = "m German foot 2 s; e Allied foot 2 x"


def building(**more):
    return position(ROADS, PIONEERS, phase="construction", **more)


def blowing(**more):
    units = "m German armor 2 s; e Allied foot 2 x"
    return position("B-s major; s-x major intact; x-E major", units, marching=["m"], front="s", way_tried="s-x", **more)


def ending(side: str, units: str = CALM, impulse: int = 1, day: int = 17, roads: str = PLAIN, **more):
    return builders.ending(roads, units, side, impulse, day, **more)


def arriving(**more):
    reserve = {"id": "g", "side": "German", "kind": "motorized", "strength": 3, "entry": ["B"], "due": [17, 1], "moves_16_1": False, **more}
    later = reserve | {"id": "h", "due": [17, 1]}
    return position(PLAIN, CALM, 17, 2, phase="reinforcement", placing="German", reserves=[reserve, later], zone_neighbours=[["A", "B"]])


def waiting(side: str, units: str, **more):
    reserve = {"id": "g", "side": "German", "kind": "armor", "strength": 3, "entry": ["B"], "due": [18, 1], "release": ["x"], **more}
    return ending(side, units, reserves=[reserve])


def moving(day: int = 17, **more):
    return position("B-s major; s-x major intact; x-E major", "m German armor 2 s; e Allied foot 2 x", day, **more)


BOTH_LOST = "m German foot 1 s; n German foot 2 x; e Allied foot 1 B; f Allied foot 2 y"
HELD = {"s": {"vp": 3, "control": "German"}}
FORCES = {"area": "s", "effect": "mobility"}

ROWS = [
    # building
    brings("10.14a", building(), "build-bridge s-x m: 10", {"units.m.built_today": True, "units.n.built_today": False}, "it has tried"),
    brings("10.14c", building(battle_areas=["x"]), "end-phase", {"battle_areas": []}, "the next impulse has its own battles"),
    brings("10.15", building(), "build-bridge s-x m: 6", {"connections.s-x.bridge": "intact", "connections.s-x.failed_repairs": 0}, "4, and 2 for two failures"),
    brings("10.15", building(), "build-bridge s-x m: 7", {"connections.s-x.bridge": "blown"}, "no bridge"),
    brings("10.16a", building(), "build-bridge s-x m: 7", {"construction_attempts": [ATTEMPT]}, "the attempt is noted"),
    brings("10.16a", building(construction_attempts=[ATTEMPT]), "end-phase", {"construction_attempts": []}, "the next impulse has its own"),
    brings("10.16c", building(), "build-bridge s-x m: 7", {"connections.s-x.failed_repairs": 3}, "one failure more"),
    brings("10.16c", building(), "build-bridge s-x m: 6", {"connections.s-x.failed_repairs": 0}, "a success clears them"),
    # blowing
    brings("10.25", blowing(), "blow e: 5", {"demolition_attempts": [{"bridge": "s-x", "unit": "e"}]}, "the attempt is noted"),
    brings("10.29", blowing(), "blow e: 4", {"connections.s-x.bridge": "blown"}, "infantry that has not moved: 4"),
    brings("10.29", blowing(), "blow e: 5", {"connections.s-x.bridge": "intact"}, "5 is too much"),
    # arrivals
    lists("11.11", arriving(), "German bring-on g B", True, "its zone"),
    lists("11.11", arriving(), "German bring-on g E", False, "a zone that no shift leads to"),
    brings("11.11", arriving(), "bring-on g B; bring-on h B", {"reserves": [], "units.g.place": "B"}, "they wait no more"),
    brings("11.12", arriving(), "bring-on g B",
           {"units.g.place": "B", "units.g.kind": "motorized", "units.g.strength": 3, "units.g.side": "German", "units.g.day_start": None,
            "units.g.points_spent": 0, "units.g.moves_16_1": False}, "it stands in its zone, and may move"),
    brings("11.12", arriving(), "bring-on g A", {"units.g.place": "A", "units.g.points_spent": 2}, "one zone further, one impulse late"),
    lists("11.3a", arriving(release=["x"]), "German bring-on g B", False, "nothing has released it"),
    lists("11.3a", arriving(release=["x"], released=True), "German bring-on g B", True, "it was released"),
    brings("11.3b", waiting("Allied", "m German foot 3 x; e Allied foot 2 x"), "end-phase", {"reserves.g.released": True}, "more points there"),
    brings("11.3b", waiting("Allied", "m German foot 2 x; e Allied foot 2 x"), "end-phase", {"reserves.g.released": False}, "as many"),
    brings("11.3b", waiting("German", "m German foot 3 x; e Allied foot 2 x"), "end-phase", {"reserves.g.released": False}, "only at the end of an Allied impulse"),
    # control and points
    brings("12.11", ending("Allied", impulse=3, areas=HELD, vp_total=5), "end-phase", {"vp_total": 8}, "three more"),
    brings("12.11", ending("Allied", impulse=2, areas=HELD, vp_total=5), "end-phase", {"vp_total": 5}, "the turn goes on"),
    brings("12.11", ending("Allied", "m German foot 3 H", 1, 22, zones={"H": {"vp_factor": 2}}, vp_total=5), "end-phase", {"vp_total": 11},
           "zones score at the end"),
    brings("12.22a", ending("German", "m German foot 2 x", areas={"x": {"control": "Allied"}}), "end-phase", {"areas.x.control": "German"}, "alone there"),
    brings("12.22a", ending("German", "m German foot 2 x; e Allied foot 1 x", areas={"x": {"control": "Allied"}}), "end-phase", {"areas.x.control": "Allied"},
           "not alone"),
    brings("12.22a", ending("German", "m German foot 2 s", areas={"x": {"control": "German"}}), "end-phase", {"areas.x.control": "German"}, "nobody there now"),
    brings("12.23c", ending("Allied", "m German foot 3 H", 1, 22, zones={"H": {"vp_factor": 2}}), "end-phase",
           {"zones.H.counted": 3, "units.m.scored": True}, "these points have scored"),
    brings("12.23c", ending("Allied", "m German foot 3 B", 1, 22), "end-phase", {"zones.B.counted": 0, "units.m.scored": False}, "no zone of the Allies"),
    # attrition
    brings("13.21", ending("Allied", BOTH_LOST, 3, roads="B-s major; s-x major; x-y major; A-y major"), "end-phase",
           {"units.m.strength": None, "units.n.strength": 1, "units.e.strength": None, "units.f.strength": 1},
           "all at once: the loss of e opens no way"),
    brings("13.21", ending("Allied", impulse=3), "end-phase", {"units.m.strength": 2, "units.e.strength": 2}, "in supply"),
    # special forces
    brings("14.11a", moving(), "infiltrate s mobility", {"days_used": [17]}, "the counter of the 17th is used"),
    brings("14.11a", moving(18, days_used=[17]), "infiltrate s mobility", {"days_used": [17, 18]}, "that of the 18th too"),
    lists("14.12a", moving(marching=["m"], front="s"), "German infiltrate s mobility", True, "also while a stack moves"),
    lists("14.12a", blowing(), "German infiltrate s mobility", False, "not while the Allies are at a bridge"),
    brings("14.12b", moving(), "infiltrate x demolition", {"special_forces": {"area": "x", "effect": "demolition"}}, "where and what he likes"),
    lists("14.12b", moving(areas={"x": {"vp": 1}}), "German infiltrate x *", False, "not in a VP area"),
    brings("14.21b", moving(), "infiltrate s confusion", {"effects_used": ["confusion"]}, "this effect is used"),
    lists("14.21b", moving(18, effects_used=["confusion"]), "German infiltrate s confusion", False, "never again"),
    brings("14.3", ending("Allied", special_forces=FORCES, confusion_spent=True), "end-phase", {"special_forces": None, "confusion_spent": False},
           "the Allied part is over"),
    brings("14.3", ending("German", special_forces=FORCES, confusion_spent=True), "end-phase", {"special_forces": FORCES, "confusion_spent": True},
           "it stays for the Allied part"),
]

test_10_course = rows(ROWS)
