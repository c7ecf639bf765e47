"""What clauses lift, and in which questions."""

from titm_rules.checker.link import link_model
from titm_rules.syntax.parser import parse_rules

TEXT = """
game "Two Hills".
place hex has height: number 0 to 3, flooded: flag.
situation skirmish has hexes: list of hex, day: number 1 to 9.
define flag open of h: hex on skirmish.
define flag dry on skirmish.
clause 1 "Both" "Hexes are open, and all is dry."
  open holds.
  dry holds.
clause 2 "Floods" "A flooded hex is closed."
  lifts 1 in open when flooded of h.
clause 3 "Hills" "A hill is open even then."
  lifts 2 when height of h is 3.
clause 4 "Days" "On the first day nothing but the hexes counts."
  lifts 3 in open when day is 1.
"""


def test_an_exception_to_an_exception_holds_only_where_that_one_speaks():
    """Clause 3 speaks of a hex; clause 2 lifts clause 1 of hexes only, though clause 1 says more."""
    model = link_model([parse_rules(TEXT, "hills.rules")], "test")
    assert [(lift.clause, lift.target) for lift in model.heads["open"].lifts] == [("2", "1"), ("3", "2"), ("4", "3")]
    assert model.heads["dry"].lifts == ()
