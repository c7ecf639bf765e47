"""The folder conformance/: every case numbered and titled, with clauses that there are, and up to date."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from titm_rules.catalog import game_folder, game_folders
from titm_rules.editions.sources import read_ledger
from titm_rules.formats.case_files import conformance_cases

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "tools"))

import make_conformance as tool  # noqa: E402 -- a tool of the docs is no package

WITH_CASES = [name for name in game_folders() if list(conformance_cases(name))]
GAMES = pytest.mark.parametrize("game", WITH_CASES)


def test_the_folder_is_up_to_date():
    assert [str(path) for path in tool.stale()] == [], "run python docs/tools/make_conformance.py"


@GAMES
def test_a_number_and_an_edition_name_one_case(game):
    named = Counter((case["number"], case["edition"]) for case in tool.published(game))
    assert [name for name, count in named.items() if count > 1] == []
    assert len(named) == len(list(conformance_cases(game)))


@GAMES
def test_every_case_has_a_title_a_basis_and_clauses_that_there_are(game):
    known = set(read_ledger(game_folder(game))) if (game_folder(game) / "ledger.txt").is_file() else None
    for case in tool.published(game):
        assert case["title"]
        assert case["basis"]
        assert case["clauses"]
        for clause in case["clauses"] if known is not None else ():
            assert any(one == clause or one.startswith(clause) for one in known), (case["id"], clause)


@GAMES
def test_the_pages_show_every_case(game):
    text = "".join(path.read_text(encoding="utf-8") for path in (tool.FOLDER / game).glob("*.md"))
    for case in tool.published(game):
        assert f"## {case['number']} {case['title']}\n" in text
        assert json.dumps(case["input"], ensure_ascii=False) in text


def case(name, clause, **more):
    return {"id": name, "title": name.upper(), "edition": "1", "query": "q", "input": {}, "clauses": [clause],
            "basis": "stated", "expected": {"legal": True}, **more}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A game of two cases, with its list written once."""
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "FOLDER", tmp_path / "conformance")
    monkeypatch.setattr(tool, "LAST", tmp_path / "conformance" / "numbers.json")
    monkeypatch.setattr(tool, "game_folders", lambda: {"chess": tmp_path})
    put(tmp_path, case("a", "2.1"), case("b", "2.4"))
    write()
    return tmp_path


def put(folder, *cases):
    path = folder / "rulesets" / "chess" / "conformance" / "cases.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tool.dump(cases))


def write():
    for path, text in tool.written().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def numbers():
    return {case["id"]: case["number"] for case in tool.published("chess")}


def version(folder):
    return (folder / "rulesets" / "chess" / "conformance" / "version.txt").read_text().strip()


def test_numbers_run_by_chapter(folder):
    assert (numbers(), version(folder)) == ({"a": "2-1", "b": "2-2"}, "1.0.0")
    assert tool.stale() == []


@pytest.mark.parametrize(("cases", "raised"), [
    ([case("c", "2.2"), case("a", "2.1", number="2-1"), case("b", "2.4", number="2-2")], "1.1.0"),
    ([case("a", "2.1", number="2-1", expected={"legal": False}), case("b", "2.4", number="2-2")], "2.0.0"),
    ([case("a", "2.1", number="2-1", source="page 3"), case("b", "2.4", number="2-2")], "1.0.1"),
], ids=["a case comes", "a case changes", "other words"])  # fmt: skip
def test_the_version_says_what_has_changed_and_a_new_case_takes_the_next_number(folder, cases, raised):
    put(folder, *cases)
    write()
    assert version(folder) == raised
    assert numbers() == {"a": "2-1", "b": "2-2"} | ({"c": "2-3"} if len(cases) == 3 else {})


def test_a_number_is_never_given_twice(folder):
    put(folder, case("a", "2.1", number="2-1"))
    write()
    assert version(folder) == "2.0.0"
    put(folder, case("a", "2.1", number="2-1"), case("c", "2.2"))
    write()
    assert numbers() == {"a": "2-1", "c": "2-3"}


def test_one_title_in_two_editions_has_one_number(folder):
    put(folder, case("a", "2.1", number="2-1"), case("a2", "2.1", edition="2", title="A"))
    write()
    assert numbers() == {"a": "2-1", "a2": "2-1"}


def test_a_page_that_is_no_longer_needed_is_stale(folder):
    extra = folder / "conformance" / "chess" / "9.md"
    extra.write_text("# chess, chapter 9\n")
    assert tool.stale() == [extra]
