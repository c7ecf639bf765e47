"""The road through the forest: leaders, artillery, interdiction and attacks on the move, in games of Bitter Woods.

What is expected is worked out by hand from the source: its clauses, its examples, and what the position declares.
"""

import json
from collections import Counter

import pytest
from titm_rules.engines.factory import ENGINES
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import POLICIES, open_start, play_game
from titm_rules.oracle.position import Position

START = open_start("teaching-road", Rules(game="bitterwoods"))[1]
KINDS = {"arm": "armor", "inf": "infantry", "ain": "armored-infantry", "gun": "corps-artillery", "ldr": "leader"}
OWN = {"armor": {"silhouette": "mk-iv"}, "leader": {"influence": 1, "range": 3}}


def near(name):
    """Name the hexes beside one, itself included."""
    ways = [{end.id for end in way.ends} for way in START.world.root.hexsides]
    return sorted({name}.union(*(ends for ends in ways if name in ends)))


def unit(line):
    """Make a unit of `g-arm-8 0603`: side, kind and strength are its id, then its hex, and perhaps `er=5`."""
    name, place, *more = line.split()
    side, kind, strength = name.split("-")
    row = {"id": name, "side": {"g": "German", "a": "Allied"}[side], "kind": KINDS[kind], "place": place,
           "strength": int(strength), "er": 5, "allowance": 6, "supplied": True}  # fmt: skip
    row |= OWN.get(KINDS[kind], {}) | {key: json.loads(value) for key, value in (word.split("=") for word in more)}
    return row if kind == "ldr" else {**row, "zoc": near(place)}


def at(*units, edition="2014", engine="compiled", **more):
    data = {**START.to_dict(), "units": [unit(line) for line in units], "phase": "combat", "objective": None, **more}
    data = {name: value for name, value in data.items() if value is not None}
    return Position.from_dict(data, Edition(edition, game="bitterwoods", engine=engine))


def lines(position, *kinds):
    return sorted(str(action) for action in position.legal_actions if action.kind in kinds or not kinds)


def act(position, *played):
    """Carry out actions, each a line and its dice: `resolve : 6`."""
    for line in played:
        words, _, dice = line.partition(" : ")
        [action] = [one for one in position.legal_actions if str(one) == words]
        position = position.apply(action, tuple(map(int, dice.split())))
    return position


def of(position, name, field="place"):
    return next(row for row in position.to_dict()["units"] if row["id"] == name).get(field)


def refused(position, line):
    """Give the clauses and words that refuse an action of whoever may act."""
    kind, *words = line.split()
    by = next(iter(position.legal_actions)).by
    verdict = position.judge(position.read(kind, by, words))
    return [(finding.clause, finding.placed) for finding in verdict.failing]


def hexes(**changed):
    return [{**row, **changed.get(f"h{row['id']}", {})} for row in START.to_dict()["hexes"]]


# ---------------------------------------------------------------- artillery in support (10)
FIGHT = at("g-inf-4 0504", "g-gun-4 0604", "a-inf-4 0503", "a-gun-4 0303", options=[])


def test_guns_of_both_sides_add_their_strengths_and_the_attacker_commits_his_first():
    attacked = act(FIGHT, "assault 0503 g-inf-4")
    assert lines(attacked) == ["enough", "support g-gun-4"]
    supported = act(attacked, "support g-gun-4")
    assert lines(supported) == ["enough", "support a-gun-4"], "his only gun is committed: the defender follows"
    # 8 against 4 is 2-1, where a 6 is 1D1; 8 against 4 and 4 is 1-1, where it is D1; 4 against 4 and 4 is less
    alone, both = act(supported, "enough", "resolve : 6"), act(supported, "support a-gun-4", "resolve : 6")
    against = act(attacked, "enough", "support a-gun-4", "resolve : 6")
    assert [one.to_dict()["fight"]["result"] for one in (alone, both, against)] == ["1D1", "D1", "A1"]


def test_a_battle_out_of_range_of_all_guns_waits_for_none():
    assert lines(act(at("g-inf-4 0504", "a-inf-4 0503", options=[]), "assault 0503 g-inf-4")) == ["resolve"]
    far = at("g-inf-4 0504", "g-gun-4 0604", "a-inf-4 0503", "a-gun-4 0104 range=3", options=[])  # four hexes off
    assert lines(act(far, "assault 0503 g-inf-4", "enough")) == ["resolve"]


