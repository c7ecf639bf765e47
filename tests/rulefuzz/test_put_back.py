"""Mutation tests: random rules find bugs that once were there."""

from collections.abc import Callable
from random import Random

import pytest
from titm_rules.checker import forms
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.engines.compiled import equivalence
from titm_rules.ir import dependencies
from titm_rules.ir.model import RecordSpec
from titm_rules.world import world
from titm_rules.world.records import record_class

from tests.rulefuzz.asking import UNDECIDED, answer, disagreement, trial
from tests.rulefuzz.programs import Program

MOST = 300
Wrong = Callable[[Program, Random], bool]


def engines_differ(program: Program, rng: Random) -> bool:
    """Whether the engines disagree, or one fails."""
    for question, situation, inputs in trial(rng, program, 3):
        try:
            if disagreement(program.model, question, situation, inputs):
                return True
        except (AttributeError, KeyError, TypeError):
            return True
    return False


def equivalence_is_wrong(program: Program, rng: Random) -> bool:
    """Whether rules without a clause give another answer although the comparison calls them equivalent."""
    model, clauses = program.model, list(program.model.clauses)
    pairs = [ModelPair(model, model.without_clause(clause)) for clause in rng.sample(clauses, min(8, len(clauses)))]
    for question, situation, inputs in trial(rng, program, 3):
        for pair in (pair for pair in pairs if not pair.changed_for(question)):
            answers = [answer(each, "compiled", question, situation, inputs) for each in (pair.first, pair.second)]
            if UNDECIDED not in answers and answers[0] != answers[1]:
                return True
    return False


def found_in(wrong: Wrong, seeds: range, forms: tuple[str, ...] = ()) -> int | None:
    """Find the first seed whose rules show that something is wrong."""
    for seed in seeds:
        rng = Random(seed)
        program = Program.sound(rng, forms)
        if program is not None and wrong(program, rng):
            return seed
    return None


# The bugs:
def rolls_are_not_followed(patch: pytest.MonkeyPatch) -> None:
    """Pieces that differ in a roll alone counted as alike."""
    patch.setattr(equivalence, "Roll", type("Nothing", (), {}))


def interruptions_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    """A comparison did not know that a path depends on interruptions."""
    patch.setitem(dependencies._WORDS, "path", dependencies._WORDS["closings"])  # type: ignore[arg-type]


def names_are_shared(patch: pytest.MonkeyPatch) -> None:
    """The number that the engine gives a record was kept in its field `index`."""

    def shared(spec: RecordSpec) -> type:
        made = record_class(spec)
        own = () if hasattr(made, "index") else ("index",)
        number = property(lambda one: one.index, lambda one, value: setattr(one, "index", value))
        return type(made.__name__, (made,), {"__slots__": own, "index_": number})

    patch.setattr(world, "record_class", shared)


def forms_are_not_checked(patch: pytest.MonkeyPatch) -> None:
    """Counts of picks and traces of routes with givens passed the checks anywhere."""
    patch.setattr(forms.FormChecker, "check", lambda *_: None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("put_back", "wrong", "forms"),
    [
        (rolls_are_not_followed, engines_differ, ("climb", "pair")),
        (interruptions_are_forgotten, equivalence_is_wrong, ("march",)),
        (names_are_shared, engines_differ, ("pair", "volley")),
        (forms_are_not_checked, engines_differ, ()),
    ],
)
def test_random_rules_find_what_was_wrong(monkeypatch, put_back, wrong, forms):
    put_back(monkeypatch)
    seed = found_in(wrong, range(MOST), forms)
    assert seed is not None
    monkeypatch.undo()
    assert found_in(wrong, range(seed, seed + 1), forms) is None


@pytest.mark.parametrize("part", range(2))
def test_what_is_called_equivalent_answers_alike(part):
    assert found_in(equivalence_is_wrong, range(part * 15, part * 15 + 15)) is None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_what_is_called_equivalent_answers_alike_in_a_thousand_rules(part):
    assert found_in(equivalence_is_wrong, range(1_000 + part * 100, 1_100 + part * 100)) is None
