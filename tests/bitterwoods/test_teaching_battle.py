"""The teaching battle: movement, combat, retreat and advance of Bitter Woods, by the clauses that the queries ask."""

import json
from collections import Counter
from fractions import Fraction

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.oracle.case import Rules
from titm_rules.oracle.game import POLICIES, open_start, play_game
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import Oracle

START = open_start("teaching-battle", Rules(game="bitterwoods"))[1]


def ring(*names):
    """Name the hexes of the zones of some hexes, as the scenario declares them."""
    found = set(names)
    for way in START.world.root.hexsides:
        ends = {end.id for end in way.ends}
        found |= ends if ends & set(names) else set()
    return sorted(found)


def at(*units, **more):
    """Make a position from `g8 0604`: a side, a strength, a hex; the ids are the side and the hex."""
    rows = []
    for unit in units:
        who, place = unit.split()
        side, kind = {"g": ("German", "armored-infantry"), "a": ("Allied", "infantry")}[who[0]]
        rows.append({"id": f"{who[0]}{place}", "side": side, "kind": kind, "strength": int(who[1:]), "er": 4,
                     "allowance": 6, "place": place, "zoc": ring(place)})  # fmt: skip
    data = {**START.to_dict(), "units": rows, "phase": "combat", **more}
    return Position.from_dict({name: value for name, value in data.items() if value is not None}, START.edition)


def lines(position, kind):
    return sorted(str(action) for action in position.legal_actions if action.kind == kind)


def act(position, line, *dice):
    return position.apply(next(one for one in position.legal_actions if str(one) == line), dice)


def attack(position, line, die):
    return act(act(position, line), "resolve", die)


def places(position):
    return {unit["id"]: unit.get("place") for unit in position.to_dict()["units"]}


def test_marches_are_what_can_be_reached():
    for unit in ("g-tanks", "g-grenadiers", "g-foot"):
        reached = START.ask("reachable", unit=unit)["destinations"]
        assert {line.split()[2] for line in lines(START, "march") if f" {unit} " in line} == set(reached)
        assert reached


def test_a_march_takes_the_zone_along():
    after = act(START, "march g-tanks 0606")
    [tanks] = [unit for unit in after.to_dict()["units"] if unit["id"] == "g-tanks"]
    assert (tanks["place"], tanks["moved"], tanks["zoc"]) == ("0606", True, ring("0606"))
    assert "march g-tanks 0607" not in lines(after, "march")


def test_the_odds_choose_the_column_and_the_die_the_line():
    battle = at("g8 0604", "a4 0504")  # 2 to 1
    battle = act(battle, "assault 0504 g0604")
    [resolve] = [action for action in battle.legal_actions if action.kind == "resolve"]
    shown = {}
    for fell, chance, after in battle.outcomes(resolve):
        shown[fell] = chance, after.world.root.fight.result if after.world.root.fight else None
    assert shown == {
        (1,): (Fraction(1, 6), "A1"), (2,): (Fraction(1, 6), None), (3,): (Fraction(1, 3), "D1"),
        (5,): (Fraction(1, 6), "D2"), (6,): (Fraction(1, 6), "1D1"),
    }  # fmt: skip


def results_of(*units):
    battle = act(at(*units), "assault 0504 g0604")
    [resolve] = [action for action in battle.legal_actions if action.kind == "resolve"]
    return [after.world.root.fight and after.world.root.fight.result for _, _, after in battle.outcomes(resolve)]


def test_nothing_in_defense_is_in_the_last_column():
    assert results_of("g1 0604", "a0 0504") == results_of("g8 0604", "a1 0504") != results_of("g1 0604", "a1 0504")


def test_a_retreat_takes_a_legal_way_and_the_winner_may_advance():
    after = attack(at("g8 0604", "a4 0504"), "assault 0504 g0604", 5)
    paths = after.ask("retreats", unit="a0504", hexes=2)["paths"]
    ends = {path.split(",")[-1] for path in paths}
    assert {line.split()[2] for line in lines(after, "fall-back")} == ends
    gone = act(after, lines(after, "fall-back")[0])
    battle = {"attacker": "German", "attackers": ["g0604"], "defenders": ["a0504"], "result": "D2",
              "outcome": "retreated", "vacated": ["0504"]}  # fmt: skip
    hexes = gone.ask("advances", unit="g0604", battle=battle)["hexes"]
    assert {line.split()[2] for line in lines(gone, "pursue")} == set(hexes)
    assert "stay" in lines(gone, "stay")
    far = gone.judge(gone.read("pursue", "German", ["g0604", "0101"]))
    assert {finding.clause for finding in far.failing} == {"9.8.length"}
    won = act(gone, "pursue g0604 0504")
    assert places(won)["g0604"] == "0504"
    assert won.world.root.fight is None
    assert not lines(won, "assault"), "a unit attacks once"