def test_an_allied_gun_fires_once_a_player_turn_and_a_german_one_once_a_game_turn():
    fired = act(FIGHT, "assault 0503 g-inf-4", "support g-gun-4", "support a-gun-4")
    assert (of(fired, "a-gun-4", "fired_player_turn"), of(fired, "g-gun-4", "fired_game_turn")) == (True, True)
    allied_turn = act(fired, "resolve : 6", "fall-back a-inf-4 0402", "stay", "pass")
    assert allied_turn.summary["phasing"] == "Allied"
    assert of(allied_turn, "a-gun-4", "fired_player_turn") is None
    assert of(allied_turn, "g-gun-4", "fired_game_turn") is True
    morrow = act(allied_turn, "pass", "pass")
    assert (morrow.summary["turn"], of(morrow, "g-gun-4", "fired_game_turn")) == ("17PM", None)


@pytest.mark.parametrize(("position", "line", "forbids"), [
    (act(at("g-inf-4 0504", "g-gun-4 0604", "g-gun-3 0605 fired_game_turn=true", "a-inf-4 0503"),
         "assault 0503 g-inf-4"), "support g-gun-3", {"10.1.frequency-german"}),
    (act(at("g-inf-4 0504", "g-gun-4 0604", "g-gun-3 0105 range=3", "a-inf-4 0503"), "assault 0503 g-inf-4"),
     "support g-gun-3", {"10.2.offensive"}),
    (act(at("g-inf-4 0504", "g-gun-4 0604", "a-inf-4 0503", "a-gun-4 0303", supporting_guns=None),
         "assault 0503 g-inf-4", "enough"), "support a-gun-4", {"10.2.results-defensive"}),
    (act(at("g-inf-4 0504", "g-gun-4 0602", "a-inf-4 0503", supporting_guns=None), "assault 0503 g-inf-4"),
     "support g-gun-4", {"10.2.results-defensive"}),
    (FIGHT, "support g-gun-4", {"10.2.both"}),
])  # fmt: skip
def test_support_is_refused_by_the_clause_that_forbids_it(position, line, forbids):
    assert {clause for clause, _ in refused(position, line)} == forbids


# ---------------------------------------------------------------- leaders (24)
STACK = at("g-arm-9 0603", "g-ain-9 0602", "a-inf-4 0503", "a-ain-2 0503", "a-ldr-0 0503")
HIT = act(STACK, "assault 0503 g-ain-9+g-arm-9", "enough", "resolve : 5")  # 18 to 6 is 3-1, where a 5 is 1D2


def test_a_stack_by_a_leader_takes_one_loss_and_then_retreats_two_hexes_or_takes_two_more():
    """The first example of 24.4: a result of 1D2."""
    assert lines(HIT) == ["lose-step a-ain-2", "lose-step a-inf-4", "lose-step a-ldr-0"]
    owed = act(HIT, "lose-step a-inf-4")
    assert {line.split()[0] for line in lines(owed)} == {"fall-back", "stand-fast"}
    held = act(owed, "stand-fast a-ldr-0")
    assert held.to_dict()["losses_owed"] == 2
    done = act(held, "lose-step a-ain-2", "lose-step a-inf-4")
    assert [of(done, one) for one in ("a-ain-2", "a-inf-4", "a-ldr-0")] == ["0503", None, "0503"]
    assert lines(done) == ["pass"], "nobody advances into a hex that is held"
    assert of(done, "a-ldr-0", "influence_used") == 1
    assert of(act(done, "pass"), "a-ldr-0", "influence_used") is None, "a new player turn"


def test_who_has_begun_to_retreat_does_not_stand_fast():
    gone = act(HIT, "lose-step a-inf-4", "fall-back a-inf-4 0303")
    assert not lines(gone, "stand-fast")
    assert {clause for clause, _ in refused(gone, "stand-fast a-ldr-0")} == {"24.4"}


