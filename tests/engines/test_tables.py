"""Tables by a type and a number, and by two types: every cell holds in three engines."""

import pytest
from titm_rules.engines.compiled.engine import CompiledEngine
from titm_rules.engines.library.engine import LibraryEngine
from titm_rules.engines.query import BoundQuestion
from titm_rules.engines.reference.brute_force import ReferenceEngine
from titm_rules.world.world import World

from tests.syntax.programs import ROOT, link

MODEL = link(ROOT / "grammar" / "good" / "45_bands.rules")
LINES = {  # who loses on a die of 1, 2, ... 6, and how many steps
    "one-to-one": ("aaabdd", 1),
    "two-to-one": ("aabddd", 1),
    "three-to-one": ("addddd", 2),
}
WHO = {"a": "attacker", "b": "both", "d": "defender"}


@pytest.mark.parametrize("engine", [CompiledEngine, LibraryEngine, ReferenceEngine])
@pytest.mark.parametrize("odds", LINES)
def test_a_line_holds_for_every_number(engine, odds):
    who, steps = LINES[odds]
    world = World(MODEL, "", {}, "$")
    for rolled in range(1, 7):
        raw = {"at_odds": odds, "rolled": rolled}
        answer = BoundQuestion(MODEL, MODEL.questions["fights"], engine(MODEL, world), world, raw, "$").answer()
        assert answer == {"who": WHO[who[rolled - 1]], "steps": steps}


TWO_TYPES = link(ROOT / "grammar" / "good" / "45_line.rules")
CELLS = {  # by arm: in the open, in a wood, on a hill
    "foot": [(-1, "easy"), (1, "easy"), (0, "hard")],
    "horse": [(2, "easy"), (-2, "hard"), (-1, "hard")],
    "gun": [(0, "easy"), (-1, "closed"), (1, "hard")],
}


@pytest.mark.parametrize("engine", [CompiledEngine, LibraryEngine, ReferenceEngine])
@pytest.mark.parametrize("arm", CELLS)
def test_a_cell_holds_for_its_two_types(engine, arm):
    world = World(TWO_TYPES, "", {}, "$")
    for ground, (shift, going) in zip(("open", "wood", "hill"), CELLS[arm], strict=True):
        raw = {"arm": arm, "ground": ground}
        answer = BoundQuestion(
            TWO_TYPES, TWO_TYPES.questions["ways"], engine(TWO_TYPES, world), world, raw, "$"
        ).answer()
        assert answer == {"shift": shift, "going": going}
