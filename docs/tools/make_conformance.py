"""Generate conformance/: all bundled cases, numbered, as JSON lines and as pages, with the version of each list.

The cases are in `rulesets/GAME/conformance/*.jsonl`. `python docs/tools/make_conformance.py` numbers the new cases,
raises the version if the cases have changed, and writes the folder; the tests check that it is up to date.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, game_folders
from titm_rules.editions.clause_index import chapter_of, natural_key

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "conformance"
VERSION = "version.txt"
LAST = FOLDER / "numbers.json"  # the last assigned number, by game and chapter
FIRST = (1, 0, 0)
DEMANDED = ("expected", "cites")  # the demands of a case
REQUESTED = ("game", "edition", "readings", "query", "input")  # its request
Case = dict[str, Any]


# ---------------------------------------------------------------------- the cases and their numbers
def files(game: str) -> list[Path]:
    """List the files of the cases of a game."""
    return sorted((ROOT / "rulesets" / game / "conformance").glob("*.jsonl"))


def read(paths: Iterable[Path]) -> list[Case]:
    """Read cases in file order."""
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def dump(cases: Iterable[Case]) -> str:
    """Write cases, one per line."""
    return "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)


def numbered(game: str) -> dict[Path, str]:
    """Return the texts of the case files of a game, with a number for every case.

    A number consists of the chapter and a running number, such as `9-14`. Cases of several editions with the same
    title and chapter share a number. A number stays with its title and is never reused.
    """
    read_in = {path: read([path]) for path in files(game)}
    cases = [case for found in read_in.values() for case in found]
    known = {(chapter(case), case["title"]): case["number"] for case in cases if "number" in case}
    last = defaultdict(int, last_numbers(game, known.values()))
    for case in cases:
        key = (chapter(case), case["title"])
        if key not in known:
            last[key[0]] += 1
            known[key] = f"{key[0]}-{last[key[0]]}"
    return {path: dump(_with_number(case, known) for case in found) for path, found in read_in.items()}


def last_numbers(game: str, given: Iterable[str]) -> dict[str, int]:
    """Return the last number of each chapter, among the given numbers and all earlier ones."""
    kept = json.loads(LAST.read_text(encoding="utf-8")) if LAST.is_file() else {}
    last: dict[str, int] = dict(kept.get(game, {}))
    for number in given:
        place, _, running = number.rpartition("-")
        last[place] = max(last.get(place, 0), int(running))
    return last


def _with_number(case: Case, known: dict[tuple[str, str], str]) -> Case:
    rest = {name: value for name, value in case.items() if name != "number"}
    return {"id": rest.pop("id"), "number": known[chapter(case), case["title"]], **rest}


def chapter(case: Case) -> str:
    """Return the chapter of a case: that of its first clause."""
    return chapter_of(case["clauses"][0])


# ---------------------------------------------------------------------- the version
def published(game: str) -> list[Case]:
    """Read the published list of a game; empty if there is none."""
    path = FOLDER / f"{game}.jsonl"
    return read([path]) if path.is_file() else []


def version_of(game: str, cases: list[Case]) -> str:
    """Return the version of a list: counts of changed cases, added cases, and changed wording.

    An engine that agreed with a list agrees with every list whose first two numbers are the same.
    """
    before = {case["id"]: case for case in published(game)}
    path = ROOT / "rulesets" / game / "conformance" / VERSION
    if not before or not path.is_file():
        return ".".join(map(str, FIRST))
    now = {case["id"]: case for case in cases}
    major, minor, words = map(int, path.read_text(encoding="utf-8").split("."))
    if any(name not in now or demand(now[name]) != demand(case) for name, case in before.items()):
        major, minor, words = major + 1, 0, 0
    elif now.keys() != before.keys():
        minor, words = minor + 1, 0
    elif now != before:
        words += 1
    return f"{major}.{minor}.{words}"


def demand(case: Case) -> list[Any]:
    """Return the request of a case and the demands on its answer."""
    return [case.get(name) for name in (*REQUESTED, *DEMANDED)]


# ---------------------------------------------------------------------- pages
def page(game: str, place: str, cases: list[Case], version: str) -> str:
    """Write the page of a chapter: title, clauses, source, question and answers of each number."""
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[case["number"]].append(case)
    parts = [f"# {game}, chapter {place}\n\nVersion {version}. Written by `docs/tools/make_conformance.py`.\n"]
    return "\n".join([*parts, *(entry(number, found[number]) for number in sorted(found, key=natural_key))])


def entry(number: str, cases: list[Case]) -> str:
    """Write the cases of a number: the question, once for all editions that ask the same, and the answers."""
    first = cases[0]
    lines = [f"## {number} {first['title']}\n"]
    lines += [f"- clauses: {', '.join(first['clauses'])}", f"- basis: {first['basis']}"]
    lines += [f"- source: {first['source']}"] if "source" in first else []
    for group in alike(cases):
        lines.append(f"\nEdition {', '.join(case['edition'] for case in group)}: `{group[0]['query']}`\n")
        lines += ["```json", json.dumps(group[0]["input"], ensure_ascii=False), "```\n", "Expected:\n"]
        lines += ["```json", json.dumps(group[0]["expected"], ensure_ascii=False), "```"]
        if "cites" in group[0]:
            lines.append(f"\nThe refusal names {', '.join(group[0]['cites'])}.")
    return "\n".join(lines) + "\n"


def alike(cases: list[Case]) -> list[list[Case]]:
    """Group the cases with the same request and demands in several editions."""
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[json.dumps([case.get(name) for name in ("readings", "query", "input", *DEMANDED)])].append(case)
    return list(found.values())


def contents(lists: dict[str, tuple[str, list[Case]]]) -> str:
    """Write the table of games and chapters."""
    lines = ["| game | version | cases | numbers | chapters |", "| --- | --- | --- | --- | --- |"]
    for game, (version, cases) in lists.items():
        places = sorted({chapter(case) for case in cases}, key=natural_key)
        links = " ".join(f"[{place}]({game}/{place}.md)" for place in places)
        numbers = len({case["number"] for case in cases})
        lines.append(f"| [{game}]({game}.jsonl) | {version} | {len(cases)} | {numbers} | {links} |")
    return "\n".join(lines)


README = """\
# Conformance cases

