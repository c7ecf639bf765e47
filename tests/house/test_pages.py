"""README and docs keep their word: their commands, their Python, their links and their place in the site."""

import doctest
import importlib.util
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import yaml
from docs.tools.clause_pages import FOLDER, Index, chapter_of, clause_pages, page_of
from docs.tools.data_page import questions_page, readings_page
from docs.tools.edition_pages import edition_pages
from docs.tools.gallery import PAGE, gallery
from docs.tools.links import numbers_of, with_links
from docs.tools.pair_pages import PAIRS, pair_page
from docs.tools.site_pages import MADE, commands_page
from titm_rules.compare.corpus import listed_cases
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions

from .pages import CONTRIBUTING, DOCS, PAGES, README, ROOT, make_checkout, read, run_page

WITH_CONSOLE = [page for page in PAGES if "\n```console\n" in read(page)]
WITH_PYTHON = [page for page in PAGES if "\n>>> " in read(page)]
# Loads what a page links or shows from elsewhere; a plain link that a reader may follow is none.
FETCHED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^>]*>""")


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_CONSOLE, ids=name_of)
def test_commands_print_what_the_page_shows(page, tmp_path):
    assert run_page(read(page), make_checkout(tmp_path)) == read(page)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(make_checkout(tmp_path))
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_picture_of_the_pipeline_names_packages_that_exist():
    drawn = ElementTree.parse(DOCS / "explanation" / "pipeline.svg").getroot()
    named = [text.removesuffix("/") for text in drawn.itertext() if re.fullmatch(r"[\w/]+/", text)]
    assert {"syntax", "checker", "engines/compiled", "explain", "cli"} <= set(named)
    assert [name for name in named if not (ROOT / "titm_rules" / name / "__init__.py").is_file()] == []


@cache
def clauses():
    return Index()


@cache
def made():
    """Name the pages that are made while the site is built."""
    chapters = {f"{FOLDER}/{page_of(chapter)}" for chapter in clauses().chapters}
    return {DOCS / path for path in (*MADE, f"{FOLDER}/index.md", *chapters, *edition_pages(), PAIRS, PAGE)}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_pages(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", read(page))
    found = {link: (page.parent / link).resolve() for link in links if "://" not in link}
    assert [link for link, target in found.items() if not target.exists() and target not in made()] == []
    # The site holds the folder docs alone.
    outside = [link for link, target in found.items() if not target.is_relative_to(DOCS)]
    assert page in (README, CONTRIBUTING) or outside == []


def navigation(part):
    match part:
        case str():
            yield part
        case list():
            for one in part:
                yield from navigation(one)
        case dict():
            yield from navigation(list(part.values()))


def test_navigation_names_every_page():
    class Loader(yaml.SafeLoader):
        """Reads what MkDocs may write beyond plain YAML."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: suffix)
    named = list(navigation(yaml.load(read(ROOT / "mkdocs.yml"), Loader)["nav"]))
    pages = {page.relative_to(DOCS).as_posix() for page in {*PAGES[2:], *made()}}
    assert set(named) - pages == set(), "named under `nav` in mkdocs.yml, but there is no such page"
    assert pages - set(named) == set(), "there is such a page; give it a line under `nav` in mkdocs.yml"
    assert len(named) == len(set(named))


def section(number):
    """Read the part of a made page that is about one clause."""
    page = clause_pages(clauses())[f"{FOLDER}/{page_of(chapter_of(number))}"]
    _, _, rest = page.partition(f"\n## {number} ")
    return rest.partition("\n## ")[0]


def test_index_tells_editions_as_runs_numbers_and_tests_of_every_clause():
    pages = "\n".join(clause_pages(clauses()).values())
    for info in list_editions():
        for number, clause in load_model(info.name).clauses.items():
            assert f"\n## {number} " in pages
            assert f'quote "{clause.span.path}:{clause.span.line}"' in pages
    moved = section("9.11a")
    assert "**In force** 1994-11-01 to 2016-10-01, in the wording of 1999." in moved
    assert "Printed as 9.12 in 1996-08-01 to 1998-01-15." in moved
    assert "Carried back, not attested: 1994-11-01." in moved
    assert "Printed as 9.52 in 1998-01-15." in section("1998:9.52")
    assert "**In tests** decisive, for example in: " in section("8.38")
    assert "Decides nothing: " in section("9.0a")
    every = [info.name for info in list_editions()]
    assert clauses().runs([every[4], every[0], every[1], every[2]]) == f"{every[0]} to {every[2]}, {every[4]}"
    assert clauses().runs(every) == f"{every[0]} to {every[-1]}"
    assert clauses().runs([]) == ""


def test_every_edition_has_a_page_that_tells_what_its_sheet_changed():
    pages = edition_pages()
    assert len(pages) == len(list_editions()) + 1
    sheet = pages["reference/editions/1998-01-15.md"]
    _, _, reworded = sheet.partition("## Reworded")
    assert "[14.2](../clauses/14.md#1996:14.2) Special forces: before other moves" in reworded.partition("## ")[0]
    assert "[9.57](../clauses/09.md#9.57f)" in sheet.partition("## New")[2].partition("## ")[0]
    assert "[9.57](../clauses/09.md#9.57a) Allocation from high to low (<samp>9.54</samp> before)" in sheet
    assert "later sheets show that the wording was different" in pages["reference/editions/1994-11-01.md"]
    assert "This is the oldest known edition." in pages["reference/editions/1994-11-01.md"]
    # clauses that a page calls new or gone are those that the editions beside it do not share
    names = [info.name for info in list_editions()]
    for before, name in pairwise(names):
        was, now = set(load_model(before).clauses), set(load_model(name).clauses)
        told = told_under(pages[f"reference/editions/{name}.md"])
        assert (told["New"], told["Removed"]) == (now - was, was - now)


