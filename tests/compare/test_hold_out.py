"""Each historical sheet is taken away and planned on its predecessor: what it is known to have changed is reported.

`python -m tests.compare.test_hold_out` prints the table: known, found in cases, found by search, proved.
"""

from functools import cache, partial
from itertools import pairwise

import pytest
from titm_rules.compare.corpus import CHANGE, read_corpus
from titm_rules.compare.edition_diff import compared
from titm_rules.compare.plan import Sheet, make_plan
from titm_rules.compare.results import PLAY
from titm_rules.compare.rule_pair import QuestionRunner, difference
from titm_rules.editions.registry import list_editions
from titm_rules.oracle.edition import Edition

from tests.editions.changes import CHANGES

PAIRS = list(pairwise(info.name for info in list_editions()))
# What shows in play only: the pair of editions that changed it, and the clauses that did.
IN_PLAY = {8: (("1996-11-01", "1997-03-01"), {"14.3"}), 15: (("1998-01-15", "1999"), {"9.14b"})}


@cache
def planned(pair):
    unknown = [case for case in read_corpus() if case.kind != CHANGE]  # the known differences are what is to be found
    return make_plan(Sheet(compared(*pair), " to ".join(pair)), unknown)


def answer(name, change):
    found = Edition(name).answer(change.query, change.input)
    return {key: found[key] for key in change.before.answer}


def known():
    """Give the pair that made each known difference, its question, and the reading that it settles, if any."""
    for change in CHANGES:
        date, *readings = change.before.edition.split()
        names = [info.name for info in list_editions()]
        first, last = names.index(date), names.index(change.after.edition)
        between = [pair for pair in PAIRS if first <= names.index(pair[0]) < last]
        if readings:
            yield change.row, between[-1], change, readings[0].partition("=")[0]
        else:
            turned = [pair for pair in between if answer(pair[0], change) != answer(pair[1], change)]
            yield from ((change.row, pair, change, "") for pair in turned)


@cache
def causes(pair, row):
    """Name the clauses that make a known difference between a pair of editions."""
    change = next(one for one in CHANGES if one.row == row)
    asked = planned(pair).sheet.two.second.ask(change.query, change.input)
    runner = QuestionRunner(asked.question.situation, asked.world.data)
    both = planned(pair).pair
    found = difference(both, asked.question, partial(runner.answer, question=asked.question, inputs=asked.raw))
    return found.cause.clauses


def found_in(pair, change, reading):
    """Say whether a plan reports a difference of the same cause in its cases, and whether its search alone does."""
    plan = planned(pair)
    if reading:
        return reading in [one.name for one in plan.readings], False
    wanted = causes(pair, change.row)
    searched = (one.cause.clauses for result in plan.searches.values() for one in result.found)
    return any(wanted & one.cause.clauses for one in plan.run.changes), any(wanted & one for one in searched)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_what_a_sheet_is_known_to_have_changed_is_reported(pair):
    rows = [(row, found_in(pair, change, reading)) for row, where, change, reading in known() if where == pair]
    assert [row for row, found in rows if not any(found)] == []
    plan = planned(pair)
    for row, (where, clauses) in IN_PLAY.items():
        if where == pair:
            seen = [one.cause.clauses for one in plan.run.changes if one.question == PLAY]
            seen += [one.cause.clauses for one in plan.searches[PLAY].found] if PLAY in plan.searches else []
            assert any(clauses & one for one in seen), row


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_what_a_plan_reports_is_no_invention(pair):
    """Each changed case has a cause among the clauses that changed, and none is of a question proved alike."""
    plan = planned(pair)
    assert all(one.cause.clauses <= {*plan.changed, ""} for one in plan.run.changes)
    proved = {one.question for one in plan.questions() if one.how.startswith("proved") and one.relation == "equivalent"}
    assert not proved & {one.question for one in plan.run.changes}


def main():
    """Print the table."""
    for pair in PAIRS:
        rows = [(row, *found_in(pair, change, reading)) for row, where, change, reading in known() if where == pair]
        proved = sum(one.how.startswith("proved") for one in planned(pair).questions())
        count = len(list(planned(pair).questions()))
        in_cases, by_search = (sum(row[at] for row in rows) for at in (1, 2))
        neither = [row[0] for row in rows if not (row[1] or row[2])]
        idle = planned(pair).open
        print(f"{' to '.join(pair)}: known {len(rows)}, in cases {in_cases}, by search {by_search}, "
              f"proved {proved} of {count} questions, missed {neither}, open clauses {idle}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
