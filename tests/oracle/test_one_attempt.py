"""May this unit build, may it blow: yes or no about one unit and one bridge, with the clauses that bar it."""

import pytest
from titm_rules import Edition, Position
from titm_rules.service.protocol import Oracle

from tests.clauses import test_10_1 as building
from tests.clauses import test_10_2 as blowing

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
    for inputs in asked(building.ROWS, "construction_options"):
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
    for inputs in asked(blowing.ROWS, "demolition_options"):
        position = Position.from_dict(inputs["position"], Edition("1999"))
        given = {"bridge": inputs["bridge"], "crossing": inputs["crossing"]}
        listed = position.ask("demolition_options", **given)["options"]
        for unit in inputs["position"]["units"]:
            found = told(position, "may_blow", unit=unit["id"], **given)
            assert found == listed.get(unit["id"])
            yes += found is not None
    assert yes > 3


def test_the_protocol_says_no_with_the_clause():
    given = {"position": "two-bridges,bridge 1-2 blown", "unit": "g-tank", "bridge": "1-2"}
    reply = Oracle().ask({"edition": "1999", "query": "may_build", "input": given, "explain": True})
    assert reply["answer"] == {"allowed": False, "highest": None}
    assert [finding["clause"] for finding in reply["why"] if finding["effect"] == "forbids"] == ["10.11"]
