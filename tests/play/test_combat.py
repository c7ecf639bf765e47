"""The combat example of 1999 played through with its dice; moves that lead back to where they began."""

from fractions import Fraction

import pytest
from titm_rules import Edition, Position
from titm_rules.engines.factory import ENGINES

from tests.builders import position
from tests.play.script import action, listed, play, unit


@pytest.fixture(params=ENGINES)
def start(request):
    data = position(
        "B-near major; near-field major intact; field-D major",
        "tank German armor 2 near; mech German mechanized 1 near; foot-a German foot 2 near; foot-b German foot 3 near;"
        "us-tank Allied armor 2 field; us-mech Allied mechanized 3 field entrenched",
    )
    return Position.from_dict(data, Edition("1999", {}, request.param))


def test_the_combat_of_the_rulebook(start):
    crossing = play(
        start, "German muster tank", "German join-march mech", "German join-march foot-a", "German join-march foot-b",
        "German advance field near-field",
    )  # fmt: skip
    assert listed(crossing) == ["blow us-mech", "let-cross"], "the defender decides before the stack crosses"
    assert {a.by for a in crossing.legal_actions} == {"Allied"}
    crossed = play(crossing, "Allied let-cross", "German halt", "German end-phase")
    assert listed(crossed) == ["assault field"], "the attack is due"
    # Calls: two and one; the German ones fail with 9 and 7, the American one succeeds, but its shot misses.
    called = play(crossed, "German assault field")
    dice = called.dice(action(called, "German call-artillery attacker")[0])
    assert (dice.count, dice.highest) == (2, 4)
    assert called.dice(action(called, "Allied call-artillery defender")[0]).count == 1
    shelled = play(called, "German call-artillery attacker : 9 7", "Allied call-artillery defender : 8")
    # the commonest type has to be shelled: foot, with five points
    assert listed(shelled) == ["lay foot-a", "lay foot-b"]
    aiming = play(shelled, "Allied lay foot-b", "Allied shell foot-b : 10")
    # the armor must fire at the armor; then the mechanized unit may leave out the mechanized one of one point
    assert listed(aiming) == ["aim us-tank tank"]
    second = play(aiming, "Allied aim us-tank tank")
    assert set(listed(second)) == {"aim us-mech mech", "aim us-mech foot-a", "aim us-mech foot-b"}
    aimed = play(second, "Allied aim us-mech foot-a")
    shot, _ = action(aimed, "Allied shoot us-tank")
    assert aimed.dice(shot).highest == 7
    assert [p for _, p, _ in aimed.outcomes(shot)] == [Fraction(9, 100), Fraction(42, 100), Fraction(49, 100)]
    one = play(aimed, "Allied shoot us-tank : 2 8")
    assert unit(one, "tank")["strength"] == 2, "hits take effect when all have fired"
    assert one.dice(action(one, "Allied shoot us-mech")[0]).highest == 6
    fired = play(one, "Allied shoot us-mech : 3 5 6")
    assert unit(fired, "tank")["strength"] == 1
    assert unit(fired, "foot-a") is None, "the third hit is lost"
    assert unit(fired, "foot-b")["strength"] == 3
    # no artillery is left to lay: no call succeeded
    assert listed(fired) == ["aim tank us-tank"]
    second = play(fired, "German aim tank us-tank")
    assert listed(second) == ["aim mech us-mech"]
    third = play(second, "German aim mech us-mech")
    assert set(listed(third)) == {"aim foot-b us-tank", "aim foot-b us-mech"}
    aimed = play(third, "German aim foot-b us-tank")
    for name, (count, highest) in {"tank": (1, 4), "mech": (1, 2), "foot-b": (3, 3)}.items():
        dice = aimed.dice(action(aimed, f"German shoot {name}")[0])
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
    "German assault wood", "German call-artillery attacker", "Allied call-artillery defender : 9", "Allied aim e pawn",
    "Allied shoot e : 1 9 9",
)  # fmt: skip
THEN_FIELD = (
    "German assault field", "German call-artillery attacker", "Allied call-artillery defender : 9", "Allied aim d tank",
)  # fmt: skip


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


