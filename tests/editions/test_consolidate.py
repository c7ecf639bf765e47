"""Documents in the order of their dates: what is in force, and what cannot be."""

import pytest
from titm_rules.diagnostics import InputError, RulesetError
from titm_rules.editions.consolidate import BOOK, CARRIED, OVERLAY, SHEET, Layer, Library, consolidate
from titm_rules.editions.load import (
    applicable_sheets,
    consolidated,
    edition_on,
    game_folder,
    list_editions,
    load_model,
    read_ledger,
)
from titm_rules.oracle.edition import Edition
from titm_rules.syntax.parser import parse_rules

HILL = 'clause {} "Hills" "A hex of height 3 is a hill."\n  hill holds when height of h is 3.\n'
BOOK_TEXT = HILL.format("1") + HILL.format("2a") + HILL.format("2b")
NAMES = [info.name for info in list_editions()]


def layer(name: str, kind: str, text: str) -> Layer:
    return Layer(name, kind, (parse_rules(text, f"{name}.rules"),))


def after(*sheets: str):
    layers = [layer("book", BOOK, BOOK_TEXT)]
    layers += [layer(f"sheet {number}", SHEET, text) for number, text in enumerate(sheets, 1)]
    return consolidate([], layers).standing


def fault_of(*sheets: str):
    with pytest.raises(RulesetError) as caught:
        after(*sheets)
    [fault] = caught.value.faults
    return fault


def test_a_book_gives_its_clauses():
    assert {number: (how.worded, how.attested) for number, how in after().items()} == {
        "1": ("book", True), "2a": ("book", True), "2b": ("book", True)
    }  # fmt: skip


def test_sheets_add_up():
    standing = after("delete 1.", HILL.format("3").replace("clause", "add clause"), "restate 2a as 7.")
    assert list(standing) == ["2a", "2b", "3"]
    assert (standing["2a"].number, standing["2a"].worded, standing["2a"].how) == ("7", "sheet 3", "restates")
    assert standing["3"].worded == "sheet 2"


def test_a_deleted_clause_may_come_back_later():
    standing = after("delete 1.", HILL.format("1").replace("clause", "add clause"))
    assert standing["1"].worded == "sheet 2"


def test_a_clause_keeps_its_place_when_its_text_is_replaced():
    standing = after(HILL.format("1").replace("clause", "replace clause"))
    assert list(standing) == ["1", "2a", "2b"]
    assert standing["1"].worded == "sheet 1"


def test_amending_what_an_earlier_sheet_deleted_shows_where_it_was_deleted():
    fault = fault_of("delete 1.", "# later\nrestate 1.")
    assert (fault.what, fault.why) == ("clause 1 is not in force", "it was deleted before")
    assert (str(fault.where), [str(span) for span in fault.also]) == ("sheet 2.rules:2:9", ["sheet 1.rules:1:8"])


def test_two_amendments_of_one_date_show_both_places():
    fault = fault_of("restate 2a.\ndelete 2a.")
    assert (fault.what, fault.why) == ("2a is amended twice", "both amendments are of sheet 1")
    assert (str(fault.where), [str(span) for span in fault.also]) == ("sheet 1.rules:2:8", ["sheet 1.rules:1:9"])


def test_adding_what_is_in_force_shows_both_places():
    fault = fault_of(HILL.format("1").replace("clause", "add clause"))
    assert fault.what == "clause 1 is in force already"
    assert (str(fault.where), [str(span) for span in fault.also]) == ("sheet 1.rules:1:12", ["book.rules:1:8"])


def test_an_exception_to_a_deleted_clause_shows_both_places():
    text = 'add clause 4 "Woods" "A wood is no hill."\n  lifts 1 when wood of h.\n'
    fault = fault_of(text, "delete 1.")
    assert fault.what == "clause 4 names 1, which was deleted"
    assert (str(fault.where), [str(span) for span in fault.also]) == ("sheet 1.rules:2:9", ["sheet 2.rules:1:8"])


def test_a_text_takes_the_place_of_one_that_was_carried_back():
    layers = [
        layer("1999", CARRIED, BOOK_TEXT), layer("1994", CARRIED, ""),
        layer("1996", SHEET, HILL.format("1").replace("clause", "add clause") + "\nattest 2a by \"an example\".\n"),
    ]  # fmt: skip
    standing = consolidate([], layers).standing
    assert [standing[number].attested for number in ("1", "2a", "2b")] == [True, True, False]
    assert standing["1"].worded == "1996"