def test_two_editions_have_a_page_for_players():
    page = pair_page("1998-01-15", "1999", "titm", listed_cases("titm"))
    assert "## 10 Bridges" in page
    assert "**[10.14b](../clauses/10.md#10.14b)** No attack in the same turn (new)" in page
    assert "Nor may it attack in that turn." in page
    assert "The engineer attacked in an earlier impulse of the day. Which bridges may be built now" in page
    assert "`titm check change-13 --edition 1998-01-15,1999`" in page
    assert "<samp>14.12a</samp> ([1998-01-15 to 1999](../differences.md#1998-01-15-to-1999))" in page
    assert len(page.split()) < 650
    headings = set(re.findall(r"^## (\S+) to (\S+)$", read(DOCS / "reference" / "differences.md"), re.M))
    assert headings == set(pairwise(info.name for info in list_editions()))


def told_under(page):
    """Read which clauses a page names under which heading."""
    found = defaultdict(set)
    title = ""
    for line in page.splitlines():
        title = line.removeprefix("## ") if line.startswith("## ") else title
        found[title] |= set(re.findall(r"^- \[[^]]+\]\([^#]*#([^)]+)\)", line))
    return found


def test_gallery_shows_every_dispute_with_its_picture_and_its_verdict():
    files = gallery()
    pictures = [path for path in files if path.endswith(".svg")]
    assert re.findall(r'<img src="(pictures/[^"]+)"', files[PAGE]) == pictures
    assert len(pictures) == len(list((ROOT / "scenarios/titm/disputes").glob("*.yaml")))
    blown = files[PAGE].partition("## The blown bridge at Malmedy\n")[2].partition("\n## ")[0]
    assert "? No. (1999)" in blown
    assert "8.33-unbridged Unbridged river" in blown
    assert "titm why scenarios/titm/disputes/04-malmedy-blown-bridge.yaml" in blown


@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<p>By 8.33-minor, and 1998:9.52.</p>", ["08.html#8.33-minor", "09.html#1998:9.52"]),
        ("<p>(8.22) <code>8.22</code> 8.22.</p>", ["08.html#8.22"] * 3),
        ("<p>It takes 8.22 s, 8.22 ms and 8.22 MiB.</p>", []),
        ("<p>v8.22, 18.22, 8.221, 8.22-a, 8.22.1, x:8.22, file.py:8.22</p>", []),
        ('<a href="x">8.22</a><h2>8.22</h2><h2>8.22</h2>', []),
        ("<p>&lt;8.22&gt; &#8211; <br/></p>", ["08.html#8.22"]),
    ],
)
def test_numbers_of_clauses_become_links(html, links):
    linked = with_links(html, numbers_of(clauses().clauses), "how-to/play.html")
    assert re.findall(r'<a href="\.\./reference/clauses/([^"]+)">', linked) == links
    assert re.sub(r'<a href="\.\./[^>]+>([^<]*)</a>', r"\1", linked) == html


def test_questions_are_told_with_what_they_take():
    page = questions_page()
    assert [name for name in load_model("2016-10-01").questions if f"\n| `{name}` |" not in page] == []
    path = "May these units go along this path? | position | `units`, `foot_mode`?, `path`"
    assert f"| `check_path` | {path} | `legal`, and `cost` if it is legal |" in page
    cost = "May these units go to this place? | position | `units`, `foot_mode`?, `to`"
    assert f"| `reachable_cost` | {cost} | `cost`: " in page
    assert "titm check two-bridges supplied unit=g-tank" in page
    assert "| `strength` | number 1 to 99 | required |" in page
    assert "| `day_start` | place or null | the same as `place` |" in page
    assert "missing" not in page


def test_readings_are_told_with_their_choices():
    page = readings_page()
    for info in list_editions():
        for name, reading in load_model(info.name).readings.items():
            if len(reading.offered) > 1:
                assert f"\n## {name} " in page
                assert [choice for choice in reading.offered if f"\n- `{choice}`" not in page] == []
    assert "\n- `first-round-only` (default): " in page


def test_commands_are_told_and_all_are_on_the_page_of_lines():
    page = commands_page()
    listed = set(re.findall(r"^\| `titm (\w+)", read(README), re.MULTILINE))
    assert {"check", "oracle", "demo"} <= listed
    assert [name for name in listed if f"## `titm {name}`" not in page] == []
    table = read(DOCS / "how-to" / "ask.md").partition("\n## All commands\n")[2]
    commands = re.findall(r"^## `titm ([\w-]+)`", commands_page(), re.MULTILINE)
    assert len(commands) > 20
    assert sorted(re.findall(r"`titm ([\w-]+)", table)) == sorted(commands)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="`pip install -e .[docs]` is not done")
def test_site_builds_and_fetches_nothing(tmp_path):
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > len(PAGES)
    assert {page.name: found for page in pages if (found := FETCHED.findall(read(page)))} == {}
