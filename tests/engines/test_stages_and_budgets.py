"""Column shifts in stages with clamps, as totals to which clauses add, several budgets of one route, tables."""

import itertools

import pytest
from titm_rules.checker.link import link_model
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.phrasing import Words
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.evaluate import Evaluator
from titm_rules.world.world import World

from tests.play.hills import DATA, lines, machine
from tests.syntax.programs import GOOD, link

each_engine = pytest.mark.parametrize("engine", ENGINES)
[STAGES] = [path for path in GOOD if path.stem == "13_define_total"]
SHIFTS = """
define total number ours on skirmish.
define number capped on skirmish.
define number shift on skirmish.
clause 1 "Attackers" "First the shifts of the attacker are added up."
  ours adds total strength of s over s in scouts where (side of s is red and not tired of s) "strength".
clause 1.1 "Tired ones" "Tired ones too."
  ours adds total strength of s over s in scouts where (side of s is red and tired of s) "tired".
clause 2 "Cap" "Then they are held at 3."
  capped is least of (ours, 3).
clause 3 "Defenders" "Then those of the defender count against them, to two to the left at most."
  shift is most of (capped - (total strength of s over s in scouts where side of s is blue), -2).
"""


@each_engine
@pytest.mark.parametrize(("red", "blue", "shift"), [(4, 0, 3), (1, 0, 2), (4, 1, 1), (4, 9, -2), (0, 1, -2)])
def test_shifts_come_in_stages(engine, red, blue, shift):
    strengths = {"Red": red, "Blue": blue}
    scouts = [{**row, "strength": strengths[row["side"]]} for row in DATA["scouts"]]
    assert machine(engine, SHIFTS, scouts=scouts).engine.decide("shift", {}) == shift


KINDS = """
game "Kinds".
type kind is foot, horse, gun.
situation yard has day: number 0 to 9.
define total number worth of k: kind.
clause 1 "All" "2." worth adds 2 "all".
clause 2 "Guns" "3 more." worth adds 3 "guns" when k is gun.
clause 3 "Horses" "Nothing." lifts 1 when k is horse.
"""


def by_hand(ground, armor, aircraft, dug_in):
    """Work the shifts out: the attacker's, the defender's, and the column's."""
    ours = armor + (armor and ground == "open") + aircraft
    theirs = {"open": 0, "wood": 0 if dug_in else 1, "ridge": 2}[ground] + (dug_in and (3 if ground == "wood" else 2))
    return [ours, theirs, max(min(ours, 3) - theirs, -2)]


@each_engine
def test_totals_are_what_plain_sums_say_and_no_truth_values(engine):
    model = link(STAGES)
    for case in itertools.product(("open", "wood", "ridge"), (False, True), (0, 1, 4), (False, True)):
        data = dict(zip(("ground", "armor", "aircraft", "dug_in"), case, strict=True))
        here = make_engine(engine, model, World(model, "skirmish", data, "$"))
        found = [here.decide(name, {}) for name in ("attack-shift", "defense-shift", "column-shift")]
        assert found == by_hand(*case), case
    model = link_model([parse_rules(KINDS, "kinds.rules")], "test")
    here = make_engine(engine, model, World(model, "yard", {"day": 1}, "$"))
    assert [here.decide("worth", {"k": kind}) for kind in range(3)] == [2, 0, 5]


def test_a_total_is_told_by_what_clauses_add():
    model = link(STAGES)
    data = {"ground": "open", "armor": True, "aircraft": 2, "dug_in": True}
    world = World(model, "skirmish", data, "$")
    words = Words(Evaluator(model, world))
    assert words.price(model.heads["attack-shift"], {}) == "4 (1 armor by 1 + 1 open ground by 1 + 2 aircraft by 2)"


BUDGETS = """
route trek on skirmish:
  mover who: scout, crosses way: trail from start to goal, counts fuel up to 9, counts climb up to 9.
event go on skirmish by mover:
  for each s in scouts where (not tired of s and side of s is mover)
  for each h in (ends of trek (with who = s)).
clause 1 "Treks" "A scout may go three trails, burn the fuel that is counted, and climb as high as the day is old."
  trek costs 1.
  trek has 3 points.
  trek counts 1 as fuel.
  trek counts height of goal as climb.
  trek may not step when fuel + 1 is more than count.
  trek may not step when climb + height of goal is more than day.
  go sets place of s to h.
"""
TRAILS = [{"id": "1", "ends": ["low", "mid"]}, {"id": "2", "ends": ["mid", "top"]}]


@each_engine
@pytest.mark.parametrize(
    ("fuel", "climb", "ends"), [(2, 4, ["mid", "top"]), (1, 4, ["mid"]), (2, 3, ["mid"]), (0, 9, [])]
)
def test_a_route_keeps_several_budgets(engine, fuel, climb, ends):
    found = lines(machine(engine, BUDGETS, trails=TRAILS, count=fuel, day=climb))
    assert found == [f"go ann {end}" for end in ends]


BANDS, TWO_TYPES = (link(path) for path in GOOD if path.stem in ("45_bands", "45_line"))
LINES = {  # who loses on a die of 1, 2, ... 6, and how many steps
    "one-to-one": ("aaabdd", 1),
    "two-to-one": ("aabddd", 1),
    "three-to-one": ("addddd", 2),
}
WHO = {"a": "attacker", "b": "none", "d": "defender"}
CELLS = {  # by arm: in the open, in a wood, on a hill
    "foot": [(-1, "easy"), (1, "easy"), (0, "hard")],
    "horse": [(2, "easy"), (-2, "hard"), (-1, "hard")],
    "gun": [(0, "easy"), (-1, "closed"), (1, "hard")],
}
ROWS = [
    *((BANDS, "fights", {"at_odds": odds, "rolled": die}, {"who": WHO[who[die - 1]], "steps": steps})
      for odds, (who, steps) in LINES.items() for die in range(1, 7)),
    *((TWO_TYPES, "ways", {"arm": arm, "ground": ground}, {"shift": shift, "going": going})
      for arm, cells in CELLS.items() for ground, (shift, going) in zip(("open", "wood", "hill"), cells, strict=True)),
]  # fmt: skip


@each_engine
@pytest.mark.parametrize(("model", "query", "raw", "wanted"), ROWS)
def test_every_cell_holds(engine, model, query, raw, wanted):
    world = World(model, "", {}, "$")
    asked = BoundQuestion(model, model.questions[query], make_engine(engine, model, world), world, raw, "$")
    assert asked.answer() == wanted
