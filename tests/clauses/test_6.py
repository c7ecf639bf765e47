"""Sequence of play: 2.0, 6.0, 8.1 and the length of the campaign."""

from tests.builders import position
from tests.clauses.rows import brings, lists, moves, rows

ROADS = "B-s major; s-x major; x-E major"
QUIET = "m German foot 2 s; e Allied foot 2 x"
CONTACT = "m German foot 2 x; n German foot 2 s; e Allied foot 2 x"
PIONEERS = "m German engineer 1 s; n German foot 1 x"


def world(day: int, impulse: int):
    return position("B-s major; s-x major", "m German foot 2 s", day, impulse)


def at(phase: str, units: str = QUIET, side: str = "German", impulse: int = 1, day: int = 17, roads: str = ROADS, **more):
    return position(roads, units, day, impulse, side, phase=phase, **more)


def ending(side: str, impulse: int, day: int = 17, units: str = QUIET, **more):
    """Make a position in which a player impulse is about to end."""
    return at("construction", units, side, impulse, day, **more)


def due(side: str, day: int, impulse: int, **more):
    zone = "B" if side == "German" else "E"
    return {"id": side[0].lower(), "side": side, "kind": "foot", "strength": 2, "entry": [zone], "due": [day, impulse], **more}


def arriving(*reserves, phase: str = "reinforcement", **more):
    return at(phase, placing="German", reserves=list(reserves), **more)


def crossing(sapper: str = "foot", way: str | None = "s-x", **more):
    """Make a position in which m is about to cross a bridge before e."""
    march = {"marching": ["m"], "front": "s", "way_tried": way}
    return at("movement", f"m German armor 2 s; e Allied {sapper} 2 x", roads="B-s major; s-x major intact; x-E major", **march, **more)


def beside_a_blown_bridge(phase: str):
    return at(phase, PIONEERS, roads="B-s major; s-x major blown")


CUT_OFF = "c German foot 2 x; e Allied foot 2 s; f Allied foot 2 E"
WEARY = "m German engineer 2 s moved attacked built_today entrenched_today points_spent=2 day_start=x"
RESTED = {"units.m.moved": False, "units.m.attacked": False, "units.m.built_today": False, "units.m.entrenched_today": False,
          "units.m.points_spent": 0, "units.m.day_start": "s"}  # fmt: skip
TIRED = {"units.m.moved": True, "units.m.attacked": True, "units.m.built_today": True, "units.m.entrenched_today": True,
         "units.m.points_spent": 2, "units.m.day_start": "x"}  # fmt: skip

