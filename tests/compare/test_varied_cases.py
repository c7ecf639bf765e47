"""Questions like known cases: what is otherwise in them, simpler ones, and what only they show."""

import random
from functools import cache

import pytest
from titm_rules.compare.corpus import listed_cases, read_corpus
from titm_rules.compare.counterexamples import KNOWN, PairRun, SearchSession, read_search, silent
from titm_rules.compare.plan import open_sheet
from titm_rules.compare.results import SEARCHED, QuestionResult
from titm_rules.compare.rule_pair import side_by_side
from titm_rules.compare.small_worlds import SentenceReads
from titm_rules.compare.varied_cases import CaseSampler
from titm_rules.editions.load import load_model

from tests.compare.test_random_edits import NEWEST, changes_of

CASE = next(case for case in listed_cases() if case.query == "check_path" and "7.1c" in case.clauses)
STRENGTH = SentenceReads(frozenset({("unit", "strength")}), frozenset({7}))


def sampler(*scopes):
    model = load_model("1999")
    return CaseSampler(model, model.questions["check_path"], [[CASE.inputs]], scopes or [STRENGTH])


def drafts(drawing, many=200):
    rng = random.Random(1)
    return [drawing.draw(rng) for _ in range(many)]


def test_only_what_is_read_the_inputs_and_the_number_of_pieces_are_otherwise():
    drawing, strengths, counts = sampler(), set(), set()
    known = {unit["id"]: unit for unit in CASE.inputs["position"]["units"]}
    for draft in drafts(drawing):
        data, inputs = drawing.made(draft)
        assert inputs.keys() >= {"units", "path"}
        assert {**data, "units": ()} == {**CASE.inputs["position"], "units": ()}
        for unit in data["units"]:
            like = known[unit["id"].partition("-")[0]]
            assert {**unit, "id": "", "strength": 0} == {**like, "id": "", "strength": 0}
            strengths.add(unit["strength"])
        counts.add(len(data["units"]))
    assert strengths >= {3, 4, 5, 7}  # as in the case, one more, and one that clauses name
    assert counts >= {2, 3, 4, 5}


def test_two_values_change_places_everywhere():
    drawing = sampler(SentenceReads(frozenset({("unit", "side"), ("position", "side_to_move"), ("zone", "owner")})))
    turned = [
        {data["side_to_move"], *(row["side"] for row in data["units"]), *(row["owner"] for row in data["zones"])}
        for data, _ in map(drawing.made, drafts(drawing))
    ]  # fmt: skip
    assert {"Allied"} in turned


def test_the_same_is_drawn_again():
    assert [draft.whole for draft in drafts(sampler())] == [draft.whole for draft in drafts(sampler())]


def test_simpler_ones_say_one_thing_less_otherwise_or_lack_a_record():
    drawing = sampler()
    draft = max(drafts(drawing), key=lambda one: len(one.steps))
    simpler = list(drawing.simpler(draft))
    records = sum(len(CASE.inputs["position"][name]) for name in ("units", "areas", "zones", "connections"))
    assert len(simpler) == len(draft.steps) + records
    assert all(len(one.steps) == len(draft.steps) - 1 for one in simpler[: len(draft.steps)])
    assert all(one.steps == draft.steps for one in simpler[len(draft.steps) :])
    assert drawing.size(simpler[0]) != drawing.size(draft)


def test_a_draft_is_begun_with_if_something_is_learnt_from_it():
    drawing = sampler()
    first, second, third = drafts(drawing, 3)
    legal, illegal = (lambda: {"legal": True}), (lambda: {"legal": False})
    drawing.learn(first, [legal, legal])
    drawing.learn(second, [legal, legal])
    drawing.learn(third, [legal, illegal])
    begun = [one for one in (first, second, third) if any(
        draft.steps[: len(one.steps)] == one.steps and len(draft.steps) > len(one.steps) for draft in drafts(drawing)
    )]  # fmt: skip
    assert first in begun
    assert third in begun
    assert second not in begun


# Changes that make answers differ, and that no situation derived from clauses and declarations shows.
HARD = [
    ("bitterwoods", "9.results", "most of (hexes of crt-result of result of fight, {0 => 1})", "advances"),
    ("bitterwoods", "9.results", "most of (hexes of crt-result of result of fight, {0 => 1})", "check_advance"),
    ("bitterwoods", "9.7.supply-road", "{highest => lowest}", "retreats"),
    ("bitterwoods", "9.7.off-map", "gone is {at least => more than} way-home of u", "retreats"),
    ("titm", "7.1c", "{more than => at least} 4", "check_path"),
    ("bitterwoods", "28.1", "brigade-11-29 {and => or}", "peiper_advance"),
]


@cache
def corpus(game):
    return read_corpus(game)


@pytest.mark.parametrize(("game", "clause", "told", "query"), [
    HARD[0], *(pytest.param(*one, marks=pytest.mark.slow) for one in HARD[1:]),
])  # fmt: skip
def test_what_hardly_shows_elsewhere_shows_like_known_cases(game, clause, told, query, tmp_path):
    [text] = [mutant.text(text) for _, mutant, text in changes_of(game, clause) if told in mutant.told(text)]
    path = tmp_path / "sheet.rules"
    path.write_text(f"replace {text}", encoding="utf-8")
    pair = side_by_side(open_sheet(str(path), game=game, on=NEWEST[game]).two.pair)
    question = pair.second.questions[query]
    finder = PairRun(pair, read_search(game), cases=corpus(game))
    [near] = [one for one in finder.grounds(question) if one.name == KNOWN]
    session = SearchSession(pair, question, QuestionResult(query, SEARCHED, clauses=[clause]), silent)
    session.search(near)
    assert {str(one.cause) for one in session.result.found} == {clause}
