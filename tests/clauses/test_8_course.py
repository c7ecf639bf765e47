"""How marches go on and end: what happens when units overstack, move, meet a blown bridge, dig in (7 and 8)."""

from tests.builders import position
from tests.clauses.rows import brings, lists, rows

DRY = "B-s major; s-x major; x-y major; y-B major; s-y major"
BRIDGE = "B-s major; s-x major intact; x-y major; y-B major; s-y major; x-E major"
WADE = "B-s major; s-x major blown; x-y major; y-B major"
LATE = {"E47": "at-any-time"}
# every road back to the source leads over a blown bridge
WET = "B-s major blown; s-x major"


def world(units: str = "m German armor 2 s", roads: str = DRY, **more):
    return position(roads, units, **more)


def marching(units: str = "m German armor 2 s", roads: str = DRY, front: str = "s", spent: int = 0, **more):
    """Make a position in which m is on the march and has come to a place."""
    return world(units, roads, marching=["m"], front=front, march_spent=spent, **more)


def wading(units: str = "m German motorized 2 s", roads: str = WADE, **more):
    """Make a position in which a stack on the march stands at a river whose bridge is blown."""
    return world(units, roads, **({"marching": ["m"], "front": "s"} | more))


def facing(units: str = "m German armor 2 s", sapper: str = "foot", **more):
    """Make a position in which e may blow the bridge that m tries to cross."""
    return marching(f"{units}; e Allied {sapper} 2 x", BRIDGE, way_tried="s-x", **more)


def guarded(units: str = "m German armor 2 s", sapper: str = "foot"):
    return world(f"{units}; e Allied {sapper} 2 x", BRIDGE)


def stack(strengths: str, side: str = "German", phase: str = "movement"):
    units = "; ".join(f"u{n} {side} foot {s} s" for n, s in enumerate(strengths.split(), 1))
    return position("B-s major; s-E major", units, phase=phase)


# x is out of supply: enemies are on both sides of it, and m has no points to go back
STRANDED = position("B-s major; s-x minor; x-y major intact; y-B minor; y-E major; s-E major",
                    "m German foot 2 s; e Allied foot 1 s; f Allied foot 1 y")  # fmt: skip
LOST = "m German mechanized 2 x; e Allied foot 1 s"
ENDED = {"marching": [], "front": None, "march_spent": 0, "on_foot": False, "march_stopped": False, "balked": []}
HALTING = {"on_foot": True, "march_stopped": True, "balked": ["s-x"]}
BLOWN = BRIDGE.replace("intact", "blown")

