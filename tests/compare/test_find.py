"""The search finds the known differences by itself."""

import pytest
from titm_rules.compare.find import LIKE, SAME_CLAUSES, SEARCHED, find_differences, read_search
from titm_rules.compare.rules import Pair
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model
from titm_rules.oracle.edition import Edition

SEARCH = read_search()


def search(first: str, second: str, query: str):
    [result] = find_differences(Pair(load_model(first), load_model(second)), SEARCH, [query])
    return result


# What the sheets are known to have changed: the clause, and how the newer edition stands to the older.
KNOWN = [
    ("1998-01-15", "1999", "artillery_targetings", {"+9.46d"}, "incomparable"),
    ("1997-03-01", "1999", "special_forces_options", {"-1996:14.2"}, "more permissive"),
    ("1997-08-20", "1998-01-15", "special_forces_options", {"1996:14.2"}, "more permissive"),
    ("1996-08-01", "1996-11-01", "special_forces_options", {"+14.21b"}, "less permissive"),
    ("1998-01-15", "1999", "construction_options", {"+10.14b", "+10.14c", "+10.14b or +10.14c"}, "less permissive"),
    ("1998-01-15", "1999", "attack_status", {"+10.14b"}, "incomparable"),
    ("1998-01-15", "1999", "demolition_options", {"+14.23c"}, "more permissive"),
    ("1999", "2002-07-25", "vp_at_turn_end", {"+2002:12.22b"}, "less permissive"),
    ("1999", "2002-07-25", "contingent_release", {"+2002:11.34"}, "less permissive"),
]


@pytest.mark.parametrize(("first", "second", "query", "causes", "verdict"), KNOWN)
def test_known_differences_are_found(first, second, query, causes, verdict):
    result = search(first, second, query)
    assert result.how == SEARCHED
    assert {str(found.cause) for found in result.found} == causes
    assert result.verdict == verdict


def test_nothing_smaller_differs():
    """Every situation before the first found one is answered alike, also by the other engine."""
    result = search("1998-01-15", "1999", "construction_options")
    first = result.found[0]
    older, newer = (Edition(name, engine="naive") for name in ("1998-01-15", "1999"))
    hunt = next(hunt for hunt in SEARCH.find if hunt.question == "construction_options")
    worlds = Worlds(SEARCH.worlds[hunt.world], hunt.takes)
    asked = [
        (size, older.answer(hunt.question, given), newer.answer(hunt.question, given))
        for size in range(first.size + 1)
        for data, inputs in worlds.of_size(size)
        for given in [{"position": data, **inputs}]
    ]
    differ = [number for number, (_, one, other) in enumerate(asked, 1) if one != other]
    assert differ[0] == first.number
    assert asked[first.number - 1][0] == first.size


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "causes"),
    [
        ("1997-08-20", "1999", {"-1997:9.59", "+9.53a"}),
        ("1998-01-15", "1999", {"-1998:9.52", "+9.53a with -1998:9.52"}),
    ],
)
def test_known_differences_of_fire_are_found(first, second, causes):
    result = search(first, second, "fire_allocations")
    assert {str(found.cause) for found in result.found} == causes


def test_a_check_is_as_its_list():
    result = search("1998-01-15", "1999", "artillery_sequence_legal")
    assert (result.how, result.like, result.verdict) == (LIKE, "artillery_targetings", "incomparable")


def test_no_search_where_the_same_clauses_decide():
    result = search("1999", "2002-07-25", "fire_allocations")
    assert (result.how, result.verdict, result.asked) == (SAME_CLAUSES, "equivalent", 0)


def test_an_unknown_question_is_bad_input():
    with pytest.raises(InputError, match="unknown query `fires`"):
        search("1998-01-15", "1999", "fires")


def test_every_question_that_ever_changed_is_searched():
    """So that `titm diff --find` never has to pass."""
    oldest, newest = load_model("1994-11-01"), load_model("2016-10-01")
    pair = Pair(oldest, newest)
    searched = {hunt.question for hunt in SEARCH.find}
    forms = {newest.questions[name].form for name in searched} - {""}
    changed = {q.name for q in newest.questions.values() if pair.changed_for(q)}
    assert {name for name in changed if name not in searched and newest.questions[name].form not in forms} == set()