@pytest.mark.parametrize(("defenders", "clause"), [
    (("a-inf-4 0503", "a-ldr-0 0503 influence_used=1"), "24.1"),  # his only battle of the player turn
    (("a-inf-4 0503", "a-ldr-0 0101"), "24.2"),  # four hexes away, and he reaches three
    (("a-inf-4 0503 steps=1", "a-ldr-0 0403"), "24.4"),  # one step by loss, and two to go; he himself stands elsewhere
])  # fmt: skip
def test_stand_fast_is_refused_by_the_clause_that_forbids_it(defenders, clause):
    hit = act(at("g-arm-9 0603", "g-ain-9 0602", *defenders), "assault 0503 g-ain-9+g-arm-9", "enough", "resolve : 3")
    assert hit.to_dict()["fight"]["result"] == "D2"
    assert {line.split()[0] for line in lines(hit)} == {"fall-back"}
    assert [found for found, _ in refused(hit, "stand-fast a-ldr-0")] == [clause]


def test_a_leader_that_is_a_loss_is_gone_at_once():
    assert of(act(HIT, "lose-step a-ldr-0"), "a-ldr-0") is None


def test_a_leader_advances_with_the_attackers_that_he_stands_with():
    battle = at("g-ain-9 0602", "g-ldr-0 0602", "a-inf-3 0503", options=["24"])
    after = act(battle, "assault 0503 g-ain-9", "resolve : 1")
    after = act(after, lines(after, "fall-back")[0])
    assert {line.split()[1] for line in lines(after, "pursue")} == {"g-ain-9", "g-ldr-0"}
    first = act(after, "pursue g-ain-9 0503")
    assert "pursue g-ldr-0 0503" in lines(first), "they were together when the battle was won"


@pytest.mark.parametrize(("edition", "removed"), [("2014", True), ("2014-qa", False)])
def test_a_leader_left_alone_is_removed(edition, removed):
    """In a ZOC as printed; by the official answer next to units that are mechanized or of the infantry, not to guns."""
    alone = at("g-ldr-0 0403", "a-gun-3 0503", edition=edition).settled
    assert (of(alone, "g-ldr-0") is None) is removed
    assert of(at("g-ldr-0 0403", "a-inf-3 0503", edition=edition).settled, "g-ldr-0") is None
    assert of(at("g-ldr-0 0403", "g-inf-3 0403", "a-inf-3 0503", edition=edition).settled, "g-ldr-0") == "0403"


def test_a_hex_holds_one_leader():
    moving = at("g-ldr-0 0603", "g-ldr-1 0604", "a-inf-3 0101", phase="movement")
    assert "march g-ldr-0 0604" not in lines(moving)
    assert refused(moving, "march g-ldr-0 0604") == [("24.3.stacking", "0604 has a leader")]


# ---------------------------------------------------------------- interdiction (4.A.2, 22)
ROAD = at("g-arm-9 0603", "g-ain-5 0503", "g-inf-3 0504", "a-inf-4 0101", phase="interdiction")
BARRED = act(ROAD, "interdict 0403")


def test_the_allied_player_interdicts_what_his_position_declares():
    assert {one.by for one in ROAD.legal_actions} == {"Allied"}
    assert lines(ROAD) == ["hold-back", "interdict 0303", "interdict 0403"]
    assert refused(ROAD, "interdict 0203") == [("11.3", "0203 is not among the hexes that may be interdicted")]
    assert BARRED.summary["phase"] == "movement", "one a turn"
    assert act(ROAD, "hold-back").summary["phase"] == "movement"
    later = act(BARRED, "pass", "pass")
    assert not any(row.get("interdicted") for row in later.to_dict()["hexes"]), "it is gone after the German turn"
    assert lines(act(later, "pass", "pass")) == lines(ROAD), "and placed again in the next"


def test_entering_the_slow_way_costs_two_more_and_stops():
    reached = BARRED.ask("reachable", unit="g-arm-9")["destinations"]
    assert reached["0403"] == 12 * 2 + 3 + 3
    assert "0303" not in reached, "armor comes there by the road alone"


@pytest.mark.parametrize(("die", "steps", "goes_on"), [(1, 1, False), (2, 1, False), (3, 2, False), (4, 2, False),
                                                     (5, 2, True), (6, 2, True)])  # fmt: skip
