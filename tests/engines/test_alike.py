"""Pieces count as alike only if nothing that the answer rests on tells them apart."""

import pytest
from titm_rules.oracle.edition import ENGINES, Edition

from tests.builders import battle

# Nobody fires where only a 1 would hit: the two attackers differ in nothing but the roll.
HOUSE = """\
add clause house:9 "No hopeless shots" "No unit fires where only a 1 would hit."
  fire may not choose when to-hit of firer against target by who is at most 1.
"""


@pytest.fixture
def hopeless(tmp_path):
    path = tmp_path / "hopeless.rules"
    path.write_text(HOUSE, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_roll_tells_attackers_apart(engine, hopeless):
    fight = battle("mechanized 2 oos, mechanized 2", "mechanized 2, mechanized 3 entrenched")
    edition = Edition("1999", engine=engine, overlays=(hopeless,))
    answer = edition.answer("fire_allocations", {"battle": fight, "who": "attacker"})
    assert answer["allocations"] == ["a1>d1,a2>d2"]


# The attackers differ in nothing but a list, which is compared with a list of the target.
MARKED = """\
extend combatant with marks: list of number default none.

add clause house:9 "No fire among marks" "No unit fires at one that bears a mark of its own."
  fire may not choose when some m in marks of firer where (m is in marks of the target).
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_list_tells_pieces_apart(engine, tmp_path):
    path = tmp_path / "marked.rules"
    path.write_text(MARKED, encoding="utf-8")
    fight = battle("mechanized 2, mechanized 2", "mechanized 2, mechanized 2")
    for units in (fight["attackers"], fight["defenders"]):
        for number, unit in enumerate(units):
            unit["marks"] = [number]
    edition = Edition("1999", engine=engine, overlays=(str(path),))
    answer = edition.answer("fire_allocations", {"battle": fight, "who": "attacker"})
    assert answer["allocations"] == ["a1>d2,a2>d1"]
