"""Combat between units: 9.5."""

# ruff: noqa: E501 -- a row of a table stands on one line

from tests.builders import battle
from tests.clauses.rows import allocates, fires, rows

EXAMPLE = battle("armor 2, mechanized 2, foot 2, foot 2", "engineer 2, motorized 2, armor 2")
BOXED = battle("armor 2, mechanized 1, foot 2, foot 3", "armor 2, mechanized 3")
ORDER = battle("armor 2, foot 2", "foot 2, engineer 2")
EXEMPT = battle("mechanized 1, motorized 2, foot 2", "mechanized 2, foot 2")
SPARE = battle("armor 2, mechanized 2, mechanized 2", "engineer 2, foot 2")
STRICT = {"R2": "strict-quality"}
FREE = {"R3": "exempt-means-free"}

ROWS = [
    allocates("9.51", battle("armor 2", "engineer 2, mechanized 2"), "attacker", ["a1>d2"], "an engineer outranks armor"),
    allocates("9.51", battle("engineer 2", "engineer 2, mechanized 2"), "attacker", ["a1>d1", "a1>d2"],
              "an engineer may fire at an engineer"),
    allocates("9.51", battle("mechanized 2", "armor 2, motorized 2, foot 2"), "attacker", ["a1>d2", "a1>d3"],
              "motorized and foot rank below mechanized, armor above"),
    allocates("9.51", battle("motorized 2", "mechanized 2, foot 2"), "attacker", ["a1>d2"], "motorized below mechanized"),
    fires("9.52a", battle("armor 2", "engineer 2, mechanized 2"), "attacker", "a1>d1", False, "not at the better unit"),
    fires("9.52a", battle("armor 2", "engineer 2, mechanized 2"), "attacker", "a1>d2", True, "at the lesser one"),
    fires("9.52a", battle("engineer 2, mechanized 2", "armor 2"), "defender", "d1>a1", False, "a lone defender likewise"),
    fires("9.52b", battle("mechanized 2", "armor 2, foot 2"), "attacker", "a1>d1", False, "there is another target"),
    fires("9.52b", battle("mechanized 2", "armor 2"), "attacker", "a1>d1", True, "there is none"),
    fires("9.52c", battle("foot 2", "armor 2, mechanized 2"), "attacker", "a1>d2", True, "the lowest of the better ones"),
    fires("9.52c", battle("foot 2", "armor 2, mechanized 2"), "attacker", "a1>d1", False, "not the highest"),
    fires("9.53a", BOXED, "defender", "d1>a1 d2>a3", True, "the mechanized unit leaves out the attacker of one point"),
    fires("9.53a", BOXED, "defender", "d1>a1 d2>a2", True, "it need not leave it out"),
    fires("9.53a", BOXED, "attacker", "a1>d1 a2>d1 a3>d2 a4>d2", False, "attackers have no such choice"),
    fires("9.53a", battle("mechanized 2, foot 2", "mechanized 1, foot 2"), "attacker", "a1>d2 a2>d1", False,
          "an attacker must fire at a defender of one point"),
    fires("9.53a", battle("mechanized 2, foot 2", "mechanized 2, foot 2"), "defender", "d1>a2 d2>a1", False,
          "two points are not left out"),
    allocates("9.53a", battle("armor 2, foot 1", "mechanized 2"), "defender", ["d1>a1", "d1>a2"],
              "a lone defender may leave it out too"),
    allocates("9.53a", battle("armor 2, foot 2", "mechanized 2"), "defender", ["d1>a2"], "two points he must fire at"),
    allocates("9.53a", battle("mechanized 1, foot 1", "mechanized 2"), "defender", ["d1>a1", "d1>a2"],
              "if all have one point he fires at one of them"),
    allocates("9.53a", battle("armor 2", "mechanized 2", bystanders="foot 1"), "defender", ["d1>b1"],
              "a friend of the attackers who stays out is none of them", readings={"R6": "all-present"}),
    fires("9.53a", EXEMPT, "defender", "d1>a3 d2>a2", False, "he goes on with the best of the others"),
    fires("9.53a", EXEMPT, "defender", "d1>a3 d2>a2", True, "unless he chooses freely then", readings=FREE),
    fires("9.53a", battle("mechanized 2, motorized 2, foot 2", "mechanized 2, foot 2"), "defender", "d1>a3 d2>a2", False,
          "who must fire at the best gains nothing by that", readings=FREE),
    fires("9.53b", battle("foot 4, foot 1", "foot 2, foot 2"), "defender", "d1>a1 d2>a1", False,
          "coverage outranks the exemption"),
    fires("9.53b", battle("foot 4, foot 1", "foot 2, foot 2"), "defender", "d1>a1 d2>a2", True, "each gets a shot"),
    allocates("9.54a", battle("mechanized 2", "mechanized 2, motorized 2, foot 2"), "attacker", ["a1>d1", "a1>d2", "a1>d3"],
              "alone it chooses among all that are not better"),
    allocates("9.54a", battle("mechanized 2, mechanized 2", "mechanized 2, motorized 2, foot 2"), "attacker",
              ["a1>d1,a2>d2", "a1>d2,a2>d1"], "two do not"),
    allocates("9.54a", battle("mechanized 2, motorized 2, foot 2", "mechanized 2"), "defender",
              ["d1>a1", "d1>a2", "d1>a3"], "alone against many"),
    allocates("9.54b", EXAMPLE, "attacker",
              [f"a1>d3,a2>d2,{feet}" for feet in ("a3>d1,a4>d1", "a3>d1,a4>d2", "a3>d1,a4>d3", "a3>d2,a4>d1", "a3>d3,a4>d1")],
              "the printed example: the last may fire at any of the three"),
    allocates("9.54b", EXAMPLE, "attacker", ["a1>d3,a2>d2,a3>d1,a4>d2", "a1>d3,a2>d2,a3>d2,a4>d1"],
              "unless quality binds it too", readings=STRICT),
    fires("9.54b", SPARE, "attacker", "a1>d2 a2>d1 a3>d1", True, "the last may fire at a better unit although a lesser is there"),
    fires("9.54b", SPARE, "attacker", "a1>d2 a2>d1 a3>d1", False, "unless quality binds it too", readings=STRICT),
    fires("9.54b", SPARE, "attacker", "a1>d2 a2>d1 a3>d2", True, "then it takes the lesser", readings=STRICT),
    fires("9.54b", battle("foot 2, foot 2", "foot 2, foot 2"), "attacker", "a1>d1 a2>d1", False, "several are bound"),
    fires("9.55a", battle("foot 2, foot 2", "foot 2, armor 2"), "attacker", "a1>d1 a2>d2", True, "each target has a shot"),
    fires("9.55a", battle("foot 2, foot 2", "foot 2, armor 2"), "attacker", "a1>d1 a2>d1", False, "one has none"),
    fires("9.55a", battle("foot 2, foot 2", "foot 2"), "attacker", "a1>d1 a2>d1", True, "there is only one"),
    fires("9.55b", battle("foot 2, foot 2, foot 2, foot 2", "foot 2, foot 2"), "attacker", "a1>d1 a2>d1 a3>d2 a4>d2", True,
          "two each"),
    fires("9.55b", battle("foot 2, foot 2, foot 2, foot 2", "foot 2, foot 2"), "attacker", "a1>d1 a2>d1 a3>d1 a4>d2", False,
          "three and one"),
    fires("9.56", BOXED, "attacker", "a1>d1 a2>d2 a3>d1 a4>d2", True, "when both are covered the feet are free"),
    fires("9.56", BOXED, "attacker", "a1>d2 a2>d1 a3>d1 a4>d2", False, "before that quality binds"),
    allocates("9.56", battle("armor 2, mechanized 1, foot 3", "armor 2, mechanized 3"), "attacker",
              ["a1>d1,a2>d2,a3>d1", "a1>d1,a2>d2,a3>d2"], "the foot that is left takes either"),
    fires("9.57a", ORDER, "attacker", "a1>d1 a2>d2", True, "the armor chooses first"),
    fires("9.57a", ORDER, "attacker", "a1>d2 a2>d1", False, "not the foot"),
    fires("9.57b", battle("armor 2, foot 2", "engineer 2, armor 2, motorized 2"), "attacker", "a1>d2 a2>d3", True, "an equal"),
    fires("9.57b", battle("armor 2, foot 2", "engineer 2, armor 2, motorized 2"), "attacker", "a1>d3 a2>d1", False,
          "not a lesser one, if there is an equal"),
    fires("9.57c", battle("mechanized 2, foot 2", "engineer 2, motorized 2, foot 2"), "attacker", "a1>d2 a2>d3", True,
          "the best of the lesser ones"),
    fires("9.57c", battle("mechanized 2, armor 2", "engineer 2, motorized 2, foot 2"), "attacker", "a1>d3 a2>d2", True,
          "the armor has taken that"),
    fires("9.57c", battle("mechanized 2, foot 2", "engineer 2, motorized 2, foot 2"), "attacker", "a1>d3 a2>d2", False,
          "not the least"),
    fires("9.57c", battle("mechanized 2, foot 2", "engineer 2, motorized 2, foot 2"), "attacker", "a1>d1 a2>d3", False,
          "not a better one"),
    fires("9.57d", battle("foot 2, foot 2", "engineer 2, armor 2, motorized 2"), "attacker", "a1>d3 a2>d2", True,
          "the least of the better ones, one after the other"),
    fires("9.57d", battle("foot 2, foot 2", "engineer 2, armor 2, motorized 2"), "attacker", "a1>d3 a2>d1", False,
          "not the best of them"),
]


@rows(ROWS)
def test_9_5(row, engine):
    assert row.answer(engine) == row.expected
