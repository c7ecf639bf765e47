"""The 36 known differences between editions: a situation for each that can be seen in play.

The numbers and the differences are those of a comparison of all documents; what a document says
is restated. `docs/tools/make_changes.py` writes the page docs/reference/changes.md from this table.
"""

from dataclasses import dataclass
from typing import Any

from tests.builders import battle, position

Json = dict[str, Any]


@dataclass(frozen=True)
class Side:
    """What an edition answers, and clauses that its verdict names."""

    edition: str
    answer: Json
    clauses: str


@dataclass(frozen=True)
class Change:
    """A difference that a question shows."""

    row: int
    rule: str
    situation: str
    query: str
    input: Json
    before: Side
    after: Side


@dataclass(frozen=True)
class Played:
    """A difference that shows in the course of play: from a position, by the first legal actions of these kinds."""

    row: int
    rule: str
    situation: str
    position: Json
    actions: tuple[str, ...]
    after: str  # the edition from which on it is so; `clauses` make it so
    clauses: str


@dataclass(frozen=True)
class Idle:
    """A difference that no question shows, and why."""

    row: int
    rule: str
    reason: str


def forces(day: int = 17, impulse: int = 1, **more: Any) -> Json:
    areas = {"s": {"vp": 3}}
    return {"position": position("B-s major; s-x major", "e Allied foot 2 x", day, impulse, areas=areas, **more)}


def fire(attackers: str, defenders: str, who: str, shots: str) -> Json:
    allocation = dict(shot.split(">") for shot in shots.split())
    return {"battle": battle(attackers, defenders), "who": who, "allocation": allocation}


ALL = ["confusion", "demolition", "mobility"]
NONE: Json = {"effects": [], "areas": []}
NO: Json = {"legal": False}
YES: Json = {"legal": True}
ENGINEER = "e Allied engineer 2 y; g German armor 2 x"
BRIDGE = "A-x major; x-y minor intact; y-D major"
BUILDING = "A-x major; x-y minor blown; y-D major"
ACROSS_A_LINE = position("x-y major; y-D major", "e Allied foot 2 x moves_16_1", 16, 1, "Allied")
ACROSS_A_LINE["connections"][0]["scenario_line"] = True
HOLES = "A-w minor; w-r minor; w-n minor; r-m minor; n-m minor"

