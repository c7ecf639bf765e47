"""Dice whose faces clauses read, and rolls that succeed on high faces: exact, and the same on all engines."""

import itertools
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.explain.verdict import LEGAL
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.play.action import Dice
from titm_rules.service.protocol import Oracle

from tests.play.hills import ALL_ENGINES, DATA, done, machine, option

FACES = tuple(itertools.product(range(1, 7), repeat=2))
THROW = """
table losses by side and pips: number 2 to 12.
event shoot on skirmish by mover: for each s in scouts where (side of s is mover) rolls 2 d6 as throw.
clause 1 "Shots" "The sum is looked up; a first die above the second counts 10 more, a double sets the day."
  losses of red: 2 to 6 0, 7 to 12 1.
  losses of blue: 2 to 12 2.
  shoot sets count to losses of (side of s) at (total f over f in throw)
    unless member of throw at (1) is more than member of throw at (2).
  shoot sets count to losses of (side of s) at (total f over f in throw) + 10
    when member of throw at (1) is more than member of throw at (2).
  shoot sets day to highest f over f in throw when (number of f in throw where f is member of throw at (1)) is 2.
"""


def shot(faces):
    """Say by hand what comes of a throw: what is counted, and the day."""
    first, second = faces
    return (sum(faces) > 6) + 10 * (first > second), first if first == second else 1


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_each_face_counts_and_the_distribution_is_exact(engine, duel):
    hills = machine(engine, THROW)
    for faces in FACES:
        data = done(hills, "shoot ann", faces)[0]
        assert (data.get("count", 0), data.get("day", 1)) == shot(faces), faces
    home, data = duel
    position = Position.from_dict(data, Edition(game=home, engine=engine))
    fight = next(action for action in position.legal_actions if action.kind == "fight")
    outcomes = position.outcomes(fight)
    assert [(fell, chance) for fell, chance, _ in outcomes] == [
        ((1, 1), Fraction(1, 36)), ((1, 2), Fraction(32, 36)), ((5, 6), Fraction(3, 36)),
    ]  # fmt: skip
    assert [len(after.to_dict()["units"]) for _, _, after in outcomes] == [2, 2, 1]
    assert position.apply(fight, (6, 6)) == outcomes[2][2]
    with pytest.raises(InputError, match="it throws 2 dice with faces 1 to 6"):
        position.apply(fight, (6, 7))
    assert position.ask("nerve_roll", unit="a") == {"factor": 5, "drms": {}, "lowest": 5}
    assert position.ask("nerve_roll", unit="b") == {"factor": 5, "drms": {"fast": 1}, "lowest": 4}
    verdict = position.check("nerve_roll", unit="b")
    assert {finding.clause for finding in verdict.findings} == {"9.2"}
    assert position.judge(fight).outcome == LEGAL


ROLL = """
roll save of s: scout on skirmish with d6.
event duck on skirmish by mover:
  for each s in scouts where (side of s is mover) rolls 2 dice for save of s as throw.
clause 1 "Saves" "A scout is saved by 7 less its strength or more; who is tired gets -1. The higher die is the day."
  save succeeds on at least 7 - strength of s.
  save adds -1 "tired" when tired of s.
  save may not try when strength of s is 9.
  duck sets count to successes, day to highest f over f in throw.
question chance on skirmish takes s: scout asks roll of save with s = s.
question last on skirmish takes s: scout answers last: save of s.
"""


@pytest.mark.parametrize("engine", ALL_ENGINES)
@pytest.mark.parametrize(
    ("strength", "tired", "lowest", "share"),
    [(4, False, 3, "2/3"), (4, True, 4, "1/2"), (0, False, 7, "0"), (8, True, 1, "1")],
)
def test_high_faces_succeed(engine, strength, tired, lowest, share):
    scouts = [{**row, "strength": strength, "tired": tired} if row["id"] == "ann" else row for row in DATA["scouts"]]
    hills = machine(engine, ROLL, scouts=scouts)
    dice = option(hills, "duck ann").dice
    assert (dice.count, dice.lowest, dice.highest, dice.named) == (2, lowest, 6, True)
    found = Counter()
    for faces, chance in dice.outcomes():
        data = done(hills, "duck ann", faces)[0]
        assert data.get("day", 1) == max(faces)
        found[data.get("count", 0)] += chance
    hit = Fraction(share)
    assert found == Counter({2: hit * hit, 1: 2 * hit * (1 - hit), 0: (1 - hit) * (1 - hit)})


