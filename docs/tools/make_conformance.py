"""Write conformance/: every case that ships, numbered, as JSON lines and as pages, with the version of the lists.

The cases themselves are in `rulesets/GAME/conformance/*.jsonl`. `python docs/tools/make_conformance.py` gives a number
to those that have none yet, raises the version if the cases have changed, and writes the folder; the tests check that
it is up to date.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from titm_rules.editions.book import chapter_of
from titm_rules.editions.games import default_game, game_folders
from titm_rules.editions.text import natural

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "conformance"
VERSION = "version.txt"
LAST = FOLDER / "numbers.json"  # the last number that was given, by game and chapter
FIRST = (1, 0, 0)
TOLD = ("expected", "cites")  # what a case demands
ASKED = ("game", "edition", "readings", "query", "input")  # what it asks
Case = dict[str, Any]


# ---------------------------------------------------------------------- the cases and their numbers
def files(game: str) -> list[Path]:
    """List the files of the cases of a game."""
    return sorted((ROOT / "rulesets" / game / "conformance").glob("*.jsonl"))


def read(paths: Iterable[Path]) -> list[Case]:
    """Read cases in the order of their files."""
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def dump(cases: Iterable[Case]) -> str:
    """Write cases, one a line."""
    return "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)


def numbered(game: str) -> dict[Path, str]:
    """Give the text of the files of a game in which every case has its number.

    A number is that of the chapter and a running one: `9-14`. Cases of one title and chapter, in several editions,
    share it. It stays with its title, and one that was given is never given again.
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
    """Give the last number of each chapter: of those that are given, and of all that ever were."""
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
    """Name the chapter of a case: that of the first clause that it is about."""
    return chapter_of(case["clauses"][0])


# ---------------------------------------------------------------------- the version
def published(game: str) -> list[Case]:
    """Read the list of a game as it was written last; empty if it never was."""
    path = FOLDER / f"{game}.jsonl"
    return read([path]) if path.is_file() else []


def version_of(game: str, cases: list[Case]) -> str:
    """Give the version of a list: its first number counts changes of cases, the second cases that came.

    The third counts changes of words.
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
    """Give all that an engine sees of a case, and all that is demanded of its answer."""
    return [case.get(name) for name in (*ASKED, *TOLD)]


# ---------------------------------------------------------------------- pages
def page(game: str, place: str, cases: list[Case], version: str) -> str:
    """Write the page of a chapter: each number with its title, clauses, source, question and answers."""
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[case["number"]].append(case)
    parts = [f"# {game}, chapter {place}\n\nVersion {version}. Written by `docs/tools/make_conformance.py`.\n"]
    return "\n".join([*parts, *(entry(number, found[number]) for number in sorted(found, key=natural))])


def entry(number: str, cases: list[Case]) -> str:
    """Write what a number stands for: the question once for all editions that ask the same, and the answers."""
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
    """Put together the cases that ask and demand the same in several editions."""
    found: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        found[json.dumps([case.get(name) for name in ("readings", "query", "input", *TOLD)])].append(case)
    return list(found.values())


def contents(lists: dict[str, tuple[str, list[Case]]]) -> str:
    """Write the list of games and chapters."""
    lines = ["| game | version | cases | numbers | chapters |", "| --- | --- | --- | --- | --- |"]
    for game, (version, cases) in lists.items():
        places = sorted({chapter(case) for case in cases}, key=natural)
        links = " ".join(f"[{place}]({game}/{place}.md)" for place in places)
        numbers = len({case["number"] for case in cases})
        lines.append(f"| [{game}]({game}.jsonl) | {version} | {len(cases)} | {numbers} | {links} |")
    return "\n".join(lines)


README = """\
# Conformance cases

Positions, battles and records of games with the answers that the printed rules demand, for whoever writes a referee.
Each case has a number, a title, the clauses that it is about, and a source or the reason why it is known. Cases of one
number ask the same under several editions. [How to test your own referee](../docs/how-to/referee.md) tells how to run
them; `titm conform --against "COMMAND"` does it.

{contents}

- A line of a list is a request of [the protocol](../docs/reference/protocol.md), with what it stands for besides.
- `expected` holds what an answer must give; it may give more. A name with a full stop leads into the answer:
  `refused.line` is `line` in what stands under `refused`. `cites` are clauses that the refusal of a record must name.
- `basis` tells how the answer is known: `worked` out in the source, `stated` by a rule, `official` in a published
  answer, `small` for a position made up around one rule, `played` for a record that was played by the rules.
- The version of a list has three numbers. The first counts changes of what is asked or expected, the second cases that
  came, the third changes of words. A number of a case stays with its title and is not given twice.

Written by `docs/tools/make_conformance.py` from `rulesets/*/conformance`, where an installed package has the lists.
"""


def written() -> dict[Path, str]:
    """Give every file as it should be: the cases with their numbers, the versions, the lists and the pages."""
    found: dict[Path, str] = {}
    lists: dict[str, tuple[str, list[Case]]] = {}
    for game in sorted(game_folders(), key=lambda name: (name != default_game(), name)):
        texts = numbered(game)
        if not texts:
            continue
        found |= texts
        cases = [json.loads(line) for text in texts.values() for line in text.splitlines()]
        cases.sort(key=lambda case: (natural(case["number"]), case["edition"], case["id"]))
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
    """List the files that are not as they should be, and pages of chapters that have no case."""
    right = written()
    wrong = [path for path, text in right.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    return wrong + [path for path in FOLDER.rglob("*.*") if path not in right]


if __name__ == "__main__":
    for target, text in written().items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for extra in stale():
        extra.unlink()
