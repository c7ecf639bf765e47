"""Where units move, stop and attack: 8.2."""

from tests.builders import battle, position
from tests.clauses.rows import allocates, attacks, entrenches, moves, rows, supplied

LINE = "B-s major; s-x major; x-y major; y-z major"
# x is contested; y leads back to B by another road, t does not
POCKET = "B-s major; s-x major; x-y major; y-B major; x-t major; t-u major"
# a German unit stands cut off at x: s is held by the enemy
CUT = "B-s major; s-x major; x-y major; y-z major"


def line(units: str, **more):
    return position(LINE, units, **more)


ROWS = [
    moves("8.2b", position("B-s major; s-x minor", "m German armor 2 s"), "m", "s x", 2, "a road joins them"),
    moves("8.2b", position("B-s major; s-x; x-B major", "m German armor 2 s"), "m", "s x", None, "no road"),
    moves("8.2b", position("B-s major; s-x intact; x-B major", "m German armor 2 s"), "m", "s x", None,
          "a bridge without a road"),
    moves("8.21b", line("m German foot 1 s; n German foot 1 s"), "m n", "s x", 1, "together since dawn"),
    moves("8.21b", line("m German foot 1 s; n German foot 1 s day_start=y"), "m n", "s x", None, "one came during the day"),
    moves("8.21b", line("m German foot 1 s day_start=y; n German foot 1 s day_start=y"), "m n", "s x", 1,
          "both were together elsewhere"),
    moves("8.21b", line("m German foot 1 s day_start=null; n German foot 1 s day_start=null"), "m n", "s x", None,
          "neither was on the map"),
    moves("8.21b", line("n German foot 1 s day_start=y"), "n", "s x", 1, "alone it may"),
    moves("8.21b", line("n German foot 1 s day_start=null"), "n", "s x", 1, "alone, new on the map"),
    moves("8.22", line("m German armor 2 s; e Allied foot 1 x"), "m", "s x", 2, "it may enter"),
    moves("8.22", line("m German armor 2 s; e Allied foot 1 x"), "m", "s x s", None, "and must stop there"),
    moves("8.22", line("m German armor 2 s; f German foot 1 x"), "m", "s x s", 3, "friends do not stop it"),
    moves("8.22", position("D-s major; D-y major; s-B major; y-B major", "m German armor 2 s; e Allied foot 1 D"),
          "m", "s D y", 2, "the rule speaks of areas: in a zone with enemies it need not stop"),
    attacks("8.23", line("m German armor 2 x impulse_start=s moved; e Allied foot 1 x"), "m", "must", "it entered"),
    attacks("8.23", line("m German armor 2 x impulse_start=s moved; e Allied foot 1 y"), "m", "may not", "nobody is there"),
    attacks("8.23", line("m German armor 2 x; e Allied foot 1 x", side="Allied"), "m", "may not",
            "the side that does not move never attacks"),
    allocates("8.23", battle("foot 2", "foot 2, foot 2"), "attacker", ["a1>d1", "a1>d2"],
              "every enemy there is a target"),
    moves("8.25", line("m German foot 2 s moved"), "m", "s x", None, "one move a turn"),
    moves("8.25", line("m German foot 2 s"), "m", "s x", 1, "its first move"),
    moves("8.25", line("m German foot 2 s; n German foot 2 s moved"), "m n", "s x", None, "nor in a stack"),
    entrenches("8.25", line("m German foot 2 s moved"), "m", "", "nor may it dig in"),
    attacks("8.25", line("m German foot 2 x moved; e Allied foot 1 x"), "m", "may not", "it moved in an earlier impulse"),
    attacks("8.25", line("m German foot 2 x; e Allied foot 1 x"), "m", "may", "it has not moved today"),
    attacks("8.25", line("m German foot 2 x moved impulse_start=s; e Allied foot 1 x"), "m", "must",
            "it moved in this impulse"),
    moves("8.25", line("m German foot 2 s entrenched entrenched_today"), "m", "s x", None, "digging in is a move"),
    moves("8.25", line("m German foot 2 s entrenched"), "m", "s x", 1, "digging in on an earlier day is not"),
    attacks("8.25", line("m German foot 2 x entrenched_today; e Allied foot 1 x"), "m", "may not", "nor may it attack then"),
    moves("8.26", position("B-s minor", "m German armor 2 s; n German foot 2 B"), "m", "s B", 2, "a friend in the zone"),
    moves("8.26", position("D-s major; s-B major", "m German armor 2 s; n Allied foot 2 D"), "m", "s D", 1,
          "an enemy in the zone"),
    moves("8.26", line("m German armor 2 s; n German foot 2 x"), "m", "s x", 2, "an area costs one more"),
    moves("8.27", position(POCKET, "m German foot 2 x; e Allied foot 1 x; f Allied foot 1 y"), "m", "x y", None,
          "from enemies to enemies"),
    moves("8.27", position(POCKET, "m German foot 2 x; e Allied foot 1 x"), "m", "x y", 2, "to a free area"),
    moves("8.27", position(POCKET, "m German foot 2 x; f Allied foot 1 y"), "m", "x y", 2, "from a free area"),
    moves("8.27", position("D-y major; y-B major; D-B major", "m German foot 2 D; e Allied foot 1 D; f Allied foot 1 y"),
          "m", "D y", 2, "a zone is no area"),
    moves("8.27", position("D-y major; y-B major; D-B major", "m German foot 2 y; e Allied foot 1 D; f Allied foot 1 y"),
          "m", "y D", 2, "into a zone"),
    moves("8.28", position(POCKET, "m German foot 2 x; e Allied foot 1 x"), "m", "x t", None,
          "the only road back leads through the contested area"),
    moves("8.28", position(POCKET, "m German foot 2 x; e Allied foot 1 x"), "m", "x y", 2, "y has a road of its own"),
    moves("8.28", position(POCKET, "m German foot 2 x"), "m", "x t", 1, "nobody bars the road back"),
    moves("8.28", position(POCKET, "m German foot 2 s; e Allied foot 1 x"), "m", "s x", 2,
          "a contested area may be entered: the trace starts in it"),
    moves("8.28", position("B-s major; s-x major blown; x-y major", "m German foot 1 x; n German armor 1 x"), "m n", "x y", 1,
          "the armor of the stack is out of supply already"),
    moves("8.28", position(CUT, "m German foot 2 x; e Allied foot 1 s"), "m", "x y", 1,
          "a unit out of supply may move on"),
    moves("8.28", position(CUT, "m German foot 2 x; e Allied foot 1 s"), "m", "x y", None,
          "unless it may not stay out of supply", readings={"R17": "no-oos-destination"}),
    moves("8.28", position(CUT + "; y-B major", "m German foot 2 x; e Allied foot 1 s; f Allied foot 1 y"), "m", "x y", 2,
          "to the road that is barred to the trace but not to a fight", readings={"R17": "no-oos-destination"}),
    moves("8.29", position(CUT, "m German mechanized 2 x; e Allied foot 1 s"), "m", "x y", 1, "one area"),
    moves("8.29", position(CUT, "m German mechanized 2 x; e Allied foot 1 s"), "m", "x y z", None, "and no more"),
    moves("8.29", position(CUT, "m German mechanized 2 x"), "m", "x y z", 2, "in supply it goes on"),
    moves("8.29", position("B-s major; s-x major blown; x-y major; y-z major", "m German foot 1 x; n German armor 1 x"),
          "m n", "x y z", None, "a stack with one such unit stops"),
    moves("8.29", position("B-s major; s-x major blown; x-y major; y-z major", "m German foot 1 x; n German armor 1 x"),
          "m", "x y z", 2, "the unit that is in supply need not stop when it goes alone"),
    supplied("8.28", position(POCKET, "m German foot 2 t; e Allied foot 1 x"), "m", False, "why t is barred"),
]

test_8_2 = rows(ROWS)
