"""May this unit fire at that one, build or blow that bridge: yes or no, held against the list of all that may."""

import random
from functools import cache

import pytest
from titm_rules import Edition, InputError, Position
from titm_rules.service.protocol import Oracle

from tests.builders import battle
from tests.clauses.corpus import rows_by_file
from tests.worlds import random_battle

ENGINES = ("compiled", "library", "reference")


@cache
def small_battles(number, largest):
    rng = random.Random("one shot")
    return [random_battle(rng, largest) for _ in range(number)]


def sides(one):
    """Name who fires, and at whom it may be asked whether it does."""
    own, enemy = ([unit["id"] for unit in one[name]] for name in ("attackers", "defenders"))
    stand_by = [unit["id"] for unit in one.get("bystanders", [])]
    return [("attacker", own, enemy), ("defender", enemy, own + stand_by)]


def plans(position, who):
    lines = position.ask("fire_allocations", who=who).get("allocations", [])
    return [dict(pair.split(">") for pair in line.split(",") if pair) for line in lines]


@cache
def judged(edition, many, largest):
    """Say of each pair of some battles whether a plan holds it, by all plans that the plain interpreter finds."""
    return [pairs_judged(one, edition, "reference") for one in small_battles(many, largest)]


def pairs_judged(one, edition, engine):
    position, found = Position.from_dict(one, Edition(edition, engine=engine), situation="battle"), {}
    for who, own, enemy in sides(one):
        known = plans(position, who)
        for firing in own:
            found |= {(who, firing, target): any(plan[firing] == target for plan in known) for target in enemy}
    return found


@pytest.mark.parametrize(("edition", "many", "largest"), [
    ("1998-01-15", 12, 2), ("1999", 12, 2),
    *(pytest.param(name, 40, 3, marks=pytest.mark.slow) for name in ("1997-08-20", "1998-01-15", "1999")),
])  # fmt: skip
@pytest.mark.parametrize("engine", ENGINES)
def test_a_pair_is_legal_where_some_plan_holds_it(edition, engine, many, largest):
    told = set()
    for one, wanted in zip(small_battles(many, largest), judged(edition, many, largest), strict=True):
        position = Position.from_dict(one, Edition(edition, engine=engine), situation="battle")
        for who, firing, target in wanted:
            found = position.ask("may_fire", who=who, firing=firing, target=target)["allowed"]
            assert found == wanted[who, firing, target], (one, who, firing, target)
            told.add(found)
        for who, own, enemy in sides(one):
            found = position.ask("fire_targets", who=who, firing=own[0])["targets"]
            assert sorted(found) == sorted(target for target in enemy if wanted[who, own[0], target])
    assert told == {True, False}


def test_a_yes_comes_with_a_plan_and_a_no_with_what_bars_it_in_every_plan():
    clauses, reasons = set(), set()
    for one in small_battles(20, 3):
        position = Position.from_dict(one, Edition("1999"), situation="battle")
        for (who, firing, target), allowed in pairs_judged(one, "1999", "compiled").items():
            verdict = position.check("may_fire", who=who, firing=firing, target=target)
            assert verdict.outcome == ("legal" if allowed else "illegal")
            if allowed:
                plan = dict(pair.split(">") for pair in verdict.witness["legal_choice"].split(","))
                assert plan[firing] == target
                assert plan in plans(position, who)
            elif verdict.failing:
                clauses |= {finding.clause for finding in verdict.failing}
                assert_barred(position, who, (firing, target), {finding.clause for finding in verdict.failing})
            else:
                reasons.add(verdict.plain_reason.removeprefix(f"{firing} ").removeprefix(f"{target} "))
    assert len(clauses) > 4
    assert reasons == {"cannot be chosen as the target here"}


def assert_barred(position, who, pair, clauses):
    """Each legal plan that is changed to hold the pair is barred, and one of the clauses is among those that bar it."""
    firing, target = pair
    for plan in plans(position, who):
        verdict = position.check("fire_allocation_legal", who=who, allocation={**plan, firing: target})
        assert verdict.outcome == "illegal"
        assert clauses & set(verdict.clauses)


