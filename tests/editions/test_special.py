"""The special rules of scenarios as clauses over an edition."""

import pytest
from titm_rules.editions import clause_index
from titm_rules.editions.clause_index import special_clauses
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.editions.rule_files import write_skeleton

LABELS = [f"1999 with {name}" for name in
          ("fifth-panzer-army", "first-three-days", "race-for-bastogne", "sauer-crossing", "seventh-army")]  # fmt: skip


def test_each_scenario_brings_its_own_clauses():
    found = special_clauses("1999")
    assert sorted(found) == LABELS
    assert {number.split(".")[0] for number in found["1999 with seventh-army"]} == {"S1"}
    supply = found["1999 with fifth-panzer-army"]["S2.sr7"]
    assert (supply.heads, supply.edition) == (("supply.end",), "fifth-panzer-army")
    assert supply.span.path == "scenarios/titm/fifth-panzer-army/fifth-panzer-army.rules"
    assert all(set(clauses).isdisjoint(load_model("1999").clauses) for clauses in found.values())


@pytest.mark.parametrize("edition", [info.name for info in list_editions()])
def test_they_stand_over_every_edition(edition):
    numbers = [set(clauses) for clauses in special_clauses(edition).values()]
    assert numbers == [set(clauses) for clauses in special_clauses("1999").values()]


def test_what_is_known_is_not_linked_again(monkeypatch, tmp_path):
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / "cache"))
    write_skeleton("skirmish", tmp_path)
    own = tmp_path / "skirmish"
    rules = own / "scenarios" / "first" / "first.rules"
    rules.write_text('add clause first:1 "Late" "Said later." decides nothing "a test".\n')
    first = special_clauses("1", str(own))
    assert [list(clauses) for clauses in first.values()] == [["first:1"]]
    monkeypatch.setattr(clause_index, "load_model", None)
    assert special_clauses("1", str(own)) == first