ROWS = [
    # stacks that are too large
    brings("7.1a", stack("3 3 3 2"), "end-phase", {"phase": "stacking"}, "somebody has to go first"),
    brings("7.1a", stack("3 3 2 2"), "end-phase", {"phase": "battles"}, "nobody has to go"),
    lists("7.2", stack("3 3 3 2", phase="stacking"), "German give-up German s u1", True, "the owner chooses"),
    lists("7.2", stack("3 3 3 2", phase="movement"), "German give-up German s u1", False, "not while units move"),
    lists("7.2", stack("3 3 3 2", "Allied", "stacking"), "Allied give-up Allied s u2", True, "the other side chooses for itself"),
    brings("7.2", stack("3 3 3 2"), "end-phase; give-up German s u4",
           {"units.u4.strength": None, "units.u3.strength": 3, "phase": "battles"}, "the unit is gone, whole"),
    # steps
    brings("8.2a", world(), "muster m; advance x s-x", {"front": "x", "march_spent": 1, "way_tried": None}, "one road further"),
    brings("8.2a", world(), "muster m; advance y s-y", {"front": "y", "march_spent": 1}, "along the road that was chosen"),
    brings("8.2a", world(), "muster m; advance x s-x; advance y x-y", {"front": "y", "march_spent": 2}, "and another"),
    brings("8.2a", guarded(), "muster m; advance x s-x", {"front": "s", "march_spent": 0, "way_tried": "s-x"}, "somebody may blow the bridge first"),
    brings("8.2a", facing(), "let-cross", {"front": "x", "march_spent": 2, "way_tried": None, "let_pass": False}, "then the stack crosses"),
    lists("8.21a", world("m German armor 2 s; n German foot 1 s"), "German muster n", True, "any unit may begin"),
    lists("8.21a", marching("m German armor 2 s; n German foot 1 s"), "German muster n", False, "one march at a time"),
    lists("8.21a", marching("m German armor 2 s; n German foot 1 s"), "German join-march n", True, "the other unit moves with it"),
    lists("8.21a", world("m German armor 2 s; n German foot 1 s"), "German join-march n", False, "there is nothing to join"),
    lists("8.21a", marching("m German armor 2 s; n German foot 1 s", front="x", spent=1), "German join-march n", False, "it has left"),
    lists("8.21a", facing("m German armor 2 s; n German foot 1 s"), "German join-march n", False, "it is at the bridge"),
    lists("8.21a", marching("m German armor 2 s; n German foot 1 s"), "German join-march m", False, "it is in it"),
    lists("8.21a", marching("m German armor 2 s; n German foot 1 y day_start=s"), "German join-march n", False, "it stands elsewhere"),
    brings("8.21a", world("m German motorized 2 s"), "muster m foot", {"marching": ["m"], "front": "s", "on_foot": True}, "one unit sets out on foot"),
    brings("8.21a", world("m German motorized 2 s"), "muster m", {"marching": ["m"], "front": "s", "on_foot": False}, "or by wheel"),
    brings("8.21a", world("m German armor 2 s; n German foot 1 s"), "muster m; join-march n", {"marching": ["m", "n"]}, "two units"),
    brings("8.22", world("m German armor 2 s; e Allied foot 1 x"), "muster m; advance x s-x", {"march_stopped": True}, "enemies stop it"),
    brings("8.22", world(), "muster m; advance x s-x", {"march_stopped": False}, "an empty area does not"),
    lists("8.22", marching("m German armor 2 s; e Allied foot 1 x", front="x", spent=2, march_stopped=True), "German advance *", False, "it goes no further"),
    lists("8.22", marching(front="x", spent=1), "German advance y x-y", True, "it may go on"),
    lists("8.29", marching(LOST, "B-s major; s-x major; x-y major; y-z major", "x"), "German advance y x-y", True,
          "out of supply it goes one area"),
    lists("8.24a", marching(), "German halt", False, "it has not moved"),
    lists("8.24a", marching(front="x", spent=1), "German halt", True, "it has"),
    lists("8.24a", facing(front="s", spent=1), "German halt", False, "it is trying to cross"),
    brings("8.24a", world(), "muster m; advance x s-x; halt", {"units.m.place": "x", "units.m.moved": True, "germans_have_moved": True},
           "it has moved"),
    brings("8.24a", marching("m German motorized 2 s", BLOWN, "y", 1, **HALTING), "halt", ENDED, "nothing is left of the march"),
    brings("8.24a", position("E-s major; s-x major", "m Allied armor 2 s", side="Allied"), "muster m; advance x s-x; halt",
           {"units.m.moved": True, "germans_have_moved": False}, "an Allied unit"),
    brings("8.24a", world(phase="construction", germans_have_moved=True), "end-phase", {"germans_have_moved": False}, "a new impulse"),
    # on foot
    lists("8.35a", world("m German motorized 2 s"), "German muster m foot", True, "motorized infantry may walk"),
    lists("8.35a", world("m German foot 2 s"), "German muster m foot", False, "foot infantry always does"),
    lists("8.35a", world(), "German muster m foot", False, "armor never does"),
    lists("8.35a", world(), "German muster m", True, "armor drives"),
    lists("8.35a", wading(), "German wade x s-x", False, "who is to walk says so before he sets out"),
    lists("8.35a", wading(), "German wade x s-x", True, "or at the river", readings=LATE),
    lists("8.35a", world(roads=WADE), "* wade *", False, "nobody is on the march", readings=LATE),
    lists("8.35a", wading(on_foot=True), "German wade x s-x", False, "the stack walks already", readings=LATE),
    lists("8.35a", wading("m German foot 2 s"), "German wade x s-x", False, "foot infantry has nothing to leave", readings=LATE),
    lists("8.35a", wading("m German foot 2 s; n German motorized 1 s", marching=["m", "n"]), "German wade x s-x", True, "one of two has", readings=LATE),
    lists("8.35a", wading("m German motorized 2 s; e Allied foot 1 y", f"{WADE}; s-y major intact", way_tried="s-y"), "German wade *", False,
          "the stack is on a bridge", readings=LATE),
    lists("8.35a", wading(roads=WADE.replace("blown", "intact")), "German wade x s-x", False, "over a bridge it drives", readings=LATE),
    brings("8.35b", world("m German motorized 2 s", WADE), "muster m foot; advance x s-x; halt", {"units.m.foot_mode": True, "units.m.place": "x"},
           "it has waded"),
    brings("8.35b", world("m German motorized 2 s"), "muster m; advance x s-x; halt", {"units.m.foot_mode": False}, "it drove"),
    brings("8.35b", world("m German foot 2 s", WADE), "muster m; advance x s-x; halt", {"units.m.foot_mode": False}, "foot infantry keeps no such rate"),
    brings("8.35b", world("m German motorized 2 s"), "muster m foot; dig-in", {"units.m.foot_mode": True}, "it digs in with the points of a walker"),
    brings("8.35b", world("m German motorized 2 x foot_mode", WET), "muster m; advance s s-x; halt", {"units.m.foot_mode": True},
           "its supply still wades"),
    brings("8.35c", world("m German motorized 2 s foot_mode"), "muster m; advance x s-x; halt", {"units.m.foot_mode": False}, "its supply is dry again"),
    brings("8.35c", world("m German motorized 2 s foot_mode"), "muster m; dig-in", {"units.m.foot_mode": False}, "also when it digs in"),
    brings("8.35c", world("m German motorized 2 s foot_mode", WET), "muster m; dig-in", {"units.m.foot_mode": True}, "not as long as its supply wades"),
    # bridges blown in the mover's face
    brings("8.41", guarded(), "muster m; advance x s-x", {"front": "s"}, "the other side is asked"),
    brings("8.41", guarded(sapper="armor"), "muster m; advance x s-x", {"front": "x"}, "armor blows nothing: nobody is asked"),
    lists("8.41", facing(), "German advance y s-y", False, "it waits for the answer"),
    lists("8.41", marching(roads=BRIDGE), "German advance y s-y", True, "no answer is due"),
    brings("8.42a", facing(), "blow e: 4", {"front": "s", "way_tried": None, "balked": ["s-x"], "connections.s-x.bridge": "blown"}, "it is blown"),
    brings("8.42a", facing(), "blow e: 5", {"front": "x", "way_tried": None, "balked": []}, "it stands: the stack crosses"),
    brings("8.42a", facing(), "blow e: 4; advance y s-y; halt", {"units.m.place": "y"}, "the stack goes elsewhere"),
    brings("8.42a", STRANDED, "muster m; advance x s-x; advance y x-y; blow f: 4; halt", {"units.m.place": "x"},
           "who cannot go on ends there, though out of supply"),
    brings("8.42b", facing(), "blow e: 4", {"march_spent": 1}, "the turn costs a point"),
    brings("8.42b", facing(), "blow e: 5", {"march_spent": 2}, "the road and the enemies, no more"),
    # digging in
    lists("8.51a", marching("m German engineer 2 s"), "German dig-in", True, "an engineer digs in"),
    lists("8.51a", facing("m German engineer 2 s"), "German dig-in", False, "not on the bridge"),
    brings("8.51a", world("m German engineer 2 s"), "muster m; dig-in",
           {"units.m.entrenched": True, "units.m.entrenched_today": True, "units.m.moved": False, **ENDED}, "where it stands: that is no move"),
    brings("8.51a", world("m German engineer 2 s"), "muster m; advance x s-x; dig-in",
           {"units.m.entrenched": True, "units.m.place": "x", "units.m.moved": True, **ENDED}, "after a move"),
    brings("8.51a", marching("m German engineer 2 s", BLOWN, "s", 1, on_foot=True, balked=["s-x"]), "dig-in", ENDED, "nothing is left of the march"),
    brings("8.58", world("m German foot 2 s entrenched"), "muster m; advance x s-x; halt", {"units.m.entrenched": False}, "it has left its holes"),
    brings("8.58", facing("m German foot 2 s entrenched"), "blow e: 4; halt", {"units.m.entrenched": True}, "it never left them"),
    brings("8.59b", position(DRY, "m German foot 2 x entrenched attacking; n German foot 1 x entrenched; e Allied foot 2 x entrenched", phase="battles"),
           "assault x", {"units.m.entrenched": False, "units.n.entrenched": True, "units.e.entrenched": True}, "only the attacker leaves its holes"),
    brings("8.59b", position(DRY, "m German foot 2 x entrenched; n German foot 1 x attacking; e Allied foot 2 x", phase="battles"),
           "assault x", {"units.m.entrenched": True}, "it does not attack"),
]  # fmt: skip

test_8_course = rows(ROWS)
