"""The combat example of 1999 played through, from the crossing to the last shot, with its dice."""

from fractions import Fraction

import pytest
from titm_rules import Edition, Position
from titm_rules.diagnostics import InputError
from titm_rules.engines.factory import ENGINES

from tests.builders import position
from tests.play.script import action, listed, play, unit

MARCH = (
    "German muster tank", "German join-march mech", "German join-march foot-a", "German join-march foot-b",
    "German advance field near-field", "Allied let-cross", "German halt", "German end-phase",
)  # fmt: skip
# Calls: two and one; the German ones fail with 9 and 7, the American one succeeds, but its shot misses.
ARTILLERY = (
    "German assault field", "German call-artillery attacker : 9 7", "Allied call-artillery defender : 8",
)  # fmt: skip


@pytest.fixture(params=ENGINES)
def start(request):
    data = position(
        "B-near major; near-field major intact; field-D major",
        "tank German armor 2 near; mech German mechanized 1 near; foot-a German foot 2 near; foot-b German foot 3 near;"
        "us-tank Allied armor 2 field; us-mech Allied mechanized 3 field entrenched",
    )
    return Position.from_dict(data, Edition("1999", {}, request.param))


def test_the_stack_stops_before_the_bridge_until_the_defender_has_decided(start):
    before = play(start, *MARCH[:5])
    assert listed(before) == ["blow us-mech", "let-cross"]
    assert {a.by for a in before.legal_actions} == {"Allied"}


def test_the_attack_is_due_and_the_artillery_is_called_first(start):
    crossed = play(start, *MARCH)
    assert listed(crossed) == ["assault field"]
    called = play(crossed, "German assault field")
    made, _ = action(called, "German call-artillery attacker")
    dice = called.dice(made)
    assert (dice.count, dice.highest) == (2, 4)
    made, _ = action(called, "Allied call-artillery defender")
    assert called.dice(made).count == 1


def test_the_defenders_fire(start):
    shelled = play(start, *MARCH, *ARTILLERY)
    # the commonest type has to be shelled: foot, with five points
    assert listed(shelled) == ["lay foot-a", "lay foot-b"]
    aiming = play(shelled, "Allied lay foot-b", "Allied shell foot-b : 10")
    # the armor must fire at the armor; then the mechanized unit may leave out the mechanized one of one point
    assert listed(aiming) == ["aim us-tank tank"]
    second = play(aiming, "Allied aim us-tank tank")
    assert set(listed(second)) == {"aim us-mech mech", "aim us-mech foot-a", "aim us-mech foot-b"}


def test_the_ranges_and_what_the_dice_do(start):
    aimed = play(
        start, *MARCH, *ARTILLERY, "Allied lay foot-b", "Allied shell foot-b : 10",
        "Allied aim us-tank tank", "Allied aim us-mech foot-a",
    )  # fmt: skip
    shot, _ = action(aimed, "Allied shoot us-tank")
    assert aimed.dice(shot).highest == 7
    chances = {k: p for k, p, _ in aimed.outcomes(shot)}
    assert chances == {0: Fraction(9, 100), 1: Fraction(42, 100), 2: Fraction(49, 100)}
    one = play(aimed, "Allied shoot us-tank : 2 8")
    assert unit(one, "tank")["strength"] == 2, "hits take effect when all have fired"
    shot, _ = action(one, "Allied shoot us-mech")
    assert one.dice(shot).highest == 6
    fired = play(one, "Allied shoot us-mech : 3 5 6")
    assert unit(fired, "tank")["strength"] == 1
    assert unit(fired, "foot-a") is None, "the third hit is lost"
    assert unit(fired, "foot-b")["strength"] == 3


