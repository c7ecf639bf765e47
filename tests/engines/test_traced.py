"""What makes a condition true, and the exceptions behind it: the compiled engine finds what the naive one finds."""

import random

import pytest
from titm_rules.checker.link import link_model
from titm_rules.engines.factory import make_engine
from titm_rules.explain.findings import Reasons
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.world import World

GAME = """\
game "Two Hills".
die d6 from 1 to 6.
place hex has high: flag default no.
piece scout has place: place, weight: number 0 to 9, tired: flag default no, lucky: flag default no.
situation skirmish has hexes: list of hex, scouts: list of scout.
roll climb of s: scout on skirmish with d6.
define flag crowded of s: scout on skirmish.
define number load of s: scout on skirmish.
define flag sure of s: scout on skirmish.
define flag unsure of s: scout on skirmish.
clause 1 "Climbing" "Who is light climbs; the tired and the crowded have it harder."
  climb succeeds on 5.
  climb adds 1 "tired" when tired of s.
  climb adds load of s "load".
  climb may not try when crowded of s and weight of s is more than 6.
clause 2 "Crowd" "Others are in the way."
  crowded holds when some t in scouts standing at (place of s) besides s where (weight of t is at least weight of s).
clause 3 "Load" "The load is half the weight, and one for the heavy."
  load is weight of s / 2 rounded down.
clause 4 "Luck" "The lucky are neither tired nor in a crowd."
  lifts 1 in climb when lucky of s and high of (place of s).
  lifts 2 when lucky of s.
clause 5 "Basis" "Everybody can try."
  climb succeeds on 5 when lucky of s and high of (place of s).
clause 6 "Sure" "Some are sure of it."
  sure holds when climb of s is at least 3 and not crowded of s.
  unsure holds when some t in scouts besides s where (climb of t is at most 2).
"""


@pytest.mark.parametrize(("flag", "wanted"), [
    ("sure", {(True, False, True), (True, False, False), (False, True, True), (False, False, False)}),
    ("unsure", {(True, True, True), (True, True, False), (False, False, True)}),
])  # fmt: skip
def test_a_condition_on_a_roll_is_traced_alike(flag, wanted):
    """`wanted` of the cases: whether it holds, whether somebody made it true, and whether an exception had a part."""
    model = link_model([parse_rules(GAME, "hills.rules")], "1")
    head = model.heads[flag]
    dice, seen = random.Random(flag), set()
    for _ in range(60):
        scouts = [
            {"id": name, "place": dice.choice(("low", "top")), "weight": dice.randrange(10),
             "tired": dice.random() < 0.5, "lucky": dice.random() < 0.5}
            for name in ("ann", "bob", "cid")
        ]  # fmt: skip
        world = World(model, "skirmish", {"hexes": [{"id": "low"}, {"id": "top", "high": True}], "scouts": scouts})
        ann, told = {"s": world.named("scout", "ann")}, []
        engines = [make_engine(name, model, world) for name in ("compiled", "reference")]
        for engine in engines:
            reasons = Reasons(engine)
            reasons.head(flag, ann)
            told.append({(one.clause, one.effect, one.message) for one in reasons.found.values()})
        assert told[0] == told[1]
        holds, why = engines[0].traced_condition(head, head.statements[0], ann)
        assert [holds] == list(engines[1].held(flag, ann))
        seen.add((holds, bool(why.found), bool(why.taken)))
    assert wanted <= seen
