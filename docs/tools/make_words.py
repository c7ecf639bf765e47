# ruff: noqa: E501 -- the lines of the page are as long as the page has them
"""Write docs/reference/words.md: the words of the rule language that are no names, and the names that it knows.

`python docs/tools/make_words.py` writes the page; the tests check that it is up to date, and its lists.
"""

from __future__ import annotations

import re
from pathlib import Path

from titm_rules.rules import results, roles
from titm_rules.rules.forms import ROUTE_WORDS
from titm_rules.rules.model import BEGIN, PRICE, SUCCESSES
from titm_rules.rules.model import END as GAME_END
from titm_rules.rules.schema import INPUT_TYPES
from titm_rules.syntax import reserved

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "words.md"
HEAD = """\
# Words of the rule language

<!-- Made by docs/tools/make_words.py from the grammar and the code; edit these. -->

Which words a rule file cannot use as names, and which names mean something to the language itself. The sentences that use
them are in [the reference](language.md).

## Words that are no names

Nothing can be declared by these names, since no sentence could ask for it. Whoever tries is told: ``` `total` is a word of
the language ```.
"""
KNOWN = """
Every other word of the language may be a name, because the place in which it stands tells what is meant: a field may be called
`cost`, and a definition `stop`. Where a word would go on with what stands before it, it is refused there: no definition is
called `default` or `by`. The other words are: {others}.

## Fields that the language looks at

It knows three fields by name; every other field means only what clauses make of it.

| field | of | means | written |
| --- | --- | --- | --- |
| `{id}` | any record | {names} | `{id}: text`, or left out: all but plain records have one |
| `{place}` | a piece | {stands} | `{place}: place`, or a kind of place, perhaps `or nothing` |
| `{ends}` | a connection | {joins} | `{ends}: pair of place` |

A field of such a name and another type is refused, for example:

{field_faults}

## Names that the language brings

| name | where | means |
| --- | --- | --- |
| `{price}` | counters of a route, and what follows `steps` and `closes` in an event | what the step or the closing costs |
| `stops` | what follows `steps` in an event | whether the mover has to stop |
| `{successes}` | effects of an event that rolls | how many dice succeed |
| `{start}`, `{end}` | `cost of ROUTE (with ...)` and its like | where the route starts, and the place that it comes to |
| {results} | before `of FORM (with ...)` | what a form comes to; so does the name of a counter |
| `{begin}`, `{game_end}` | `SITUATION may not ...` | a game cannot begin, or end, in such a situation |
| {inputs} | `takes NAME: ...` in a question | types of input that only a form can judge |

Nothing that a route counts may be called {route_words} or `{price}`:

{counter_fault}
"""


def words(names: object) -> str:
    """List words, sorted."""
    return ", ".join(f"`{name}`" for name in sorted(names))  # type: ignore[call-overload]  # any strings


def all_words() -> set[str]:
    """Collect the words of the grammar: what stands in quotes in its rules, and its patterns of words."""
    text = (ROOT / "grammar" / "titm.lark").read_text(encoding="utf-8")
    return {word for line in text.splitlines() if not line.startswith("//") for word in re.findall(r'"([a-z]+)"', line)}


def faults(*names: str) -> str:
    """Tell mistakes of grammar/bad: what is said, and how to mend it."""
    found = []
    for name in names:
        text = (ROOT / "grammar" / "bad" / f"{name}.rules").read_text(encoding="utf-8")
        said = dict(re.findall(r"^# (\w+): (.*)$", text, flags=re.MULTILINE))
        found.append(f"- {said['fault']}; {said.get('fix') or said['why']}")
    return "\n".join(found)


def page() -> str:
    """Write the whole page."""
    lists = (
        ("An expression begins with them", reserved.IN_EXPRESSIONS),
        ("A sentence begins with them", reserved.IN_CLAUSES),
        ("They are types; no record or type is called so", reserved.IN_DECLARATIONS - reserved.IN_EXPRESSIONS),
        ("Articles, which mean nothing", reserved.ARTICLES),
    )
    taken = frozenset().union(*(names for _, names in lists))
    rows = "\n".join(f"- {title}: {words(names)}." for title, names in lists)
    known = KNOWN.format(
        others=words(all_words() - taken), id=roles.IDENTITY, place=roles.PLACE, ends=roles.ENDS, names=roles.NAMES,
        stands=roles.STANDS, joins=roles.JOINS, field_faults=faults("05_piece_place", "06_connection_ends", "07_record_id"),
        price=PRICE, successes=SUCCESSES, start=results.START, end=results.END,
        results=words((results.ENDS, results.COST, results.BEST, results.CHOICES)), begin=BEGIN, game_end=GAME_END,
        inputs=words(INPUT_TYPES), route_words=words(ROUTE_WORDS), counter_fault=faults("16_route_counts_word"),
    )  # fmt: skip
    return f"{HEAD}\n{rows}\n{known}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
