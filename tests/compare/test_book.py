"""The consolidated rulebook: every clause exactly once, a bar exactly where words differ, examples that run."""

import re
from itertools import pairwise

import pytest
from titm_rules.compare.book import book_page, examples, open_book
from titm_rules.compare.corpus import CorpusCase, listed_cases
from titm_rules.diagnostics import InputError
from titm_rules.editions.clause_index import printed_number
from titm_rules.editions.registry import list_editions
from titm_rules.oracle.edition import Edition

CLAUSE = re.compile(r'<div class="clause([^"]*)" id="([^"]*)">')
NAMES = [info.name for info in list_editions("titm")]


def rows(page):
    """Give the clauses of a page in order, each with its marks."""
    return [(clause, marks.split()) for marks, clause in CLAUSE.findall(page)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("against", ["", "2016-10-01"])
def test_every_clause_is_there_once_with_a_bar_exactly_where_words_differ(name, against):
    if name == against:
        return
    edition = Edition(name)
    before = against or dict(map(reversed, pairwise(NAMES))).get(name)
    was = Edition(before).clauses if before else {}
    page = rows(book_page(open_book(edition, against), {}, strike=bool(against)))
    gone = {clause for clause, marks in page if "gone" in marks}
    assert sorted(clause for clause, _ in page) == sorted({*edition.clauses, *gone})
    assert gone == ({*was} - {*edition.clauses} if against else set())
    changed = {
        clause for clause, info in edition.clauses.items()
        if before and (clause not in was or (was[clause].title, was[clause].says) != (info.title, info.says))
    }  # fmt: skip
    assert {clause for clause, marks in page if "changed" in marks} == changed | gone


def test_clauses_stand_in_the_order_of_the_printed_numbers():
    """In this book 9.11 is a part of 9.1; in others 6.10 follows 6.9."""

    def numbers(name, game):
        book = open_book(Edition(name, game=game))
        return list(dict.fromkeys(re.match(r"\d+\.\d+|.*", printed_number(one.info))[0] for one in book.entries))

    found = numbers("1999", "titm")
    assert [one for one in found if one in ("9.0", "9.3", "9.6", "9.11")] == ["9.0", "9.11", "9.3", "9.6"]
    found = numbers("1", "cold-ford")
    assert found.index("6.9") + 1 == found.index("6.10")


def test_steps_behind_a_number_stand_in_their_order_and_an_unnumbered_chapter_behind_that_of_its_file():
    """The order of chapter 6 and the place of the chart are those of the printed book of 1999 (pages 2 to 4)."""
    found = [one.number for one in open_book(Edition("2016-10-01")).entries]
    roman = [number.removeprefix("6.0-") for number in found if number.startswith("6.0-")]
    assert roman == [
        "I", "II.1", "II.2", "II.2x", "II.3", "II.4", "III.1", "III.2", "III.3", "III.4", "IV-VII", "IV-VII.x",
        "VIII.a", "VIII.b", "IX.a", "IX.b",
    ]  # fmt: skip
    titles = [title for title, _ in open_book(Edition()).chapters]
    assert titles[2:5] == ["3 Map", "Chart", "4 Pieces"]
    assert titles[-1] == "S4 Campaign"


def test_what_a_sheet_adds_under_a_name_stands_behind_the_book_with_its_full_number(tmp_path):
    sheet = tmp_path / "rain.rules"
    sheet.write_text('add clause my:3 "Mud"\n  "Mud is deep."\n  decides nothing "to look at".\n', encoding="utf-8")
    book = open_book(Edition("1", game="cold-ford", overlays=(str(sheet),)))
    assert book.against.label == "1", "it is compared with what the sheet amends"
    title, [entry] = book.chapters[-1]
    assert (title, entry.number) == ("Added by rain", "my:3")
    page = book_page(book, {})
    assert [clause for clause, marks in rows(page) if "changed" in marks] == ["my:3"]
    old = open_book(Edition("1994-11-01"))
    assert "9.52" in [one.number for one in old.entries], "a clause that is carried back has no date in its number"


def test_chapters_have_the_titles_of_their_files():
    titles = {title for title, _ in open_book(Edition()).chapters}
    assert {"1 Components", "2 Object", "9 Combat", "S4 Campaign"} <= titles
    assert [title for title in titles if title.startswith("Chapter")] == []
    one_file = [title for title, _ in open_book(Edition(game="cold-ford")).chapters]
    assert one_file == [f"Chapter {number}" for number in range(1, 9)], "a file of many chapters names none"


def test_old_words_are_struck_and_what_is_not_attested_is_marked(tmp_path):
    sheet = tmp_path / "rain.rules"
    sheet.write_text(
        'replace clause 3.3 "Woods"\n  "A wood costs 3 points."\n'
        "  march costs 3 when terrain of place-entered is wood.\ndelete 5.5.\n", encoding="utf-8",
    )  # fmt: skip
    edition = Edition("1", game="cold-ford", overlays=(str(sheet),))
    page = book_page(open_book(edition, "1"), {}, strike=True)
    assert "A wood costs <del>2</del> <ins>3</ins> points." in page
    assert '<div class="clause changed gone" id="5.5">' in page
    oldest = book_page(open_book(Edition("1994-11-01")), {})
    assert "<b>Not attested</b>: carried back from 1999." in oldest
    assert "restates it; the older words are lost" in oldest
    with pytest.raises(InputError):
        open_book(Edition("1999"), "1999")


def test_examples_are_asked_and_said_in_words():
    edition = Edition("1999")
    found = examples(edition, listed_cases("titm"))
    example = found["4.17-mechanized"]
    mechanized, foot = "a1 (kind mechanized, strength 2)", "d1 (kind foot, strength 2)"
    assert example.position == f"attacker: German; attackers: {mechanized}; defenders: {foot}"
    assert example.says == "Up to which roll does a1 of the attacker hit d1? On 1 to 3."
    assert example.command == "titm check 4.17-mechanized --edition 1999"
    page = book_page(open_book(edition), found)
    assert f"<b>Example</b> With {example.position}: {example.says} <code>{example.command}</code>" in page
    case = CorpusCase("deciding case", "3.2 none", "no_such_question", clauses=("3.2",))
    assert examples(edition, [case]) == {}
    assert examples(Edition("1", game="cold-ford"), listed_cases("cold-ford")) == {}, "a whole map is too long"


def test_the_index_names_the_clauses_of_a_word():
    book = open_book(Edition("1", game="cold-ford"))
    assert [one.info.id for one in book.index["woods"]] == ["3.3"]
    assert '<p>woods <a href="#3.3">3.3</a></p>' in book_page(book, {})