# ---------------------------------------------------------------------- who comes back, and who never left
BY_ENGINES = pytest.mark.parametrize("engine", ENGINES)
EDITIONS = ("1996-08-01", "1997-08-20", "1999", "2002-07-25", "2016-10-01")
ROADS = "B-x major; x-y major"
OVERSTACK = "m German engineer 3 x; u German foot 4 x; v German foot 4 x"
THERE, BACK = "German advance y x-y", "German advance x x-y"


def marching(engine, name="1999", day=16, readings=None, roads=ROADS, units=OVERSTACK):
    areas = {"x": {"setup_overstack": True}}
    world = position(roads, units, day, 2, areas=areas, phase="movement")
    return play(Position.from_dict(world, Edition(name, readings or {}, engine)), "German muster m")


def is_legal(here, *path):
    return here.ask("check_path", units=["m"], path=list(path))["legal"]


def ends(here):
    return [line for line in listed(here) if line in ("halt", "dig-in")]


@BY_ENGINES
@pytest.mark.parametrize("name", EDITIONS)
def test_who_comes_back_to_an_overstack_on_the_16th_stays_apart_and_others_may_do_both(engine, name):
    here = marching(engine, name)
    assert not any(is_legal(here, "x", "y", "x", *closing) for closing in ((), ("entrench",)))
    back = play(here, THERE, BACK)
    assert ends(back) == []
    assert set(listed(back)) == {"advance B B-x", "advance y x-y"}
    for line in ("German halt", "German dig-in"):
        refused = back.judge(action(back, line)[0])
        assert [why.clause for why in refused.findings if why.holds and why.effect == "forbids"] == ["7.1c"], line
        assert "x would hold 3 units of 11 points" in refused.sentence()
    assert is_legal(here, "x", "entrench")
    assert ends(here) == ["dig-in"]
    assert is_legal(here, "x", "y", "entrench")
    assert ends(play(here, THERE)) == ["halt", "dig-in"]
    here = marching(engine, name, day=17)
    assert all(is_legal(here, "x", "y", "x", *closing) for closing in ((), ("entrench",)))
    assert ends(play(here, THERE, BACK)) == ["halt", "dig-in"]


@BY_ENGINES
def test_who_can_go_on_elsewhere_after_a_bridge_was_blown_may_stay_if_it_has_not_left(engine):
    """It is out of supply at x, and may end no move so; it has made none. Both ways on lead to a fight."""
    roads = "B-y major; B-z major; x-y major intact; x-z major; y-E major"
    units = "m German foot 3 x; e Allied engineer 1 y; f Allied foot 1 z"
    here = marching(engine, day=17, readings={"R17": "no-oos-destination"}, roads=roads, units=units)
    assert is_legal(here, "x", "!y")
    blown = play(here, THERE, "Allied blow e : 1")
    assert {"advance z x-z", "halt"} <= set(listed(blown))
    assert play(blown, "German halt").to_dict()["units"][0]["place"] == "x"


FAST, SLOW = "h-t major intact", "h-t-b minor intact"
UNITS = "u German foot 2 h points_spent=2; v Allied foot 2 t"


@BY_ENGINES
@pytest.mark.parametrize(("bridges", "path", "cost"), [
    # 3 points are left: 1 for the bridge that is blown, then 1 + 1 over the other if that is the major road
    ((FAST, SLOW), ["h", "!t", "t"], 3),
    ((SLOW, FAST), ["h", "!t", "t"], 3),
    # supply is judged before the bridge was blown
    ((FAST, "h-aside major"), ["h", "!t", "aside"], 2),
])  # fmt: skip
def test_what_is_left_after_a_bridge_is_blown(engine, bridges, path, cost):
    here = position("; ".join((*bridges, "A-h major", "D-t major")), UNITS)
    inputs = {"position": here, "units": ["u"], "path": path}
    assert Edition("1999", {}, engine).answer("check_path", inputs) == {"legal": True, "cost": cost}
