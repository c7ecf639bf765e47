"""Documents in the order of their dates: what is in force, and what cannot be."""

from dataclasses import replace
from itertools import combinations

import pytest
from titm_rules.catalog import game_folder
from titm_rules.diagnostics import RulesetError
from titm_rules.editions.consolidate import BOOK, CARRIED, OVERLAY, SHEET, Layer, Library, consolidate
from titm_rules.editions.load import consolidated, load_model
from titm_rules.editions.registry import applicable_sheets, list_editions
from titm_rules.editions.sources import LedgerEntry, read_ledger
from titm_rules.oracle.edition import Edition
from titm_rules.syntax.ast import Silent
from titm_rules.syntax.parser import parse_rules

from tests.builders import fault_of

HILL = 'clause {} "Hills" "A hex of height 3 is a hill."\n  hill holds when height of h is 3.\n'
BOOK_TEXT = HILL.format("1") + HILL.format("2a") + HILL.format("2b")
ADDED = HILL.replace("clause", "add clause")
NAMES = [info.name for info in list_editions()]


def layer(name, kind, text):
    return Layer(name, kind, (parse_rules(text, f"{name}.rules"),))


def after(*sheets):
    layers = [layer("book", BOOK, BOOK_TEXT)]
    layers += [layer(f"sheet {number}", SHEET, text) for number, text in enumerate(sheets, 1)]
    return consolidate([], layers).standing


def test_sheets_add_replace_and_bring_back_clauses():
    assert {number: (how.worded, how.attested) for number, how in after().items()} == {
        "1": ("book", True), "2a": ("book", True), "2b": ("book", True)
    }  # fmt: skip
    standing = after("delete 1.", ADDED.format("3"), "restate 2a as 7.")
    assert list(standing) == ["2a", "2b", "3"]
    assert (standing["2a"].number, standing["2a"].worded, standing["2a"].how) == ("7", "sheet 3", "restates")
    assert standing["3"].worded == "sheet 2"
    standing = after("delete 1.", ADDED.format("1"))
    assert standing["1"].worded == "sheet 2"
    standing = after(HILL.format("1").replace("clause", "replace clause"))
    assert list(standing) == ["1", "2a", "2b"]
    assert standing["1"].worded == "sheet 1"


def test_sheets_change_sections_of_the_course_of_play():
    section = 'course {} "Resting"\n  wait sets orders to {}.\n'
    book = layer("book", BOOK, section.format("resting", 0) + section.format("waiting", 1))
    more = "add " + section.format("sleeping", 3)
    sheets = ["replace " + section.format("resting", 2), "delete course waiting.", more]
    layers = [layer(f"sheet {number}", SHEET, text) for number, text in enumerate(sheets, 1)]
    files = consolidate([], [book, *layers]).files
    held = {course.name.text: file.path for file in files for course in file.courses}
    assert held == {"resting": "sheet 1.rules", "sleeping": "sheet 3.rules"}


def test_a_section_that_names_a_deleted_clause_is_refused():
    section = 'course resting "Resting"\n  wait sets orders to 0 instead of 1.\n'
    layers = [layer("book", BOOK, BOOK_TEXT + section), layer("sheet", SHEET, "delete 1.")]
    fault = fault_of(consolidate, [], layers, error=RulesetError)
    assert fault.what == "the course `resting` names 1, which was deleted"
    assert fault.fix == "replace this section in the sheet too, without the reference"


WOODS = 'add clause 4 "Woods" "A wood is no hill."\n  lifts 1 when wood of h.\n'


@pytest.mark.parametrize(("sheets", "what", "why", "where", "also"), [
    (["delete 1.", "# later\nrestate 1."], "clause 1 is not in force", "it was deleted before",
     "sheet 2.rules:2:9", "sheet 1.rules:1:8"),
    (["restate 2a.\ndelete 2a."], "2a is amended twice", "both amendments are of sheet 1",
     "sheet 1.rules:2:8", "sheet 1.rules:1:9"),
    ([ADDED.format("1")], "clause 1 is in force already", "a clause has one text on a date",
     "sheet 1.rules:1:12", "book.rules:1:8"),
    ([WOODS, "delete 1."], "clause 4 names 1, which was deleted",
     "it would refer to nothing", "sheet 2.rules:1:8", "sheet 1.rules:2:9"),
])  # fmt: skip
def test_what_cannot_be_amended_shows_both_places(sheets, what, why, where, also):
    fault = fault_of(after, *sheets, error=RulesetError)
    assert (fault.what, fault.why) == (what, why)
    assert (str(fault.where), [str(span) for span in fault.also]) == (where, [also])