def test_steps_are_lost_at_once():
    after = attack(at("g8 0604", "a4 0504"), "assault 0504 g0604", 6)
    assert lines(after, "lose-step") == ["lose-step a0504"]
    [reduced] = [unit for unit in act(after, "lose-step a0504").to_dict()["units"] if unit["id"] == "a0504"]
    assert reduced["steps"] == 1


def test_a_unit_without_a_way_is_eliminated():
    ringed = at("g8 0604", "g1 0403", "g1 0503", "g1 0404", "a4 0504")
    after = attack(ringed, "assault 0504 g0604", 5)
    assert places(after)["a0504"] is None
    assert lines(after, "pursue"), "the attacker advances as far as it would have retreated"


@pytest.mark.parametrize(("lacking", "clause"), [("results", "9"), ("supply_roads", "12"), ("stack_limit", "6")])
def test_what_the_source_lacks_is_not_covered(lacking, clause):
    battle = at("g8 0604", "a4 0504", **{lacking: None})
    assert not lines(battle, "assault")
    verdict = battle.judge(battle.chosen("assault", "German", {"target": "0504", "stormers": ["g0604"]}))
    told = {finding.clause: finding.message for finding in verdict.failing}
    assert clause in told
    assert f"rule {clause} is not covered" in told[clause]


BATTLE = at("g8 0604", "a4 0504")


@pytest.mark.parametrize(("position", "by", "line", "forbids"), [
    (START, "German", "assault 0504 g-tanks", ("4.A.5", "this is not the combat phase")),
    (START, "Allied", "march g-tanks 0505", ("4.A.4", "the German side may do this, not the Allied side")),
    (START, "German", "march g-tanks 0101", ("5.2.allowance", "g-tanks does not reach 0101")),
    (START, "German", "march g-tanks 0504", ("5.1.enemy-occupied", "0505 > 0504: an enemy unit is in 0504")),
    (START, "German", "lose-step g-tanks", ("9.results", "no step is owed now")),
    (BATTLE, "German", "march g0604 0605", ("4.A.4", "this is not the movement phase")),
    (BATTLE, "German", "assault 0504 -", ("9", "nobody attacks")),
    (BATTLE, "German", "pursue g0604 0504", ("9.8.right", "nobody advances now")),
])  # fmt: skip
def test_a_refused_action_cites_the_clause_that_forbids_it(position, by, line, forbids):
    kind, *words = line.split()
    verdict = position.judge(position.read(kind, by, words))
    assert [(finding.clause, finding.placed) for finding in verdict.failing] == [forbids]


def test_without_a_declared_pattern_a_march_leaves_zones_unknown():
    data = {name: value for name, value in START.to_dict().items() if name != "zone_pattern"}
    after = act(Position.from_dict(data, START.edition), "march g-tanks 0606")
    assert after.under(START.edition).ask("reachable", unit="a-bridge") == {"undetermined": "rule 7"}


def test_games_move_fight_retreat_and_advance_to_the_end():
    kinds = Counter()
    for seed in range(4):
        turns = list(play_game(START, POLICIES["random"], seed))
        kinds.update(one.action.kind for turn in turns for one in turn.happened)
        assert turns[-1].after.summary["over"]
        assert turns[-1].after.summary["turn"] == "18PM"
    assert {"march", "assault", "resolve", "fall-back", "pursue", "lose-step", "stay"} <= set(kinds)
    assert {"pass", "next-phase"} <= set(kinds)


PLAYED, NOT_PLAYED = ("22", "23", "24", "28", "30", "31", "32", "37"), ("21", "27", "29", "36")


def test_optional_rules_are_played_or_refused():
    assert {*PLAYED, *NOT_PLAYED} == set(START.edition.model.enums["option"].texts)
    for option in PLAYED:
        assert at("g8 0706", "a4 0504", options=[option]).settled.legal_actions


@pytest.mark.parametrize("option", NOT_PLAYED)
def test_an_optional_rule_that_is_not_played_is_refused_in_games_alone(option):
    """Questions take it; in a game it was ignored in silence."""
    position = at("g8 0706", "a4 0504", options=["30", option])
    assert position.check("reachable", unit="g0706").answer
    with pytest.raises(InputError, match=f"rule {option} is not played, because the source lacks"):
        position.settled  # noqa: B018 -- a property
    for query in ("legal_actions", "advise"):
        asked = {"game": "bitterwoods", "edition": "2014-qa", "query": query, "input": {"position": position.to_dict()}}
        error = json.loads(Oracle().answer_line(json.dumps(asked)))["error"]
        assert f"rule {option} is not played" in error["message"]