def test_a_challenge_is_thrown_for(die, steps, goes_on):
    after = act(BARRED, f"challenge g-arm-9 0403 : {die}")
    assert (of(after, "g-arm-9"), of(after, "g-arm-9", "steps") or 2) == ("0403", steps)
    assert bool(lines(after, "halt")) is goes_on
    if goes_on:  # two road hexes are paid of six points; by road alone, so up to the town
        assert after.to_dict()["points_left"] == 72 - 3 - 3
        assert lines(after, "drive-on") == [f"drive-on g-arm-9 {h}" for h in ("0103", "0203", "0303", "0503", "0603")]
        assert not lines(after, "march", "pass"), "he goes on first"
        assert of(act(after, "drive-on g-arm-9 0203"), "g-arm-9") == "0203"
    else:
        assert not any(" g-arm-9 " in line for line in lines(after))


def test_a_second_interdicted_hex_is_challenged_again():
    two = hexes(h0303={"interdicted": True}, h0403={"interdicted": True})
    both = at("g-arm-9 0603", "a-inf-4 0101", phase="movement", hexes=two)
    first = act(both, "challenge g-arm-9 0403 : 6")
    assert "challenge g-arm-9 0303" in lines(first)
    assert lines(first, "drive-on") == [f"drive-on g-arm-9 {h}" for h in ("0303", "0503", "0603")], "0303 for 2 more"
    assert act(first, "challenge g-arm-9 0303 : 5").to_dict()["points_left"] == 72 - 3 - 3 - 3


def test_a_unit_loses_its_last_step_to_a_challenge():
    weak = act(at("g-arm-9 0603 steps=1", "a-inf-4 0101", phase="interdiction"), "interdict 0403")
    assert of(act(weak, "challenge g-arm-9 0403 : 2"), "g-arm-9") is None


def test_units_stopped_by_a_challenge_are_given_up_where_they_are_too_many():
    crowd = at("g-arm-9 0603", "g-ain-5 0403", "g-inf-3 0403", "a-inf-4 0101", phase="movement",
               hexes=hexes(h0403={"interdicted": True}))  # fmt: skip
    stopped = act(crowd, "challenge g-arm-9 0403 : 3")
    assert lines(stopped, "give-up") == ["give-up 0403 g-arm-9"]
    assert [clause for clause, _ in refused(stopped, "pass")] == ["22.2.overstack"]
    assert of(act(stopped, "give-up 0403 g-arm-9", "pass"), "g-arm-9") is None
    spared = act(stopped, "march g-ain-5 0503", "pass")
    assert of(spared, "g-arm-9") == "0403"


@pytest.mark.parametrize(("position", "line", "clause"), [
    (BARRED, "challenge g-inf-3 0403", "22.1.challenge"),
    (act(at("g-arm-9 0605", "a-inf-4 0101", phase="interdiction"), "interdict 0403"), "challenge g-arm-9 0403", None),
    (act(at("g-arm-9 0605 allowance=1", "a-inf-4 0101", phase="interdiction"), "interdict 0403"),
     "challenge g-arm-9 0403", "22.2"),
    (act(at("g-ain-5 0603", "g-inf-4 0604", "a-inf-4 0101", phase="interdiction", interdiction_of_others=None),
         "interdict 0403"), "march g-inf-4 0605", "11.3"),
])  # fmt: skip
def test_a_challenge_is_refused_by_the_clause_that_forbids_it(position, line, clause):
    assert [found for found, _ in refused(position, line)] == ([clause] if clause else [])


# ---------------------------------------------------------------- attacks on the move (23)
MOVE = at("g-arm-9 0603", "g-ain-5 0602", "a-inf-4 0503", "a-gun-4 0303")


def test_an_attack_on_the_move_leaves_the_defender_alone_and_tanks_go_by():
    announced = act(MOVE, "assault 0503 g-ain-5+g-arm-9", "announce")
    # 14 to 4 is 3-1, where the declared table gives 2 hexes for a 4; the zone of the defender is closed
    through = act(announced, "enough", "break-through : 4")
    assert (of(through, "a-inf-4"), of(through, "a-inf-4", "steps")) == ("0503", None)
    assert lines(through) == ["dash g-arm-9 0505", "dash g-arm-9 0604", "dash g-arm-9 0605", "stay"]
    assert refused(through, "dash g-ain-5 0601") == [
        ("23.3.infantry", "no unit of infantry or armored infantry stays next to the defender")]  # fmt: skip
    done = act(through, "dash g-arm-9 0605", "stay")
    assert (of(done, "g-arm-9"), done.to_dict().get("fight")) == ("0605", None)
    assert not lines(done, "assault"), "both have attacked"


