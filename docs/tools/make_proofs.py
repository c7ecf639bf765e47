"""Write what is proved into docs/reference/differences.md, beside the verdicts of its search.

`python -m docs.tools.make_proofs` proves all pairs of editions again, which takes a minute or two; the search, which
takes hours, stays as it is. `titm diff --find --all-questions` writes the whole page.
"""

from __future__ import annotations

from pathlib import Path

from titm_rules.compare.all_pairs import EditionSet, SearchPlan
from titm_rules.compare.prove import PROVED_HEAD, proof_section, prove_pairs, read_marks
from titm_rules.compare.results import SIGNS
from titm_rules.editions.registry import list_editions

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "differences.md"


def with_proofs(text: str) -> str:
    """Put what is proved between the verdicts and the sections of a page, in place of what stands there."""
    verdicts, rest = text.partition(PROVED_HEAD)[0].partition(SIGNS)[0], text.partition(SIGNS)[2]
    proofs = prove_pairs(EditionSet(SearchPlan(tuple(info.name for info in list_editions()))))
    return "".join([verdicts, proof_section(read_marks(verdicts), proofs), "\n", SIGNS, rest])


if __name__ == "__main__":
    PAGE.write_text(with_proofs(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