CHANGES = (
    Change(1, "Section 14: von der Heydte, then special forces", "special forces on 17-1", "special_forces_options",
        forces(), Side("1994-11-01", NONE, ""), Side("1996-08-01", {"effects": ALL, "areas": ["x"]}, "14.11a")),
    Change(2, "Special forces: in which impulse", "special forces on 17-2", "special_forces_options", forces(impulse=2),
        Side("1997-08-20", NONE, "1996:14.2"), Side("1998-01-15", {"effects": ALL, "areas": ["x"]}, "14.11a")),
    Change(3, "Special forces: before or after other moves", "a German unit has moved already",
        "special_forces_options", forces(germans_have_moved=True), Side("1997-03-01", NONE, "1996:14.2"),
        Side("1999", {"effects": ALL, "areas": ["x"]}, "14.11a")),
    Change(5, "Special forces: the same effect again", "confusion was used on the 17th; now the 18th",
        "special_forces_options", forces(18, effects_used=["confusion"], days_used=[17]),
        Side("1996-08-01", {"effects": ALL}, "14.11a"), Side("1996-11-01", {"effects": ALL[1:]}, "14.21b")),
    Change(6, "Special forces: no mobility in the third impulse",
        "special forces on 17-3 (in 1997 not at all, so nothing changed then)", "special_forces_options",
        forces(impulse=3), Side("1997-08-20", NONE, "1996:14.2"), Side("1998-01-15", {"effects": ALL[:2]}, "14.22d")),
    Change(7, "Special forces: where the counter hinders demolition",
        "counter at the near end, engineer at the far end", "demolition_options",
        {"position": position(BRIDGE, ENGINEER, special_forces={"area": "x", "effect": "demolition"}), "bridge": "x-y",
        "crossing": ["g"]}, Side("1998-01-15", {"options": {"e": 1}}, "14.23d"),
        Side("1999", {"options": {"e": 8}}, "10.29-eng-unmoved")),
    Change(9, "Artillery: targeted points are subtracted",
        "foot 4 and 3, mechanized 3: the second counter goes to the mechanized unit", "artillery_sequence_legal",
        {"battle": battle("foot 3, foot 3", "foot 4, foot 3, mechanized 3"), "who": "attacker",
        "sequence": ["d1", "d3"]}, Side("1998-01-15", NO, "9.46b"), Side("1999", YES, "9.46d")),
    Change(10, "One-point attackers: exemption and coverage",
        "two defenders both fire at a foot of 4 beside a foot of 1", "fire_allocation_legal",
        fire("foot 4, foot 1", "foot 2, foot 2", "defender", "d1>a1 d2>a1"), Side("1998-01-15", YES, "1998:9.52"),
        Side("1999", NO, "9.54b")),
    Change(11, "The last unit of the smaller side", "motorized, last of two, takes the foot and leaves the motorized",
        "fire_allocation_legal", fire("mechanized 2, motorized 2, foot 2", "mechanized 2, motorized 2", "defender",
        "d1>a1 d2>a3"), Side("1997-08-20", YES, "1997:9.59"), Side("1999", NO, "9.57b")),
    Change(12, "Exceptions to the order of quality", "a mechanized defender leaves out a mechanized unit of one point",
        "fire_allocation_legal", fire("mechanized 1, foot 2", "mechanized 2, foot 2", "defender", "d1>a2 d2>a1"),
        Side("1996-11-01", NO, "9.57b"), Side("1998-01-15", YES, "1998:9.52")),
    Change(13, "What bars building", "the engineer attacked in an earlier impulse of the day", "construction_options",
        {"position": position(BUILDING, "e German engineer 2 x attacked; f German foot 2 y", impulse=2)},
        Side("1998-01-15", {"options": {"x-y": {"e": 4}}}, "10.15"), Side("1999", {"options": {}}, "10.14b")),
    Change(22, "Scenario lines on 16-1", "an Allied unit with a triangle crosses a line", "check_path",
        {"position": ACROSS_A_LINE, "units": ["e"], "path": ["x", "y"]}, Side("2002-07-25", YES, "8.33-major"),
        Side("2016-10-01", NO, "2016:5.23")),
    Change(26, "Rivers without any bridge", "wading where there is no road; before 2002 the reading `wading` allows it",
        "check_path", {"position": position("B-x major; x-y river; B-y major", "g German foot 2 x"), "units": ["g"],
        "path": ["x", "y"]}, Side("1999 R19=wading", {"legal": True, "cost": 3}, "8.33-unbridged"),
        Side("2002-07-25", NO, "8.2b")),
    Change(23, "When reinforcements are placed",
        "due on 17-3, asked on 17-1; the letter of 1999 is the reading `once-a-day`", "reinforcement_options",
        {"position": position("A-x major", "g German foot 2 x"), "side": "German", "entry": ["A"], "due": [17, 3],
        "ask": ["A"]}, Side("1999 E23=once-a-day", {"zones": {"A": 0}}, "11.11"),
        Side("2002-07-25", {"zones": {"A": None}}, "")),
    Change(28, "In how many areas superiority is needed",
        "superiority in one of two areas; before 2002 the reading `all-areas`", "contingent_release",
        {"position": position("A-x major; x-y major", "g German foot 2 x; e Allied foot 2 y"), "areas": ["x", "y"]},
        Side("1999 E28=all-areas", {"released": False}, ""), Side("2002-07-25", {"released": True}, "11.3a")),
    Change(29, "Release by units that are cut off", "German units with superiority, surrounded", "contingent_release",
        {"position": position("A-x major; x-y major", "g German foot 2 y; e Allied foot 2 x"), "areas": ["y"]},
        Side("1999", {"released": True}, "11.3b"), Side("2002-07-25", {"released": False}, "2002:11.34")),
    Change(31, "Supply of areas that score", "cut-off Germans in an area of points", "vp_at_turn_end",
        {"position": position("A-x major; x-y major", "g German foot 2 y; e Allied foot 2 x",
        areas={"y": {"vp": 4, "control": "German"}})}, Side("1999", {"areas": {"y": 4}}, "12.22c"),
        Side("2002-07-25", {"areas": {}}, "2002:12.22b")),
    Change(32, "Points at the end on 22-1", "the single impulse of the 22nd; before 2002 the reading `scores-nothing`",
        "vp_at_turn_end", {"position": position("A-x major", "g German foot 2 x", 22,
        areas={"x": {"vp": 4, "control": "German"}})}, Side("1999 E32=scores-nothing", {"total": 0}, "12.11"),
        Side("2002-07-25", {"total": 4}, "12.22c")),
    Change(36, "Holes in a line", "past a marked hole without passing it", "check_path",
        {"position": position(HOLES, "g German armor 2 w", hole_markers=["r"]), "units": ["g"],
        "path": ["w", "n", "m"]}, Side("2002-07-25", YES, "8.33-minor"), Side("2016-10-01", NO, "2016:8.295d")),
    Change(4, "Special forces: a day that went by",
        "a second use on the 18th, none on the 17th; in 1996 the reading `saved-up`", "special_forces_options",
        forces(18, days_used=[18]), Side("1996-08-01 E4=saved-up", {"areas": ["x"]}, "1996:14.2"),
        Side("1997-03-01", NONE, "")),
)  # fmt: skip