def test_an_overlay_amends_like_a_sheet():
    layers = [layer("book", BOOK, BOOK_TEXT), layer("mine", OVERLAY, "delete 2b.")]
    assert list(consolidate([], layers).standing) == ["1", "2a"]


LIFTS = 'clause my:1 "Flat" "There are no hills."\n  lifts 1, 3 in hill.\n'
SHEET_TEXT = HILL.format("3").replace("clause", "add clause")


def test_an_overlay_makes_no_exception_to_clauses_that_only_other_editions_have():
    book, sheet = layer("book", BOOK, BOOK_TEXT), layer("sheet", SHEET, SHEET_TEXT)
    library = Library.of([book, sheet])
    rules = consolidate([], [book, layer("mine", OVERLAY, LIFTS)], library)
    [sentence] = rules.standing["my:1"].clause.sentences
    assert [ref.text for ref in sentence.refs] == ["1"]
    rules = consolidate([], [book, sheet, layer("mine", OVERLAY, LIFTS)], library)
    assert [ref.text for ref in rules.standing["my:1"].clause.sentences[0].refs] == ["1", "3"]
    rules = consolidate([], [book, layer("mine", OVERLAY, LIFTS.replace("1, 3", "3"))], library)
    assert [sentence.kind for sentence in rules.standing["my:1"].clause.sentences] == ["silent"]


def test_an_overlay_names_no_clause_that_it_deletes():
    text = "delete 1.\n" + LIFTS.replace("1, 3", "1")
    with pytest.raises(RulesetError) as caught:
        consolidate([], [layer("book", BOOK, BOOK_TEXT), layer("mine", OVERLAY, text)])
    assert [fault.what for fault in caught.value.faults] == ["clause my:1 names 1, which was deleted"]


# ---------------------------------------------------------------------- the editions that ship
@pytest.mark.parametrize(
    ("date", "edition"),
    [
        ("1994-11-01", "1994-11-01"), ("1996-07-31", "1994-11-01"), ("1996-08-01", "1996-08-01"),
        ("1998-06-01", "1998-01-15"), ("1999", "1999"), ("2001-09-09", "1999"), ("2030-01-01", "2016-10-01"),
    ],
)  # fmt: skip
def test_any_date_gives_the_rules_in_force(date, edition):
    assert edition_on(date) == edition


def test_before_the_first_edition_nothing_is_in_force():
    with pytest.raises(InputError) as caught:
        edition_on("1990-01-01")
    assert caught.value.faults[0].what == "no rules are in force on 1990-01-01"


def test_only_sheets_after_the_date_of_ones_rules_apply():
    applies, others = applicable_sheets("1996-11-01", ["1997-08-20", "1996-11-01", "1996-08-01", "2002-07-25"])
    assert applies == ["1997-08-20"]
    assert others == ["1996-08-01", "1996-11-01", "2002-07-25"]


def test_all_sheets_on_the_oldest_rules_give_the_last_of_them():
    sheets = [name for name in NAMES if "1994" < name < "1999"][1:]
    named = load_model("+".join(["1994-11-01", *sheets])).clauses
    assert named == load_model("1998-01-15").clauses


def test_a_sheet_may_be_missing_if_nothing_rests_on_it():
    owned = consolidated("1996-08-01+1997-08-20").standing
    assert "1997:9.59" in owned
    assert not owned["10.16a"].attested


@pytest.mark.parametrize("spec", ["1997-08-20+1997-08-20", "1998-01-15+2002-07-25", "1999+1996-08-01"])
def test_a_sheet_that_does_not_apply_is_refused(spec):
    with pytest.raises(InputError) as caught:
        Edition(spec)
    assert "does not apply" in caught.value.faults[0].what


def test_a_sheet_that_rests_on_a_missing_one_is_refused_with_its_place():
    with pytest.raises(RulesetError) as caught:
        load_model("1994-11-01+1996-11-01")
    assert "clause 14.21a is not in force" in [fault.what for fault in caught.value.faults]


# ---------------------------------------------------------------------- the list of clauses
def attested_in(edition: str) -> set[str]:
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