def test_support_that_spoils_the_odds_makes_it_an_ordinary_attack():
    """14 to 4 and 4 is less than 2 to 1."""
    spoilt = act(MOVE, "assault 0503 g-ain-5+g-arm-9", "announce", "support a-gun-4")
    assert lines(spoilt) == ["resolve"]
    assert act(spoilt, "resolve : 5").to_dict()["fight"]["result"] == "D1", "the table of ordinary attacks at 1-1"


@pytest.mark.parametrize(("place", "hexes"), [("0503", 3), ("0502", 2)])
def test_in_broken_ground_the_column_is_3_to_1_at_most(place, hexes):
    """18 to 4 is 4-1, where a 5 gives 3 hexes; in the column of 3-1 it gives 2."""
    units = ("g-arm-9 0602", "g-ain-9 0602") if place == "0502" else ("g-arm-9 0603", "g-ain-9 0602")
    battle = at(*units, f"a-inf-4 {place}")
    through = act(battle, f"assault {place} g-ain-9+g-arm-9", "announce", "break-through : 5")
    assert through.to_dict()["fight"]["advance_hexes"] == hexes


@pytest.mark.parametrize(("units", "more", "clause"), [
    (("g-arm-9 0603 er=4", "g-ain-5 0602", "a-inf-4 0503"), {}, "23.1"),  # no tank of ER 5
    (("g-arm-9 0603", "g-ain-5 0602 supplied=false", "a-inf-4 0503"), {}, "23.1"),
    (("g-arm-9 0603", "g-ain-5 0602 supplied=null", "a-inf-4 0503"), {}, "12"),
    (("g-arm-5 0603", "g-ain-2 0602", "a-inf-4 0503"), {}, "23.1"),  # 7 to 4
    (("g-arm-9 0603", "g-arm-5 0602", "a-inf-4 0503"), {}, "23.3.infantry"),  # nobody would stay
    (("g-arm-9 0603", "g-ain-5 0602", "a-inf-4 0503"), {"turn": "16AM", "options": ["23", "31"]}, "23.1.turn"),
    (("g-arm-9 0603", "g-ain-5 0602", "a-inf-4 0503"), {"options": ["24"]}, "1.3"),
    (("g-arm-9 0603", "g-ain-5 0602", "a-inf-4 0503"), {"angriff_results": None}, "23.1"),
])  # fmt: skip
def test_an_attack_on_the_move_is_refused_by_the_clause_that_forbids_it(units, more, clause):
    names = "+".join(sorted(line.split()[0] for line in units if line.startswith("g")))
    attacked = act(at(*units, **more), f"assault 0503 {names}")
    assert "announce" not in lines(attacked)
    assert [found for found, _ in refused(attacked, "announce")] == [clause]


# ---------------------------------------------------------------- shifts of the column
def test_combined_arms_shift_the_column():
    """9, 2 and 2 against 8 is 1-1, and with the bonus 2-1, where a 2 is D0."""
    battle = at("g-arm-9 0603", "g-inf-2 0602", "g-gun-2 0605", "a-inf-8 0503", options=["32"])
    with_guns = act(battle, "assault 0503 g-arm-9+g-inf-2", "support g-gun-2", "resolve : 2")
    without = act(battle, "assault 0503 g-arm-9+g-inf-2", "enough", "resolve : 2")
    assert [one.to_dict().get("fight", {}).get("result") for one in (with_guns, without)] == [None, "A1"]
    assert with_guns.to_dict().get("fight") is None, "a result of D0 asks for nothing"


def test_mixed_allies_shift_the_column_for_the_germans():
    battle = at("g-inf-4 0602", "a-inf-2 0503", 'a-inf-1 0503 nation="British"', options=["28"])
    assert act(battle, "assault 0503 g-inf-4", "resolve : 6").to_dict()["fight"]["result"] == "1D1", "1-1, shifted"


@pytest.mark.parametrize(("die", "result"), [(4, "A1"), (5, "D0")])
def test_surprise_is_thrown_for_on_16am(die, result):
    """The example of 31: against ER 4 a 5 or 6 shifts. 4 to 4 is 1-1 with A1 for a 2, and 2-1 with D0."""
    battle = at("g-ain-4 0602", "a-inf-4 0503 er=4", turn="16AM", options=["31"])
    attacked = act(battle, "assault 0503 g-ain-4")
    assert lines(attacked) == ["roll-surprise"]
    after = act(attacked, f"roll-surprise : {die}", "resolve : 2")
    assert (after.to_dict().get("fight") or {"result": "D0"})["result"] == result


