"""Write docs/reference/differences.md: the smallest situations in which editions differ, found by search.

`python -m docs.tools.make_differences` searches and writes the page, which takes some minutes; the
tests check some of its sections.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from titm_rules.compare.find import find_differences, read_search
from titm_rules.compare.report import SIGNS, pair_section
from titm_rules.compare.rules import Pair
from titm_rules.editions.load import list_editions, load_model

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "differences.md"
APART = [("1997-08-20", "1999")]
HEAD = f"""\
# The smallest differences between editions

<!-- Made by docs/tools/make_differences.py; `titm diff A B --find` does the same for any two editions. -->

For every kind of question: how the newer edition stands to the older one, and for every cause the smallest situation
in which they differ. Nobody has told the search what to look for: it puts the question to all the small worlds of
`rulesets/titm/search.yaml` in growing size, so that a situation is the smallest of its cause, and
a verdict holds for all worlds up to the size that is given. The size of a world is the number of its records that may
vary, and one more for each value that is not the plain one. More permissive: the newer edition allows (or gives)
something that the older does not, and nothing the other way round.

{SIGNS}

Every edition is taken under its default readings. [What changed](changes.md) has situations chosen by hand.
"""


def pairs() -> list[tuple[str, str]]:
    """List the editions to compare: each with the next, and some that are further apart."""
    return [*itertools.pairwise(info.name for info in list_editions()), *APART]


def section(first: str, second: str) -> str:
    """Search and write the section of two editions."""
    results = find_differences(Pair(load_model(first), load_model(second)), read_search())
    return pair_section(first, second, list(results))


def page() -> str:
    """Write the whole page."""
    return "\n".join([HEAD, *(section(first, second) for first, second in pairs())])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