ROWS = [
    moves("6.0-IV-VII.x", world(22, 1), "m", "s x", 1, "the only impulse of the 22nd"),
    moves("6.0-IV-VII.x", world(22, 2), "m", "s x", None, "there is no second"),
    moves("6.0-IV-VII.x", world(21, 3), "m", "s x", 1, "other days have three"),
    brings("6.0-IV-VII.x", ending("Allied", 1, 22), "end-phase", {"phase": "game-over", "impulse": 1}, "one Allied impulse, and it is over"),
    brings("6.0-IV-VII.x", ending("German", 1, 22), "end-phase", {"phase": "movement", "side_to_move": "Allied"}, "the Allies have theirs"),
    brings("2.0c", ending("Allied", 1, 22, vp_total=25), "end-phase", {"final": True, "final-level": "Draw"}, "the last turn is over"),
    brings("2.0c", ending("Allied", 3, 21, vp_total=25), "end-phase", {"final": False, "final-level": None}, "a turn that is not the last"),
    brings("S4", ending("Allied", 1, 22), "end-phase", {"phase": "game-over", "day": 22}, "the 22nd is the last turn"),
    brings("S4", ending("Allied", 3, 21), "end-phase", {"phase": "movement", "day": 22}, "the 21st is not"),
    # reinforcements
    lists("6.0-I", arriving(due("German", 17, 1)), "German bring-on g B", True, "due in this impulse"),
    lists("6.0-I", arriving(due("German", 16, 3)), "German bring-on g B", True, "due before, it has waited"),
    lists("6.0-I", arriving(due("German", 17, 2)), "German bring-on g B", False, "due in the next impulse"),
    lists("6.0-I", arriving(due("German", 17, 1), phase="movement"), "German bring-on g B", False, "the phase is over"),
    lists("6.0-I", arriving(due("Allied", 17, 1), due("German", 17, 1)), "* bring-on a E", False, "the Germans place first"),
    lists("6.0-I", arriving(due("German", 17, 1)), "German ready", True, "nobody has to bring units on"),
    lists("6.0-I", arriving(due("German", 17, 1), phase="movement"), "German ready", False, "in another phase there is nothing to be ready for"),
    brings("6.0-I", arriving(due("German", 17, 1), due("Allied", 17, 1)), "ready", {"placing": "Allied", "phase": "reinforcement"},
           "then the Allies place"),
    brings("6.0-I", arriving(due("German", 17, 1), due("Allied", 17, 1)), "ready; ready", {"placing": None, "phase": "movement"},
           "when both are ready the Germans move"),
    brings("6.0-I", arriving(due("German", 17, 1)), "bring-on g B", {"placing": None, "phase": "movement", "units.g.place": "B"},
           "a side that has nothing due is passed over"),
    brings("6.0-I", arriving(phase="movement"), "end-phase", {"placing": "German", "phase": "battles"}, "nobody is passed over in another phase"),
    # the steps of an impulse
    lists("6.0-II.1", at("movement"), "German muster m", True, "units move in the movement step"),
    lists("6.0-II.1", at("construction"), "German muster m", False, "not later"),
    lists("6.0-II.1", at("movement"), "German infiltrate s mobility", True, "special forces come in the movement step"),
    lists("6.0-II.1", at("construction"), "German infiltrate s mobility", False, "not later"),
    lists("6.0-II.1", at("movement"), "German end-phase", True, "he may move no unit at all"),
    lists("6.0-II.1", at("movement", marching=["m"], front="s"), "German end-phase", False, "a move that was begun is made first"),
    lists("6.0-II.1", arriving(due("German", 17, 1)), "German end-phase", False, "reinforcements end by being ready"),
    brings("6.0-II.1", crossing(way=None, demolition_attempts=[{"bridge": "s-x", "unit": "e"}]) | {"marching": [], "front": None}, "end-phase",
           {"phase": "battles", "demolition_attempts": []}, "attempts are counted anew"),
    lists("6.0-II.2", crossing(), "Allied blow e", True, "the other side tries while a unit moves"),
    lists("6.0-II.2", crossing(), "Allied let-cross", True, "or it does not"),
    lists("6.0-II.2", crossing(way=None), "Allied blow e", False, "nobody tries to cross"),
    lists("6.0-II.2", crossing(let_pass=True), "Allied blow e", False, "it has let them pass"),
    lists("6.0-II.2", crossing(let_pass=True), "Allied let-cross", False, "once is enough"),
    lists("6.0-II.2", crossing("armor"), "Allied let-cross", False, "nobody there can blow it"),
    brings("6.0-II.2", crossing(), "let-cross", {"front": "x", "let_pass": False}, "the stack crosses"),
    lists("6.0-II.3", at("battles", CONTACT), "German commit m", True, "attacks are told in the battle step"),
    lists("6.0-II.3", at("movement", CONTACT), "German commit m", False, "not while units move"),
    lists("6.0-II.3", at("battles", CONTACT), "German assault x", False, "nobody attacks"),
    lists("6.0-II.3", at("battles", "m German foot 2 x attacking; e Allied foot 2 x"), "German assault x", True, "a battle"),
    lists("6.0-II.3", at("construction", "m German foot 2 x attacked; e Allied foot 2 x"), "German assault x", False, "not after the battles"),
    brings("6.0-II.3", at("movement"), "end-phase", {"phase": "battles"}, "battles follow movement"),
    brings("6.0-II.3", at("battles"), "end-phase", {"phase": "construction"}, "building follows the battles"),
    lists("6.0-II.4", beside_a_blown_bridge("construction"), "German build-bridge s-x m", True, "bridges are built last"),
    lists("6.0-II.4", beside_a_blown_bridge("battles"), "German build-bridge s-x m", False, "not before"),
    brings("6.0-II.4", beside_a_blown_bridge("construction"), "end-phase", {"side_to_move": "Allied", "phase": "movement"}, "that ends the impulse"),
    # impulses and days
    brings("6.0-IV-VII", ending("German", 3), "end-phase", {"phase": "movement", "day": 17}, "the Allies move after the Germans"),
    brings("6.0-IV-VII", ending("Allied", 1, reserves=[due("German", 17, 2)]), "end-phase", {"phase": "reinforcement", "placing": "German"},
           "the next impulse has its own arrivals"),
    brings("6.0-IV-VII", ending("Allied", 3, units=CUT_OFF), "end-phase", {"day": 18, "units.c.strength": 1}, "the third ends with attrition"),
    brings("6.0-IV-VII", ending("Allied", 2, units=CUT_OFF), "end-phase", {"day": 17, "units.c.strength": 2}, "the second does not"),
    brings("6.0-IV-VII", at("movement"), "end-phase", {"side_to_move": "German"}, "an impulse ends after its last step only"),
    brings("6.0-IX.b", ending("German", 1), "end-phase", {"impulse": 1}, "the marker waits for both sides"),
    brings("6.0-IX.b", ending("Allied", 1), "end-phase", {"impulse": 2}, "both sides are done"),
    brings("6.0-IX.b", ending("Allied", 3), "end-phase", {"impulse": 1, "day": 18}, "after the third a new day begins"),
    brings("8.1a", ending("Allied", 3), "end-phase", {"day": 18}, "three impulses each"),
    brings("8.1a", ending("Allied", 2), "end-phase", {"day": 17}, "two are not enough"),
    brings("8.1a", ending("German", 3), "end-phase", {"day": 17, "side_to_move": "Allied"}, "the third of the Germans is followed by one"),
    brings("8.1c", ending("German", 1), "end-phase", {"side_to_move": "Allied"}, "sides alternate"),
    brings("8.1c", ending("Allied", 1), "end-phase", {"side_to_move": "German"}, "the Germans begin the next"),
    # the end of a turn
    brings("6.0-VIII.a", ending("Allied", 3, units=CUT_OFF), "end-phase", {"units.c.strength": 1}, "supply is judged when the turn ends"),
    brings("6.0-VIII.a", ending("German", 3, units=CUT_OFF), "end-phase", {"units.c.strength": 2}, "not before"),
    brings("6.0-IX.a", ending("Allied", 3, areas={"s": {"vp": 3, "control": "German"}}), "end-phase", {"vp_total": 3, "day": 18, "impulse": 1},
           "points are counted, and a day begins"),
    brings("6.0-IX.a", ending("Allied", 2, areas={"s": {"vp": 3, "control": "German"}}), "end-phase", {"vp_total": 0, "day": 17}, "not in the middle of a turn"),
    brings("6.0-IX.a", ending("Allied", 3, reserves=[due("German", 18, 1)]), "end-phase", {"phase": "reinforcement", "placing": "German"},
           "the day begins with arrivals"),
    brings("6.0-IX.a", ending("Allied", 3, units=WEARY), "end-phase", RESTED, "what units did yesterday is forgotten"),
    brings("6.0-IX.a", ending("Allied", 2, units=WEARY), "end-phase", TIRED, "what they did today is not"),
    brings("6.0-IX.a", ending("Allied", 1, 22, units=WEARY), "end-phase", {"phase": "game-over", "day": 22, **TIRED}, "no day follows the last"),
]

test_6 = rows(ROWS)