def test_a_text_takes_the_place_of_one_that_was_carried_back():
    layers = [
        layer("1999", CARRIED, BOOK_TEXT), layer("1994", CARRIED, ""),
        layer("1996", SHEET, ADDED.format("1") + "\nattest 2a by \"an example\".\n"),
    ]  # fmt: skip
    standing = consolidate([], layers).standing
    assert [standing[number].attested for number in ("1", "2a", "2b")] == [True, True, False]
    assert standing["1"].worded == "1996"


def test_an_overlay_amends_like_a_sheet_and_names_no_clause_that_it_deletes():
    layers = [layer("book", BOOK, BOOK_TEXT), layer("mine", OVERLAY, "delete 2b.")]
    assert list(consolidate([], layers).standing) == ["1", "2a"]
    text = "delete 1.\n" + LIFTS.replace("1, 3", "1")
    layers = [layer("book", BOOK, BOOK_TEXT), layer("mine", OVERLAY, text)]
    fault = fault_of(consolidate, [], layers, error=RulesetError)
    assert fault.what == "clause my:1 names 1, which was deleted"


LIFTS = 'clause my:1 "Flat" "There are no hills."\n  lifts 1, 3 in hill.\n'
SHEET_TEXT = ADDED.format("3")


def test_an_overlay_makes_no_exception_to_clauses_that_only_other_editions_have():
    book, sheet = layer("book", BOOK, BOOK_TEXT), layer("sheet", SHEET, SHEET_TEXT)
    library = Library.of([book, sheet])
    rules = consolidate([], [book, layer("mine", OVERLAY, LIFTS)], library)
    assert lifted_by("my:1", rules) == ["1"]
    rules = consolidate([], [book, sheet, layer("mine", OVERLAY, LIFTS)], library)
    assert lifted_by("my:1", rules) == ["1", "3"]
    rules = consolidate([], [book, layer("mine", OVERLAY, LIFTS.replace("1, 3", "3"))], library)
    assert [type(sentence) for sentence in rules.standing["my:1"].clause.sentences] == [Silent]


# ---------------------------------------------------------------------- the editions that ship
@pytest.mark.parametrize(("date", "edition"), [
    ("1994-11-01", "1994-11-01"), ("1996-07-31", "1994-11-01"), ("1996-08-01", "1996-08-01"),
    ("1998-06-01", "1998-01-15"), ("1999", "1999"), ("2001-09-09", "1999"), ("2030-01-01", "2016-10-01"),
    ("1998", "1998-01-15"), ("1997-08", "1997-08-20"), ("2001", "1999"),
])  # fmt: skip
def test_any_date_gives_the_rules_in_force_and_a_year_or_month_that_tells_one_edition(date, edition):
    assert Edition.on(date).date == edition


@pytest.mark.parametrize(("name", "what", "fix"), [
    ("1996", "the rules changed more than once in 1996", "name one of: 1996-08-01, 1996-11-01"),
    ("199", "unknown edition `199`", "did you mean `1999`?"),
    ("1990-01-01", "no rules are in force on 1990-01-01", "name a date from 1994-11-01 on"),
    *((day, f"`{day}` is not a date", "name a date as YEAR-MONTH-DAY")
      for day in ("2001-99-99", "1999-02-30", "1998-00-01")),
])  # fmt: skip
def test_what_names_no_edition_is_refused(name, what, fix):
    fault = fault_of(Edition.on, name)
    assert (str(fault.where), fault.what, fault.fix) == ("$.edition", what, fix)
    assert (fault.kind, bool(fault.why)) == ("unknown-edition", True)


LEDGER = "# a comment\n\n1.1\trule\tHills\t1999\n"


@pytest.mark.parametrize(("line", "what"), [
    ("1.2\trule\tHills", "a line of the ledger has 4 or 5 columns, this one 3"),
    ("1.2 rule Hills 1999", "a line of the ledger has 4 or 5 columns, this one 1"),
    ("1.2\trule\tHills\t1999\tmore\tand", "a line of the ledger has 4 or 5 columns, this one 6"),
    ("1.2\t\tHills\t1999", "a line of the ledger has no number, kind or title"),
])  # fmt: skip
def test_a_line_that_is_none_of_the_ledger(tmp_path, line, what):
    path = tmp_path / "ledger.txt"
    path.write_text(LEDGER)
    assert read_ledger(tmp_path) == {"1.1": LedgerEntry("1.1", "rule", "Hills", "1999")}
    path.write_text(LEDGER + line)
    fault = fault_of(read_ledger, tmp_path, error=RulesetError)
    assert (fault.what, fault.source, str(fault.where)) == (what, line, f"{path}:4:1")
    assert fault.why
    assert fault.fix.startswith("write number, kind, title and the editions that attest it")


