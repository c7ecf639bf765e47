"""The pages of differences are those that the search and the atlas make."""

import re

import pytest
from docs.tools.make_differences import PAGE, pairs, section
from titm_rules.compare.atlas import Plan, gather, run
from titm_rules.compare.report import atlas_page, brief, situation
from titm_rules.editions.load import list_editions

ATLAS = PAGE.with_name("atlas.md")
CHEAP = [("1996-08-01", "1996-11-01"), ("1999", "2002-07-25")]


@pytest.mark.parametrize(("first", "second"), CHEAP)
def test_the_page_has_what_the_search_finds(first, second):
    assert section(first, second) in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [pair for pair in pairs() if pair not in CHEAP])
def test_the_rest_of_the_page_too(first, second):
    assert section(first, second) in PAGE.read_text(encoding="utf-8")


def test_the_page_names_every_pair():
    headings = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [f"{first} to {second}" for first, second in pairs()]


# The differences that an editor of the rules would look for first, each with its clause.
@pytest.mark.parametrize(
    ("pair", "question", "cause"),
    [
        ("1997-08-20 to 1999", "fire_allocations", "-1997:9.59"),
        ("1997-08-20 to 1999", "fire_allocations", "+9.53a"),
        ("1998-01-15 to 1999", "fire_allocations", "-1998:9.52"),
        ("1998-01-15 to 1999", "artillery_targetings", "+9.46d"),
        ("1998-01-15 to 1999", "special_forces_options", "-1996:14.2"),
        ("1998-01-15 to 1999", "construction_options", "+10.14b"),
    ],
)
def test_known_differences_are_on_the_page(pair, question, cause):
    [shown] = [part for part in PAGE.read_text(encoding="utf-8").split("\n## ") if part.startswith(f"{pair}\n")]
    assert f"| {question} | {cause} |" in shown


def test_only_one_search_finds_nothing_where_clauses_differ():
    """That is right: 14.22d bars an effect in an impulse in which the counter could not be used before 1998."""
    idle = [
        (part.split("\n")[0], line.split(" | ")[0])
        for part in PAGE.read_text(encoding="utf-8").split("\n## ")
        for line in part.splitlines()
        if " | equivalent | up to" in line
    ]
    assert idle == [("1996-11-01 to 1997-03-01", "| special_forces_options")]


@pytest.mark.slow
def test_the_page_of_the_atlas_is_up_to_date(tmp_path):
    plan = Plan(tuple(info.name for info in list_editions()), (3, 3))
    run(plan, tmp_path, -1, "loky")
    assert atlas_page(gather(plan, tmp_path)) == ATLAS.read_text(encoding="utf-8")


def test_the_page_of_the_atlas_is_of_all_battles():
    """Multisets of ten kinds, one to three on each side."""
    side = 10 + 55 + 220
    text = ATLAS.read_text(encoding="utf-8")
    assert text.count(f"{side * side:,} situations") == 2
    assert all(info.name in text for info in list_editions())


def test_situations_are_written_briefly():
    data = {
        "day": 17, "final": False, "roads": [], "map": None, "hill": {"id": "x", "of": "y"}, "lakes": [{"id": "l"}],
        "units": [{"id": "a", "size": 2, "moved": False}, {"id": "b", "size": 1, "moved": True}],
    }  # fmt: skip
    assert situation(data) == ["day: 17", "hill: x (of y)", "lakes: l", "units: a (size 2), b (size 1, moved yes)"]
    assert brief({"areas": [], "legal": True, "n": None}) == "areas none, legal yes, n none"