def test_a_roll_that_is_barred_is_no_choice_and_one_that_nobody_can_list_refused():
    scouts = [{**row, "strength": 9} for row in DATA["scouts"]]
    assert [list(machine(engine, ROLL, scouts=scouts).options.listed()) for engine in ALL_ENGINES] == [[], [], []]
    assert len(Dice(5, 1, 6, 1, 6, named=True).outcomes()) == 6**5
    assert sum(chance for _, chance in Dice(50, 1, 6, 1, 2).outcomes()) == 1
    with pytest.raises(InputError, match="60466176 ways"):
        Dice(10, 1, 6, 1, 6, named=True).outcomes()


DUEL = """
die d6 from 1 to 6.
event fight on position by side-to-move:
  for each u in units where (the side of u is the side-to-move) rolls 2 d6 as throw.
event flee on position by side-to-move: for each u in units rolls for nerve of u.
roll nerve of u: unit on position with d6.
question nerve_roll on position takes unit: unit asks roll of nerve with u = unit.
summary on position: side: side-to-move.
allocation fire on position:
  each u: unit in units, picks t: unit in units, rolls 1 die for nerve of u, a success lowers allowance of t by 1.
question volley on position takes shots: assignment asks check of fire as shots.
clause 9.1 "Fights" "On a total of 11 or 12 the unit goes away; on 2 it gets faster; else the other side moves."
  fight removes u from units when total f over f in throw is at least 11.
  fight sets allowance of u to 9 when total f over f in throw is 2.
  fight sets side-to-move to blue
    when total f over f in throw is not 2 and total f over f in throw is less than 11.
  fire may not choose when picks of t is at least 3.
clause 9.2 "Flights" "A unit flees on 5 or 6, and on 4 where it is fast."
  nerve succeeds on at least 5.
  nerve adds 1 "fast" when the allowance of u is more than 4.
  flee removes u from units when successes is 1.
"""


@pytest.fixture
def duel(tmp_path):
    """A position of a game of one's own, in which units fight with two dice and flee with one."""
    write_skeleton("throws", tmp_path)
    declared, clause, rules = DUEL.partition("clause")
    (tmp_path / "throws" / "1" / "09_fights.rules").write_text(clause + rules)
    with (tmp_path / "throws" / "game.rules").open("a") as file:
        file.write(declared)
    units = [{"id": "a", "side": "Red", "place": "h"}, {"id": "b", "side": "Blue", "place": "h", "allowance": 5}]
    return str(tmp_path / "throws"), {"hexes": [{"id": "h"}], "units": units}


def test_odds_of_a_plan_count_high_faces_and_the_protocol_tells_them(duel, monkeypatch):
    home, data = duel
    odds = Position.from_dict(data, Edition(game=home)).odds("volley", shots={"a": "b", "b": "b"})
    a, b = Fraction(1, 3), Fraction(1, 2)  # 5 and 6; with 1 more, 4 to 6
    none, both = (1 - a) * (1 - b), a * b
    assert odds.losses[1].chances == (none, 1 - none - both, both, 0, 0, 0)
    assert odds.expected == a + b
    monkeypatch.setenv("TITM_RULES_GAMES", str(Path(home).parent))
    given = {"position": data, "action": "fight a"}
    answer = Oracle().ask({"id": 1, "game": "throws", "edition": "1", "query": "outcomes", "input": given})
    assert answer["ok"], answer
    told = [(one["faces"], one["probability"]) for one in answer["answer"]["outcomes"]]
    assert told == [([1, 1], "1/36"), ([1, 2], "8/9"), ([5, 6], "1/12")]
