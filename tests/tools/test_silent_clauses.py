"""No clause can be left out or turned round without a test that notices."""

from functools import cache

from titm_rules.oracle.edition import Edition

from tests.tools.silent_clauses import Corpus, formal_clauses, mutants, reasons, silent


@cache
def found() -> frozenset[tuple[str, str]]:
    return frozenset((mutant.clause, mutant.change) for mutant in silent(Corpus()))


def explained() -> set[tuple[str, str]]:
    return {(clause, change) for clause, changes in reasons().items() for change in changes}


def test_every_silent_change_has_its_reason():
    assert found() - explained() == set()


def test_every_reason_is_still_needed():
    assert explained() - found() == set()


def test_every_formal_clause_is_left_out_once():
    model = Edition("1999").model
    left_out = [mutant.clause for mutant in mutants(model) if mutant.change == "left out"]
    assert left_out == formal_clauses(model)
    assert len(left_out) > 100


def test_the_corpus_is_right_about_the_rules_as_they_are():
    corpus = Corpus()
    assert len(corpus.rows) > 500
    assert [str(row) for row in corpus.failing if not row.wrong] == []
