"""The cases that clauses open with are those of the tests, and can be asked.

For each clause it is the smallest row of the tests in which it decides; the report of the tests says which rows those
are. `python -m tests.house.test_deciding` writes `rulesets/titm/deciding.jsonl` again.
"""

import json
from pathlib import Path

from titm_rules.catalog import game_folder
from titm_rules.editions.coverage import read_coverage
from titm_rules.oracle.edition import Edition

from tests.clauses.corpus import table_rows

FILE = Path(game_folder("titm")) / "deciding.jsonl"


def deciding():
    """Choose a row for each clause that decides a question in one."""
    rows = {}
    for row in table_rows():
        if row.query:
            rows.setdefault(str(row), []).append(row)
    found = {}
    for clauses in read_coverage(game_folder("titm")).values():
        for clause, entry in clauses.items():
            fitting = [row for test in entry.tests for row in rows.get(test, ())]
            chosen = min([*fitting, *([found[clause]] if clause in found else [])], key=_size, default=None)
            if chosen is not None:
                found[clause] = chosen
    return found


def _size(row):
    return len(json.dumps(row.input)), str(row)


def told(clause, row):
    return {
        "id": str(row).replace("/", "-"), "clause": clause, "edition": row.edition, "overlays": list(row.overlays),
        "readings": row.readings, "query": row.query, "input": row.input, "expected": row.expected,
    }  # fmt: skip


def text():
    return "".join(f"{json.dumps(told(clause, row))}\n" for clause, row in sorted(deciding().items()))


def test_the_file_is_what_the_tests_say_and_its_cases_have_their_answers():
    assert FILE.read_text(encoding="utf-8") == text(), "write it again: python -m tests.house.test_deciding"
    cases = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert len(cases) > 150
    assert len({case["clause"] for case in cases}) == len(cases)
    for case in cases[::9]:
        edition = Edition(case["edition"], case["readings"], game="titm", overlays=tuple(case["overlays"]))
        assert case["expected"].items() <= edition.answer(case["query"], case["input"]).items(), case["id"]


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