def test_the_attackers_that_are_left_fire_back(start):
    fired = play(
        start, *MARCH, *ARTILLERY, "Allied lay foot-b", "Allied shell foot-b : 10", "Allied aim us-tank tank",
        "Allied aim us-mech foot-a", "Allied shoot us-tank : 2 8", "Allied shoot us-mech : 3 5 6",
    )  # fmt: skip
    # no artillery is left to lay: no call succeeded
    assert listed(fired) == ["aim tank us-tank"]
    second = play(fired, "German aim tank us-tank")
    assert listed(second) == ["aim mech us-mech"]
    third = play(second, "German aim mech us-mech")
    assert set(listed(third)) == {"aim foot-b us-tank", "aim foot-b us-mech"}
    aimed = play(third, "German aim foot-b us-tank")
    ranges = {"tank": (1, 4), "mech": (1, 2), "foot-b": (3, 3)}
    for name, (count, highest) in ranges.items():
        shot, _ = action(aimed, f"German shoot {name}")
        dice = aimed.dice(shot)
        assert (dice.count, dice.highest) == (count, highest)
        aimed = play(aimed, f"German shoot {name} : {' '.join(['10'] * count)}")
    # the battle is over, both sides are still there, and the attackers are done for the day
    assert listed(aimed) == ["end-phase"]
    assert unit(aimed, "us-mech")["entrenched"]
    assert all(unit(aimed, name)["attacked"] for name in ("tank", "mech", "foot-b"))


# ---------------------------------------------------------------- the river, and who began the impulse where (9.73)
# tank comes over the river to field, where pawn stood when the impulse began; pawn has left for wood.
FORDED = "B-near major; near-field major intact; field-wood major; wood-B major; field-D major; wood-D major"
FORDING = (
    "tank German armor 2 field impulse_start=near moved over_river attacking; d Allied foot 3 field;"
    "pawn German foot 1 wood impulse_start=field moved attacking; e Allied foot 3 wood"
)
FIRST_WOOD = (  # the pawn dies
    "German assault wood",
    "German call-artillery attacker",
    "Allied call-artillery defender : 9",
    "Allied aim e pawn",
    "Allied shoot e : 1 9 9",
)
THEN_FIELD = (
    "German assault field",
    "German call-artillery attacker",
    "Allied call-artillery defender : 9",
    "Allied aim d tank",
)


@pytest.mark.parametrize("fought", [(), FIRST_WOOD])
def test_the_order_of_battles_does_not_change_the_river(fought):
    before = Position.from_dict(position(FORDED, FORDING, phase="battles"), Edition("1999"))
    facing = play(before, *fought, *THEN_FIELD)
    assert (unit(facing, "pawn") is None) == bool(fought)
    shot, _ = action(facing, "Allied shoot d : 1 1 1")
    assert facing.dice(shot).highest == 5  # 4, and 1 for the lack of combined arms


def test_a_unit_that_was_removed_for_stacking_began_the_impulse_there():
    crowd = "; ".join(f"u{n} German foot 1 field" for n in range(4))
    units = f"tank German armor 2 field impulse_start=near moved over_river; {crowd}; d Allied foot 3 field"
    full = Position.from_dict(position(FORDED, units, phase="stacking"), Edition("1999"))
    assert not full.to_dict().get("departures")
    after = play(full, "German give-up German field u1")
    assert after.to_dict()["departures"] == [{"id": "u1", "stood_at": "field"}]
    ended = play(
        after, *THEN_FIELD, "Allied shoot d : 9 9 9", "German aim tank d", "German shoot tank : 9 9", "German end-phase"
    )
    while ended.to_dict()["side_to_move"] == "German":
        ended = play(ended, "German end-phase")
    assert not ended.to_dict().get("departures")


@pytest.mark.parametrize("face", [10, 0])
def test_a_face_of_0_is_a_10(face):
    data = position("B-s major; s-x major intact; x-E major", "m German armor 2 s; e Allied engineer 2 x")
    tried = play(Position.from_dict(data, Edition("1999")), "German muster m", "German advance x s-x")
    after = play(tried, f"Allied blow e : {face}")
    assert after.to_dict()["connections"][1]["bridge"] == "intact"
    assert after == play(tried, "Allied blow e : 10")


def test_other_faces_that_a_die_has_not_are_refused():
    data = position("B-s major; s-x major intact; x-E major", "m German armor 2 s; e Allied engineer 2 x")
    tried = play(Position.from_dict(data, Edition("1999")), "German muster m", "German advance x s-x")
    with pytest.raises(InputError):
        play(tried, "Allied blow e : 11")
