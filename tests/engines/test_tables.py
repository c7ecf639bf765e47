"""Tables by a type and a number, and by two types: every cell holds in three engines."""

import pytest
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.world.world import World

from tests.syntax.programs import ROOT, link

BANDS, TWO_TYPES = (link(ROOT / "grammar" / "good" / name) for name in ("45_bands.rules", "45_line.rules"))
LINES = {  # who loses on a die of 1, 2, ... 6, and how many steps
    "one-to-one": ("aaabdd", 1),
    "two-to-one": ("aabddd", 1),
    "three-to-one": ("addddd", 2),
}
WHO = {"a": "attacker", "b": "both", "d": "defender"}
CELLS = {  # by arm: in the open, in a wood, on a hill
    "foot": [(-1, "easy"), (1, "easy"), (0, "hard")],
    "horse": [(2, "easy"), (-2, "hard"), (-1, "hard")],
    "gun": [(0, "easy"), (-1, "closed"), (1, "hard")],
}
ROWS = [
    *((BANDS, "fights", {"at_odds": odds, "rolled": die}, {"who": WHO[who[die - 1]], "steps": steps})
      for odds, (who, steps) in LINES.items() for die in range(1, 7)),
    *((TWO_TYPES, "ways", {"arm": arm, "ground": ground}, {"shift": shift, "going": going})
      for arm, cells in CELLS.items() for ground, (shift, going) in zip(("open", "wood", "hill"), cells, strict=True)),
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("model", "query", "raw", "wanted"), ROWS)
def test_every_cell_holds(engine, model, query, raw, wanted):
    world = World(model, "", {}, "$")
    asked = BoundQuestion(model, model.questions[query], make_engine(engine, model, world), world, raw, "$")
    assert asked.answer() == wanted
