"""What needs no construct of its own: column shifts in stages with clamps, and several budgets of one route."""

import pytest

from tests.play.hills import DATA, ENGINES, lines, machine

pytestmark = pytest.mark.parametrize("engine", ENGINES)

SHIFTS = """
define number ours on skirmish.
define number capped on skirmish.
define number shift on skirmish.
clause 1 "Attackers" "First the shifts of the attacker are added up."
  ours is total strength of s over s in scouts where (side of s is red).
clause 2 "Cap" "Then they are held at 3."
  capped is least of (ours, 3).
clause 3 "Defenders" "Then those of the defender count against them, to two to the left at most."
  shift is most of (capped - total strength of s over s in scouts where (side of s is blue), -2).
"""


@pytest.mark.parametrize(("red", "blue", "shift"), [(4, 0, 3), (1, 0, 2), (4, 1, 1), (4, 9, -2), (0, 1, -2)])
def test_shifts_come_in_stages(engine, red, blue, shift):
    strengths = {"Red": red, "Blue": blue}
    scouts = [{**row, "strength": strengths[row["side"]]} for row in DATA["scouts"]]
    assert machine(engine, SHIFTS, scouts=scouts).engine.decide("shift", {}) == shift


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


@pytest.mark.parametrize(
    ("fuel", "climb", "ends"), [(2, 4, ["mid", "top"]), (1, 4, ["mid"]), (2, 3, ["mid"]), (0, 9, [])]
)
def test_a_route_keeps_several_budgets(engine, fuel, climb, ends):
    found = lines(machine(engine, BUDGETS, trails=TRAILS, count=fuel, day=climb))
    assert found == [f"go ann {end}" for end in ends]
