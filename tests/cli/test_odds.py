"""`titm odds`: one plan, all plans, and what cannot be asked."""

import json
from fractions import Fraction

import pytest
from titm_rules.cli.listing import percent

from tests.builders import battle

from .conftest import SCENARIOS

BATTLE = SCENARIOS / "combat-of-1999" / "battle.yaml"
ILLEGAL = SCENARIOS / "disputes" / "06-combat-foot-before-armor.yaml"
LEGAL = SCENARIOS / "disputes" / "07-combat-leaving-out-one-point.yaml"
POSITION = SCENARIOS / "road-to-rambrouch" / "position.yaml"
PLAN = "a1>d1,a2>d2,a3>d1,a4>d2"


def test_plans_of_both_sides_are_listed(titm):
    done = titm("odds", BATTLE)
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[1] for line in lines if line[0] == "fire_allocations"] == ["who=attacker", "who=defender"]
    # each target gets a shot before any gets two; only the two foot units have a choice
    assert [line[-1] for line in lines if line[0][0].isdigit()][:2] == [PLAN, "a1>d1,a2>d2,a3>d2,a4>d1"]


def test_one_plan_shows_each_target_and_json_holds_fractions(titm):
    done = titm("odds", BATTLE, "who=attacker", "--plan", PLAN)
    assert done.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[2:]}
    assert rows["d1"][:3] == ["2", "1.26", "43.7%"]
    assert rows["d2"][:3] == ["3", "0.80", "2.7%"]
    assert rows["together"][:2] == ["5", "2.06"]
    answer = json.loads(titm("odds", BATTLE, "who=attacker", "--plan", PLAN, "--json").stdout)["answer"]
    assert (answer["legal"], answer["input"]["allocation"]["a4"]) == (True, "d2")
    chances = [Fraction(text) for text in answer["targets"]["d2"]["chances"]]
    assert chances == [Fraction(ways, 10_000) for ways in (4096, 4096, 1536, 272)]
    assert sum(map(Fraction, answer["total"]["chances"])) == 1


def test_json_tells_the_question_and_its_plans_and_an_illegal_one_gets_its_clauses(titm):
    one = json.loads(titm("odds", BATTLE, "who=attacker", "--top", 1, "--json").stdout)["answer"]
    assert (one["count"], one["kinds"], [plan["plan"] for plan in one["plans"]]) == (2, 2, [PLAN])
    both = json.loads(titm("odds", BATTLE, "--json").stdout)["answer"]
    assert [answer["input"]["who"] for answer in both["questions"]] == ["attacker", "defender"]
    answer = json.loads(titm("odds", BATTLE, "who=attacker", "n=2", "--json").stdout)["answer"]
    assert (answer["query"], answer["plans"][0]["plan"]) == ("artillery_targetings", "d2,d1")
    plan = json.loads(titm("odds", BATTLE, "who=attacker", "--plan", "d2,d1", "--json").stdout)["answer"]
    assert (plan["query"], plan["targets"]) == ("artillery_sequence_legal", answer["plans"][0]["targets"])
    done = titm("odds", BATTLE, "who=defender", "--plan", "d1>a3,d2>a2")
    assert done.exit_code == 1
    assert "9.57b" in done.stdout
    answer = json.loads(titm("odds", ILLEGAL, "--json").stdout)["answer"]
    assert (answer["legal"], answer["verdict"]["outcome"]) == (False, "illegal")
    assert "9.57b" in {finding["clause"] for finding in answer["verdict"]["why"]}


def test_a_reading_changes_which_plans_are_legal(titm, tmp_path):
    """Both defenders leave out the attacker of one point; may they fire at foot instead of at motorized infantry?"""
    file = tmp_path / "battle.json"
    file.write_text(json.dumps(battle("mechanized 1, motorized 2, foot 2", "mechanized 2, foot 2")), encoding="utf-8")

    def plans(*more):
        answer = json.loads(titm("odds", file, "who=defender", "--json", *more).stdout)["answer"]
        return {plan["plan"] for plan in answer["plans"]}

    assert "d1>a3,d2>a2" not in plans()
    assert "d1>a3,d2>a2" in plans("--reading", "R3=exempt-means-free")


def test_what_is_possible_is_never_zero():
    shown = {"0": "0.0%", "1": "100.0%", "1/10000": "<0.1%", "1/2000": "0.1%", "9999/10000": ">99.9%", "1/3": "33.3%"}
    assert {share: percent(Fraction(share)) for share in shown} == shown


GIVEN = [
    ("26-vg-a@Vianden(impulse_start=Gemund)", "26-vg-a came over a river", "1.20"),
    ("26-vg-a@Vianden(impulse_start=Diekirch)", "no attacker came over a river", "1.00"),
    ("26-vg-a@Vianden(impulse_start=Gemund;come_anew)", "no attacker came over a river", "1.00"),
    ("26-vg-a@Vianden(impulse_start=Diekirch), attacker-counters=1", "artillery of the attacker came", "1.00"),
]


@pytest.mark.parametrize(("change", "told", "expected"), GIVEN)
def test_odds_say_what_they_take_as_given(titm, change, told, expected):
    done = titm("odds", "campaign", "--at", "Vianden", "--set", change, "who=defender")
    assert told in " ".join(done.stdout.split())
    assert done.stdout.splitlines()[2].split()[0] == expected


@pytest.mark.parametrize(("who", "told"), [("attacker", "given: artillery"), ("defender", "given: no artillery")])
def test_artillery_that_fires_has_come(titm, who, told):
    done = titm("odds", "combat-of-1999", f"who={who}", "n=2")
    assert f"{told} of the attacker came" in done.stdout