Positions, battles and records of games with the answers that the printed rules require, for authors of referee
programs. Each case has a number, a title, the clauses that it tests, and the basis of its answer. Cases with the
same number ask the same question under several editions. `titm conform --against "COMMAND"` runs them; [how to test
your own referee](../docs/how-to/referee.md) explains the details.

{contents}

- A line of a list is a request of [the protocol](../docs/reference/protocol.md), with additional fields for people
  and tests.
- `expected` lists the values that an answer must contain; it may contain more. A name with a full stop is a path in
  the answer: `refused.line` is `line` inside `refused`. `cites` lists clauses that the refusal of a record must
  name.
- `basis` says how the answer is known: `worked` out in the source, `stated` by a rule, `official` in a published
  answer, `small` for a position constructed around one rule, `played` for a record that was played by the rules.
- The version of a list has three numbers. The first counts changes of requests or expected values, the second added
  cases, the third changes of wording. The number of a case stays with its title and is never reused.

Generated by `docs/tools/make_conformance.py` from `rulesets/*/conformance`; an installed package contains the lists
there.
"""


def written() -> dict[Path, str]:
    """Return the current text of every file: the numbered cases, the versions, the lists and the pages."""
    found: dict[Path, str] = {}
    lists: dict[str, tuple[str, list[Case]]] = {}
    for game in sorted(game_folders(), key=lambda name: (name != default_game(), name)):
        texts = numbered(game)
        if not texts:
            continue
        found |= texts
        cases = [json.loads(line) for text in texts.values() for line in text.splitlines()]
        cases.sort(key=lambda case: (natural_key(case["number"]), case["edition"], case["id"]))
        version = version_of(game, cases)
        lists[game] = version, cases
        found[ROOT / "rulesets" / game / "conformance" / VERSION] = f"{version}\n"
        found[FOLDER / f"{game}.jsonl"] = dump(cases)
        for place in {chapter(case) for case in cases}:
            mine = [case for case in cases if chapter(case) == place]
            found[FOLDER / game / f"{place}.md"] = page(game, place, mine, version)
    last = {game: last_numbers(game, [case["number"] for case in cases]) for game, (_, cases) in lists.items()}
    found[LAST] = json.dumps(last, indent=2, sort_keys=True) + "\n"
    found[FOLDER / "README.md"] = README.format(contents=contents(lists))
    return found


def stale() -> list[Path]:
    """List the files that are out of date, and pages of chapters without cases."""
    right = written()
    wrong = [path for path, text in right.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    return wrong + [path for path in FOLDER.rglob("*.*") if path not in right]


if __name__ == "__main__":
    for target, text in written().items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for extra in stale():
        extra.unlink()
