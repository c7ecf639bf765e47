"""The sentences of the rules are short: formal or restated, no more than forty words."""

import pytest
from docs.tools.rule_words import LONGEST, measured, sentences, texts, words

CLAUSE = 'clause 1 "Title"\n  "Restated."\n  move costs 1 when {condition}{says}.\n'


def test_no_sentence_of_a_clause_or_course_is_over_forty_words():
    assert measured(texts(""))[2] == []


@pytest.mark.parametrize(
    ("more", "says", "found"),
    [
        (LONGEST - 4, "", []),
        (LONGEST - 3, "", ["41 words"]),
        (LONGEST - 4, ' says "told to a reader. It decides nothing"', []),
    ],
    ids=["forty words", "one more", "what it says is not counted"],
)
def test_what_is_counted(more: int, says: str, found: list[str]):
    rules = {"x.rules": CLAUSE.format(condition="w " * (more - 1) + "w", says=says)}
    assert [one.split(": ")[2] for one in measured(rules)[2]] == found


def test_a_number_with_a_point_ends_no_sentence():
    assert [words(one) for one in sentences(" lifts 8.33-minor when x. see 8.2b.")] == [4, 2]
