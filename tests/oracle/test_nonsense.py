"""Questions refuse inputs with which they make no sense."""

import pytest
from titm_rules import Edition

from tests.builders import battle, fault_of

BATTLE = battle("armor 2, foot 2", "foot 4, engineer 1")


@pytest.mark.parametrize(
    ("query", "inputs", "where", "what"),
    [
        ("to_hit", {"who": "attacker", "firing": "d1", "target": "d2"}, "firing", "d1 is no unit that fires"),
        ("to_hit", {"who": "defender", "firing": "a1", "target": "a2"}, "firing", "a1 is no unit that fires"),
        ("to_hit", {"who": "attacker", "firing": "a1", "target": "a2"}, "target", "a2 is no enemy of the attacker"),
        ("to_hit", {"who": "defender", "firing": "d1", "target": "d1"}, "target", "d1 is no enemy of the defender"),
        ("artillery_to_hit", {"who": "attacker", "target": "a1"}, "target", "a1 is no enemy of the attacker"),
        ("artillery_to_hit", {"who": "defender", "target": "d1"}, "target", "d1 is no enemy of the defender"),
    ],
)
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_what_cannot_occur_is_bad_input(query, inputs, where, what, engine):
    fault = fault_of(Edition("1999", engine=engine).answer, query, {"battle": BATTLE, **inputs})
    assert what in fault.what
    assert fault.where == f"$.input.{where}"
    assert fault.why
    assert fault.fix
    assert fault.kind == "impossible"


@pytest.mark.parametrize(
    ("query", "inputs"),
    [
        ("to_hit", {"who": "attacker", "firing": "a1", "target": "d2"}),
        ("to_hit", {"who": "defender", "firing": "d1", "target": "a2"}),
        ("artillery_to_hit", {"who": "defender", "target": "a1"}),
        ("artillery_targetings", {"who": "defender", "n": 1}),
        ("artillery_targetings", {"who": "attacker", "n": 3}),  # called before the defender's fire
        ("artillery_targetings", {"who": "defender", "n": 3}),  # how many lie is for the one who asks to say
        ("artillery_sequence_legal", {"who": "defender", "sequence": ["a1"]}),
    ],
)
def test_what_can_occur_is_answered(query, inputs):
    assert Edition("1999").answer(query, {"battle": BATTLE, **inputs})