def test_sheets_of_ones_own_edition_apply_after_its_date():
    applies, others = applicable_sheets("1996-11-01", ["1997-08-20", "1996-11-01", "1996-08-01", "2002-07-25"])
    assert applies == ["1997-08-20"]
    assert others == ["1996-08-01", "1996-11-01", "2002-07-25"]
    sheets = [name for name in NAMES if "1994" < name < "1999"][1:]
    named = load_model("+".join(["1994-11-01", *sheets])).clauses
    assert named == load_model("1998-01-15").clauses
    owned = consolidated("1996-08-01+1997-08-20").standing
    assert "1997:9.59" in owned
    assert not owned["10.16a"].attested


@pytest.mark.parametrize("spec", ["1997-08-20+1997-08-20", "1998-01-15+2002-07-25", "1999+1996-08-01"])
def test_a_sheet_that_does_not_apply_is_refused(spec):
    assert "does not apply" in fault_of(Edition, spec).what


# ---------------------------------------------------------------------- sheets that somebody does not have
def numbered(edition, number):
    """Give the clauses that bear a number in print, and whose words they are in."""
    rules = consolidated(edition)
    return {ref: how.worded for ref, how in rules.standing.items() if rules.number_of(ref) == number}


def test_a_sheet_gives_in_full_what_it_touches_and_nothing_else():
    # 14.3 was changed in November 1996; the sheet of March 1997 prints it again.
    assert "1996:14.3" in numbered("1996-08-01", "14.3")
    whole = numbered("1997-03-01", "14.3")
    assert set(whole) == {"14.21a", "14.21b", "14.21c"}
    assert numbered("1996-08-01+1997-03-01", "14.3") == whole
    # 9.57 became a numbered rule of its own in November 1996; March 1997 says nothing of it.
    assert consolidated("1996-11-01").standing["9.57a"].attested
    assert not consolidated("1996-08-01+1997-03-01").standing["9.57a"].attested
    assert "2002:13.21" not in consolidated("1999+2016-10-01").standing
    assert "2002:6.0" in consolidated("1999+2016-10-01").standing
    assert "E29" in load_model("2016-10-01").readings
    readings = load_model("1999+2016-10-01").readings
    assert "E29" not in readings
    assert "E36" in readings


def test_no_exception_is_made_to_a_rule_of_a_missing_sheet():
    book, first = layer("book", BOOK, BOOK_TEXT), layer("first", SHEET, SHEET_TEXT)
    second = layer("second", SHEET, LIFTS.replace("clause", "add clause"))
    whole = consolidate([], [book, first, second])
    assert lifted_by("my:1", whole) == ["1", "3"]
    assert lifted_by("my:1", consolidate([], [book, replace(second, whole=whole)], Library.of([first]))) == ["1"]


def lifted_by(ref, rules):
    return [word.text for sentence in rules.standing[ref].clause.sentences for word in sentence.refs]


def lines_with_gaps():
    """Name all rules of somebody who has some sheets after his own rules, but not those in between."""
    infos = list_editions()
    first = next(i for i, info in enumerate(infos) if not info.basis)
    found = []
    for line in (infos[:first], infos[first:]):
        names = [info.name for info in line]
        for index, owned in enumerate(names):
            later = names[index + 1 :]
            chosen = [c for size in range(1, len(later) + 1) for c in combinations(later, size)]
            found += ["+".join([owned, *c]) for c in chosen if list(c) != later[: len(c)]]
    return found


@pytest.mark.parametrize("spec", ["1994-11-01+1996-11-01", "1994-11-01+1997-08-20+1998-01-15", "1999+2016-10-01"])
def test_rules_with_sheets_left_out_compile(spec):
    assert len(load_model(spec).clauses) > 250


@pytest.mark.slow
def test_all_rules_with_sheets_left_out_compile():
    specs = lines_with_gaps()
    assert len(specs) == 43
    for spec in specs:
        assert len(load_model(spec).clauses) > 250, spec


# ---------------------------------------------------------------------- the list of clauses
def attested_in(edition):
    return {number for number, how in consolidated(edition).standing.items() if how.attested}


@pytest.mark.parametrize("edition", [name for name in NAMES if name < "1999"])
def test_what_a_sheet_attests_the_list_of_clauses_attests(edition):
    ledger = read_ledger(game_folder())
    for number, how in consolidated(edition).standing.items():
        if how.worded == edition or (how.attested and how.span and edition in how.span.path):
            assert edition in ledger[number].history, number


def test_attestation_grows_from_sheet_to_sheet():
    counts = [len(attested_in(name)) for name in NAMES if name < "1999"]
    assert counts[0] == 0
    assert counts == sorted(set(counts))


@pytest.mark.parametrize("edition", [name for name in NAMES if name >= "1999"])
def test_from_the_book_on_nothing_is_carried_back(edition):
    assert attested_in(edition) == set(consolidated(edition).standing)
