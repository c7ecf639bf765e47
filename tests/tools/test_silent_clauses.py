"""No clause can be left out or turned round without a test that notices."""

import pytest
from titm_rules.oracle.edition import Edition

from tests.sampling import one_in
from tests.tools.silent_clauses import Corpus, mutants, own_formal_clauses, reasons, rules_on_top, silent

HALVES = [slice(0, 100), slice(100, None)]  # clauses of the edition itself: two parts can be tried side by side
PARTS = [(overlays, part) for overlays in rules_on_top() for part in ([slice(0, None)] if overlays else HALVES)]


@pytest.mark.parametrize(("overlays", "part"), one_in(2, PARTS))
def test_every_silent_change_has_its_reason_and_every_reason_is_needed(overlays, part):
    own = own_formal_clauses(overlays)[part]
    explained = {(clause, change) for clause, changes in reasons().items() for change in changes if clause in own}
    corpus = Corpus(overlays)
    assert len(corpus.rows) > (10 if overlays else 500)
    assert [str(row) for row in corpus.failing] == []
    found = {(mutant.clause, mutant.change) for mutant in silent(corpus, own)}
    assert (found - explained, explained - found) == (set(), set())


def test_every_reason_is_of_a_clause_that_decides():
    assert set(reasons()) <= {clause for overlays in rules_on_top() for clause in own_formal_clauses(overlays)}


@pytest.mark.parametrize("overlays", rules_on_top())
def test_every_formal_clause_is_left_out_once(overlays):
    model, own = Edition("1999", overlays=overlays).model, own_formal_clauses(overlays)
    assert [mutant.clause for mutant in mutants(model, own) if mutant.change == "left out"] == own
    assert len(own) >= (5 if overlays else 100)