@pytest.mark.parametrize(("reading", "is_thrown"), [("exactly-5", False), ("or-more", True)])
def test_surprise_by_units_of_more_than_5_is_a_reading(reading, is_thrown):
    battle = at("g-ain-4 0602 er=6", "a-inf-4 0503 er=4", turn="16AM", options=["31"])
    attacked = act(battle.under(battle.edition.with_readings({"BW9": reading})), "assault 0503 g-ain-4")
    assert ("roll-surprise" in lines(attacked)) is is_thrown


def test_surprise_is_not_covered_without_rule_31():
    battle = at("g-ain-4 0602", "a-inf-4 0503", turn="16AM", options=[])
    assert [clause for clause, _ in refused(battle, "assault 0503 g-ain-4")] == ["15.1"]


# ---------------------------------------------------------------- whole games
def test_games_use_all_of_it_and_come_to_their_end():
    kinds = Counter()
    for seed in range(12):
        turns = list(play_game(START, POLICIES["random"], seed))
        kinds.update(one.action.kind for turn in turns for one in turn.happened)
        assert turns[-1].after.summary["over"]
        assert turns[-1].after.summary["turn"] == "17PM"
    assert {"interdict", "hold-back", "march", "assault", "support", "resolve", "lose-step", "stand-fast", "fall-back",
            "pursue"} <= set(kinds)  # fmt: skip


PIECE = {"0303", "0403", "0404", "0503", "0504", "0602", "0603", "0604"}  # all that the plain engine has time for


def small(position, **more):
    """Cut the surroundings of the battle out of a position."""
    data = {**position.to_dict(), "map": None, **more}
    data["hexes"] = [row for row in data["hexes"] if row["id"] in PIECE]
    data["hexsides"] = [row for row in data["hexsides"] if set(row["ends"]) <= PIECE]
    data["supply_roads"] = [{**road, "path": [name for name in road["path"] if name in PIECE]}
                            for road in data["supply_roads"]]  # fmt: skip
    data["sorties"] = [{"turn": "17AM", "hexes": 1, "targets": ["0403"]}]
    data["units"] = [{**row, "zoc": [name for name in row["zoc"] if name in PIECE]} if "zoc" in row else row
                     for row in data["units"]]  # fmt: skip
    return {name: value for name, value in data.items() if value is not None}


NO_STOP = at("g-arm-9 0603", "g-ain-5 0504", "a-inf-4 0303", phase="interdiction", zoc_movement="none")
MOMENTS = {
    "interdiction": small(NO_STOP),
    "before a challenge": small(act(NO_STOP, "interdict 0403")),
    "after a challenge": small(act(NO_STOP, "interdict 0403", "challenge g-arm-9 0403 : 6")),
    "guns": small(act(FIGHT, "assault 0503 g-inf-4")),
    "an attack that may be one on the move": small(act(MOVE, "assault 0503 g-ain-5+g-arm-9")),
    "after an attack on the move": small(
        act(MOVE, "assault 0503 g-ain-5+g-arm-9", "announce", "enough", "break-through : 4")
    ),
    "to stand fast or not": small(act(HIT, "lose-step a-inf-4")),
    "a leader alone": small(at("g-ldr-0 0403", "a-inf-3 0503", "g-inf-4 0603")),
    "surprise": small(
        act(at("g-ain-4 0602", "a-inf-4 0503 er=4", turn="16AM", options=["31"]), "assault 0503 g-ain-4")
    ),
}  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_engines_tell_the_same_courses(moment):
    """All actions, and what comes of each, by the plain engine and the others."""
    told = []
    for engine in ENGINES:
        position = Position.from_dict(MOMENTS[moment], Edition("2014", game="bitterwoods", engine=engine))
        actions = list(position.legal_actions)
        told.append([(one.by, str(one), [(fell, chance, after.digest) for fell, chance, after in found])
                     for one in actions for found in [position.outcomes(one)]])  # fmt: skip
    assert told[0]
    assert told[1:] == told[:-1]
