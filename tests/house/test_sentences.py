"""The sentences of the rules are short: formal or restated, no more than forty words."""

from docs.tools.rule_words import measured, sentences, texts, words

CLAUSE = 'clause 1 "Title"\n  "Restated."\n  move costs 1 when {condition}{says}.\n'


def test_no_sentence_of_a_clause_or_course_is_over_forty_words():
    assert measured(texts(""))[2] == []


def test_words_are_counted_but_for_those_that_a_clause_says():
    for count, says, found in (
        (40, "", []), (41, "", ["41 words"]), (40, ' says "told to a reader. It decides nothing"', []),
    ):  # fmt: skip
        rules = {"x.rules": CLAUSE.format(condition=" ".join("w" * (count - 4)), says=says)}
        assert [one.split(": ")[2] for one in measured(rules)[2]] == found


def test_a_number_with_a_point_ends_no_sentence():
    assert [words(one) for one in sentences(" lifts 8.33-minor when x. see 8.2b.")] == [4, 2]