# Rows that show in the course of play, not in a single question; tests/editions/test_changes.py plays them.
JOINED = "f German foot 2 y; n German foot 2 y impulse_start=x day_start=x moved attacking; e Allied foot 2 y"
PLAYED = (
    Played(8, "Special forces: when the counter is taken off", "the Allied part of the second impulse ends",
        position("A-x major; y-D major", "e Allied foot 2 y; g German foot 2 x", 18, 2, "Allied",
        special_forces={"area": "x", "effect": "mobility"}), ("end-phase",) * 3, "1997-03-01", "14.3 1996:14.4"),
    Played(15, "What staying out costs when friends enter", "one unit attacks, another in the area stays out",
        position("A-x major; x-y major", JOINED, phase="battles"), ("assault",), "1999", "9.14b"),
)  # fmt: skip
IN_PLAY = {one.row: one.rule for one in PLAYED}

IDLE = (
    Idle(14, "Markers of failed attempts when the engineer leaves", "a position states the failed attempts of each "
         "bridge; whether they count after a departure before 1999 is not in any text"),
    Idle(16, "Whose impulse counts in attacking and defending", "the same, if read sensibly"),
    Idle(17, "Dice: brought along or supplied", "a face of 0 is 10 in both"),
    Idle(18, "The combat example", "both are tests (rulesets/titm/conformance), no rule changed"),
    Idle(19, "Tank, then armor", "a word"),
    Idle(20, "How the map is drawn", "circles joined by lines and areas play alike"),
    Idle(21, "Colour of the triangle", "a misprint"),
    Idle(24, "Name of the attrition phase", "a word"),
    Idle(25, "A stray word in 8.34", "a misprint"),
    Idle(27, "Several zones for one reinforcement", "each unit has a question of its own, with all its zones; a "
         "question about one unit cannot show whether a group may split"),
    Idle(30, "Control by a unit that only passes", "control is judged when a player impulse ends, so that a unit that "
         "passed leaves no trace; the sheet of 2002 says so in words"),
    Idle(33, "Attrition of both sides at one time", "the losses of a phase are asked for together in every edition"),
    Idle(34, "2002:14.13", "the text breaks off after its first words"),
    Idle(35, "From the board into a zone", "the same, if 1999 is read sensibly"),
)  # fmt: skip
