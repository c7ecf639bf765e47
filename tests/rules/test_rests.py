"""The dependency graph has every kind of thing that an answer can depend on, and nothing else."""

from functools import cache

from titm_rules.checker.link import link_model
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.syntax.parser import parse_rules

GAME = """\
game "Rests".
type side is red, blue.
type bridge-state is whole, broken.
die d6 from 1 to 6.
reading R1 "Is it night?": day "no" default, night "yes".
reading R2 "Is it cold?": warm "no" default, cold "yes".
place hex has height: number 0 to 3 default 0, wood: flag default no.
connection trail has ends: pair of hex, bridge: bridge-state default whole, steep: flag default no.
piece scout has
  place: place, side: side, strength: number 0 to 9 default 3, start: place or nothing default same as place,
  aims-at: scout or nothing default nothing, tired: flag default no.
record shot has id: text, force: number 0 to 9 default 1, well-aimed: flag default no.
situation skirmish has
  day: number 1 to 9 default 1, hexes: list of hex, trails: list of trail, scouts: list of scout,
  shots: list of shot default none, front: place or nothing default nothing, spent: number 0 to 9 default 0,
  spoilt: names of trail default none.
situation duel has day: number 1 to 9 default 1, reds: list of shot.
view duel of spot: place on skirmish:
  day: day, reds: each s in scouts standing at spot where (side of s is red): (force: strength of s).
define flag dark on skirmish.
define number weight of s: scout on skirmish.
define flag lost of s: scout on skirmish.
roll climb of s: scout on skirmish with d6.
route march on skirmish:
  mover who: scout, crosses way: trail from left to goal,
  interrupted by sabotage setting bridge of way from whole to broken noted in spoilt, closed by camp.
route escape on skirmish: mover who: scout, crosses way: trail from left to goal.
allocation aim on skirmish:
  each s: shot in shots, picks t: scout in those x in scouts where (side of x is blue), in order of force of s,
  rolls 1 die for climb of t, a success lowers strength of t by 1.
allocation volley on duel: each s: shot in reds, picks t: shot in reds.
question ways on skirmish takes who: scout asks ends of march with who = who as ways.
question check on skirmish takes who: scout, path: path asks check of march with who = who along path.
question camps on skirmish takes who: scout asks closings of march with who = who as camps.
question aims on skirmish asks choices of aim as aims.
question safe on skirmish takes who: scout answers safe: escape of who is 0.
question origin on skirmish takes who: scout, spot: place default same as start of who answers high: lost of who.
summary on skirmish: day: day, heights: each h in hexes where (wood of h): height of h.
walk going on skirmish along march from front after spent.
event halt on skirmish: for each u in scouts where (tired of u) halts going with who = u.
event shoot on skirmish:
  for each h in hexes seen as duel of h picks volley kept as aims-at.
event rest on skirmish: for each u in scouts.
clause 1 "Start" "No start for the tired." march may not start when tired of who.
clause 2 "Step" "No step over broken bridges." march may not step when bridge of way is broken.
clause 3 "Cost" "A point, for the heavy as much as they weigh."
  march costs 1. march costs weight of who when strength of who is more than 3.
clause 4 "Points" "Three points." march has 3 points. escape has 1 points.
clause 5 "End" "No end in the wood in the dark." march may not end when wood of goal is yes and dark.
clause 6 "Dark" "It is dark at night." dark holds when R1 is night.
clause 7 "Weight" "Strength is weight." weight is strength of s.
clause 8 "Sabotage" "Whoever is at the front." sabotage may not try unless front is goal.
clause 9 "Camp" "Nobody camps on steep ways." camp may not try when some t in trails touching goal where steep of t.
clause 10 "Escape" "To the heights." escape ends when height of goal is 3. escape costs 1.
clause 11 "Climb" "Few can, fewer in the cold."
  climb succeeds on 3. climb adds 1 "cold" when R2 is cold. climb may not try when lost of s.
clause 12 "Lost" "Who has no start." lost holds when start of s is nothing.
clause 13 "Aim" "Who can climb is not a target." aim may not choose when climb of t is possible.
clause 14 "Halt" "The front moves." halt sets front to place of u.
clause 15 "Shoot" "Shots go off." shoot sets aims-at of s to t.
clause 16 "Rest" "Rest heals, and whoever is too tired is gone."
  rest sets tired of u to no. rest removes u from scouts when strength of u is 0.
clause 17 "Brave" "The brave see in the dark." lifts 5 when strength of who is 9.
clause 18 "Volley" "All aim well." volley may not choose when well-aimed of t and day is 9.
"""


@cache
def model():
    return link_model([parse_rules(GAME, "rests.rules")], "test")


def rests():
    return dependencies_of(model())


def question(name):
    return rests().of_question(model().questions[name])


def clauses(basis):
    return {int(clause) for clause in basis.clauses}


def test_a_question_about_a_route_rests_on_its_way_its_closing_and_its_interruptions():
    assert clauses(question("ways")) == {1, 2, 3, 4, 5, 6, 7, 17}
    assert question("ways").readings == {"R1"}
    assert clauses(question("check")) - clauses(question("ways")) == {8, 9}
    assert ("trail", "steep") in question("check").fields
    assert ("skirmish", "front") in question("check").fields
    assert clauses(question("camps")) - clauses(question("ways")) == {9}
    basis = question("safe")
    assert clauses(basis) == {4, 10}
    assert basis.forms == {"escape"}
    assert basis.of("skirmish") == {"spoilt"}
    assert {("scout", "place"), ("trail", "ends"), ("trail", "bridge"), ("hex", "height")} <= basis.fields


def test_an_allocation_rests_on_who_picks_what_in_which_order_and_not_on_its_dice():
    basis = question("aims")
    assert clauses(basis) == {11, 12, 13}
    assert basis.readings == {"R2"}
    assert {("shot", "force"), ("scout", "side"), ("skirmish", "shots"), ("skirmish", "scouts")} <= basis.fields
    assert ("scout", "strength") not in basis.fields
    assert ("scout", "strength") in rests().of_form("aim", "shots").fields


def test_the_graph_tells_summaries_defaults_and_single_steps():
    assert {("scout", "start"), ("scout", "place")} <= question("origin").fields
    basis = rests().of_answers(model().summaries["skirmish"], "skirmish")
    assert basis.fields == {("skirmish", "day"), ("skirmish", "hexes"), ("hex", "wood"), ("hex", "height")}
    assert rests().asked_by("aim.choose") == ("climb",)
    assert rests().asked_by("climb") == ("climb.try", "climb.factor", "climb.adds")
    assert dependencies_of(model().with_readings({"R1": "night"})) is rests()


def test_an_event_rests_on_its_parts_its_bars_its_effects_and_its_views():
    basis = rests().of_events([model().events["shoot"]])
    assert basis.views == {"duel"}
    assert basis.of("duel") == {"day", "reds"}
    assert {"hexes", "scouts", "day"} <= basis.of("skirmish")
    assert {("scout", "strength"), ("scout", "side"), ("shot", "well_aimed"), ("scout", "aims_at")} <= basis.fields
    basis = rests().of_events([model().events["halt"]])
    assert {1, 2, 3, 4, 5, 14} <= clauses(basis)
    assert {("skirmish", "spent"), ("skirmish", "front"), ("scout", "tired")} <= basis.fields
