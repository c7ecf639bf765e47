"""For every clause a row in which it decides: a case, a random world or a request whose answer changes without it.

`python -m tests.bitterwoods.deciding` looks for rows anew and writes them to `deciding.json`, and what the page and
`titm clauses` show of them to the rule set.
"""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from titm_rules.catalog import game_folder
from titm_rules.diagnostics import Undecided
from titm_rules.editions.coverage import COVERAGE_FILE, ClauseCoverage, write_coverage
from titm_rules.engines.query import BoundQuestion
from titm_rules.engines.reference.brute_force import CoverageProbe
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Model
from titm_rules.oracle.edition import Edition

from tests.bitterwoods.reference.answer import answer
from tests.bitterwoods.worlds import INPUTS, HexMaker, Maker

FILE = Path(__file__).with_name("deciding.json")
PUBLIC = game_folder("bitterwoods") / "conformance" / "cases.jsonl"
CASES = [json.loads(line) for line in PUBLIC.read_text(encoding="utf-8").splitlines()]
EDITIONS = ("2014", "2014-qa")
MOST_SEEDS, MOST_SECONDS = 3_000, 6
Request = dict[str, Any]


def row(name: str | Request) -> tuple[Request, Any]:
    """Give the request of a row and its answer: a request itself, a case by its id, a world by `seed QUERY`."""
    if not isinstance(name, str):
        return name, answer(name)
    found = [case for case in CASES if case["id"] == name]
    if found:
        return found[0], found[0]["expected"]
    seed, _, query = name.partition(" ")
    maker = (HexMaker if int(seed) % 2 else Maker)(int(seed))
    if query == "peiper_advance":
        maker.lead_peiper()
    request = maker.request(query)
    return request, answer(request)


def under(request: Request) -> Edition:
    return Edition(request["edition"], request["readings"], game="bitterwoods", engine="reference")


def answered(request: Request, swap: Callable[[Model], Model] | None = None) -> Any:
    """Answer a request, perhaps under other rules; what cannot be decided is no answer."""
    try:
        return under(request).ask(request["query"], request["input"], swap=swap).answer()
    except Undecided:
        return "undecided"


def changes_without(clause: str, request: Request, expected: Any) -> bool:
    """Whether the answer to a request is another one if a clause says nothing."""
    return bool(answered(request, lambda model: model.without_clause(clause)) != expected)


def holding(request: Request) -> set[str]:
    """Name the clauses of which a sentence holds on the way to an answer."""
    asked = under(request).ask(request["query"], request["input"])
    said = ((id(one), one.clause) for head in asked.model.heads.values() for one in head.sentences)
    seen: set[str] = set()
    engine = CoverageProbe(asked.model, asked.world, dict(said), seen)
    BoundQuestion(asked.model, asked.question, engine, asked.world, asked.raw, asked.path).answer()
    return seen


def formal() -> dict[str, str]:
    """Map the clauses that decide something to an edition in which they are in force."""
    found: dict[str, str] = {}
    for edition in EDITIONS:
        for number, info in Edition(edition, game="bitterwoods").model.clauses.items():
            if info.is_formal:
                found.setdefault(number, edition)
    return found


def names(missing: set[str]) -> Iterator[str]:
    """Yield the names of rows: the cases, then random worlds for questions that rest on what is missing still."""
    yield from (case["id"] for case in CASES)
    model = Edition(EDITIONS[1], game="bitterwoods").model
    behind = {name: dependencies_of(model).of_question(model.questions[name]).clauses for name in INPUTS}
    for seed in range(MOST_SEEDS):
        yield from (f"{seed} {name}" for name in INPUTS if missing & behind[name] and seed % 4 == len(name) % 4)


def decided_by(name: str, clauses: set[str]) -> set[str]:
    """Name those of some clauses that decide in a row; none if it takes too long to find out."""
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        request, expected = row(name)
        return {clause for clause in holding(request) & clauses if changes_without(clause, request, expected)}
    except TimeoutError:
        return set()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _late(*_: object) -> None:
    raise TimeoutError


def look(known: dict[str, str]) -> dict[str, str]:
    missing = set(formal())
    found = {clause: name for clause, name in known.items() if clause in missing}
    missing -= set(found)
    for name in names(missing):
        deciding = decided_by(name, missing)
        found |= dict.fromkeys(deciding, name)
        missing -= deciding
        if deciding:
            FILE.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n", encoding="utf-8")
        print(name, *deciding, len(missing), file=sys.stderr, flush=True)
        if not missing:
            break
    return found


# ---------------------------------------------------------------------- for readers
HOME = game_folder("bitterwoods")
MOST_BYTES = 2_500  # of a case that ships; larger ones say little to a reader


def published(rows: dict[str, str | Request]) -> dict[str, str]:
    """Give the files of the rule set: the coverage of its clauses, and the small cases that are not public ones yet."""
    public, editions, cases = {case["id"] for case in CASES}, formal(), []
    coverage: dict[str, dict[str, ClauseCoverage]] = {edition: {} for edition in EDITIONS}
    for clause, name in rows.items():
        tests: tuple[str, ...] = ()
        if isinstance(name, str) and name in public:
            tests = (f"conformance: {name}",)
        else:
            request, expected = row(name)
            case = {"id": f"{clause} decides", "clause": clause, **request, "expected": expected}
            if len(json.dumps(case)) <= MOST_BYTES:
                cases.append(case)
                tests = (case["id"],)
        for edition in EDITIONS[EDITIONS.index(editions[clause]) :]:
            coverage[edition][clause] = ClauseCoverage("decisive", tests)
    lines = "".join(json.dumps(case, ensure_ascii=False, sort_keys=True) + "\n" for case in cases)
    return {COVERAGE_FILE: write_coverage(coverage), "deciding.jsonl": lines}


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _late)
    rows = look(json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {})
    FILE.write_text(json.dumps(dict(sorted(rows.items())), indent=1) + "\n", encoding="utf-8")
    print(*sorted(set(formal()) - set(rows)))
    for name, text in published(rows).items():
        (HOME / name).write_text(text, encoding="utf-8")