def test_a_clause_that_bars_it_in_every_plan_is_named():
    """Armor fires at armor while there is some that it may fire at; what others do is not what bars it."""
    for attackers, defenders, target, clause in (
        ("armor 3, foot 2, foot 1", "armor 2, foot 2", "a2", "9.57b"),
        ("armor 2, mechanized 2, foot 3", "engineer 2, motorized 3", "a3", "9.57c"),
    ):
        position = Position.from_dict(battle(attackers, defenders), Edition("1999"), "battle")
        verdict = position.check("may_fire", who="defender", firing="d1", target=target)
        assert [(finding.clause, finding.where) for finding in verdict.failing] == [(clause, f"d1>{target}")]


@pytest.mark.parametrize(("edition", "size"), [("1999", 24), ("1998-01-15", 24)])
def test_the_largest_battles_are_answered_or_refused(edition, size):
    """Two dozen against two dozen have more plans than can be listed; one that holds a pair is found all the same."""
    kinds = ("foot", "armor", "mechanized", "motorized")
    units = ", ".join(f"{kinds[n % 4]} {n % 5 + 1}" for n in range(size))
    position = Position.from_dict(battle(units, units), Edition(edition), situation="battle")
    asked = [{"who": "defender", "firing": "d1", "target": f"a{number}"} for number in range(1, 9)]
    told = [allowed_or_refused(position, one) for one in asked]
    assert True in told
    assert set(told) <= {True, False, "too-large"}


def allowed_or_refused(position, asked):
    try:
        return position.ask("may_fire", **asked)["allowed"]
    except InputError as error:
        return error.faults[0].kind


# ---------------------------------------------------------------------- bridges
EVERY = 3  # each third row is enough: the clauses are the same


def asked(rows, query):
    """List the situations of rows about a question, each once, and what else the rows give."""
    found = {str(row.input): row.input for row in rows if row.query == query}
    return list(found.values())[::EVERY]


def told(position, query, **inputs):
    verdict = position.check(query, **inputs)
    assert verdict.outcome == ("legal" if verdict.answer["allowed"] else "illegal")
    assert verdict.answer["allowed"] or verdict.failing or verdict.witness
    return verdict.answer["highest"] if verdict.answer["allowed"] else None


@pytest.mark.parametrize("edition", ["1997-03-01", "1999"])
def test_one_unit_may_build_what_the_list_of_all_has(edition):
    yes = 0
    for inputs in asked(rows_by_file()["10_1"], "construction_options"):
        position = Position.from_dict(inputs["position"], Edition(edition))
        listed = position.ask("construction_options")["options"]
        for unit in inputs["position"]["units"]:
            for link in inputs["position"]["connections"]:
                found = told(position, "may_build", unit=unit["id"], bridge=link["id"])
                assert found == listed.get(link["id"], {}).get(unit["id"])
                yes += found is not None
    assert yes > 3


def test_one_unit_may_blow_what_the_list_of_all_has():
    yes = 0
    for inputs in asked(rows_by_file()["10_2"], "demolition_options"):
        position = Position.from_dict(inputs["position"], Edition("1999"))
        given = {"bridge": inputs["bridge"], "crossing": inputs["crossing"]}
        listed = position.ask("demolition_options", **given)["options"]
        for unit in inputs["position"]["units"]:
            found = told(position, "may_blow", unit=unit["id"], **given)
            assert found == listed.get(unit["id"])
            yes += found is not None
    assert yes > 3


# ---------------------------------------------------------------------- the protocol
SHOT = {"battle": battle("armor 3, foot 2", "armor 2, foot 2"), "who": "defender", "firing": "d1"}
BRIDGE = {"position": "two-bridges,bridge 1-2 blown", "unit": "g-tank", "bridge": "1-2"}


@pytest.mark.parametrize(("query", "given", "answer", "clauses"), [
    ("may_fire", {**SHOT, "target": "a2"}, {"allowed": False}, ["9.57b"]),
    ("may_build", BRIDGE, {"allowed": False, "highest": None}, ["10.11"]),
])  # fmt: skip
def test_the_protocol_says_no_with_the_clause_and_refuses_what_is_no_enemy(query, given, answer, clauses):
    reply = Oracle().ask({"edition": "1999", "query": query, "explain": True, "input": given})
    assert reply["answer"] == answer
    assert [finding["clause"] for finding in reply["why"] if finding["effect"] == "forbids"] == clauses
    reply = Oracle().ask({"edition": "1999", "query": "may_fire", "input": {**SHOT, "target": "d2"}})
    assert (reply["error"]["kind"], reply["error"]["at"]) == ("impossible", "$.input.target")
