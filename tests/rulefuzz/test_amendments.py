"""Random amendments of the shipped rules: the engines, the explanation and the comparison agree on them.

Clauses are added, replaced, deleted and lifted, under random conditions. An amendment is added to a checked model,
which takes milliseconds. The checks of all clauses together (sentences without effect, conflicts) are skipped, so a
question may be undecided.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from titm_rules.checker.clauses import ClauseChecker
from titm_rules.checker.expressions import ExpressionChecker
from titm_rules.checker.nullability import infer_nullability
from titm_rules.checker.schema import Faults, Schema
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.editions.load import load_model
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Model, Question
from titm_rules.syntax.parser import parse_rules

from tests.rulefuzz.asking import UNDECIDED, Json, answer, disagreement, unexplained
from tests.rulefuzz.writer import Words, Writer
from tests.sampling import one_in
from tests.worlds import BATTLE_QUERIES, POSITION_QUERIES, random_case

OWN = "fuzz:1"


class Amendment:
    """One random change of some rules.

    Attributes:
        text: the added clause; empty if one is only deleted.
        gone: the clause that is replaced or deleted.
    """

    def __init__(self, rng: Random, model: Model, heads: list[str]) -> None:
        self.rng, self.model = rng, model
        self.key = rng.choice(heads)
        self.head = model.heads[self.key]
        self.text = self.gone = ""
        clauses = [sentence.clause for sentence in self.head.sentences if sentence.clause in model.clauses]
        way = rng.choice(("add", "add", "replace", "delete", "lift")) if clauses else "add"
        if way in ("replace", "delete"):
            self.gone = rng.choice(clauses)
        if way in ("add", "replace"):
            self.text = self._clause(self._sentence(clauses))
        elif way == "lift":
            self.text = self._clause(f"lifts {rng.choice(clauses)} when {self._writer().flag(2)}.")

    def _clause(self, sentence: str) -> str:
        return f'clause {OWN} "Fuzz" "Something else."\n  {sentence}\n'

    def _writer(self) -> Writer:
        model, rests = self.model, dependencies_of(self.model)
        asks = [
            key
            for key, basis in ((key, rests.of_head(key)) for key in model.heads if "." not in key)
            if self.key not in basis.heads and (self.head.stateful or not basis.picks)
        ]
        words = Words(model.enums, model.records, model.readings, model.heads, model.forms)
        target = ""
        form = model.forms.get(self.key.partition(".")[0])
        if self.head.stateful and form is not None:
            target = form.target[0]  # type: ignore[union-attr]
        return Writer(self.rng, words, self.head.situation, dict(self.head.params), asks, target)

    def _sentence(self, clauses: list[str]) -> str:
        name, _, word = self.key.partition(".")
        when = f" when {self._writer().flag(self.rng.randint(0, 2))}"
        amount = self._writer().number(1)
        instead = f" instead of {self.rng.choice(clauses)}" if clauses and self._replaces() else ""
        if self.head.mode == "bar":
            return f"{name} may not {word}{when}."
        if self.head.mode == "any" and not word:
            return f"{name} holds{when}."
        said = {
            "stop": "must stop", "goal": "ends", "cost": f"costs {amount}{instead}",
            "adds": f'adds {amount} "fuzz"{instead}', "points": f"has {amount} points{instead}",
            "factor": f"succeeds on {amount}{instead}",
        }  # fmt: skip
        if word in said:
            return f"{name} {said[word]}{when}."
        if self.head.type.kind == "enum":
            amount = self.rng.choice(self.model.enums[self.head.type.name].values)
        return f"{name} is {amount}{instead}{when}."

    def _replaces(self) -> bool:
        return self.head.mode == "value" or self.rng.random() < 0.3

    def amended(self) -> Model | None:
        """Return the amended rules; `None` if they are not sound, as when a clause refers to a deleted one."""
        model = self.model.without_clause(self.gone) if self.gone else self.model
        if not self.text:
            return model
        faults = Faults()
        schema = Schema(faults, dict(model.enums), dict(model.records), {}, dict(model.readings))
        checker = ExpressionChecker(schema, dict(model.heads))
        clauses = ClauseChecker(checker, (), model.events, dict(model.clauses))
        for key, head in model.heads.items():
            clauses.statements[key], clauses.lifts[key] = list(head.statements), list(head.lifts)
        [clause] = parse_rules(self.text, "fuzz.rules").clauses
        clauses.add(clause)
        clauses.finish()
        if faults.found:
            return None
        return infer_nullability(replace(model, heads=checker.heads, clauses=clauses.infos))


WORLDS = 2


@cache
def shipped() -> Model:
    return load_model("1999")


def drawn(seed: int) -> tuple[Question, Amendment, Model] | None:
    """Draw a question and an amendment that may change its answer; `None` if other clauses need a deleted one."""
    rng, model = Random(seed), shipped()
    question = model.questions[rng.choice(BATTLE_QUERIES + POSITION_QUERIES)]
    heads = sorted(key for key in dependencies_of(model).of_question(question).heads if key not in model.forms)
    amendment = Amendment(rng, model, heads)
    amended = amendment.amended()
    return (question, amendment, amended) if amended is not None else None


def faults(question: Question, amended: Model, rng: Random) -> Iterator[str]:
    """Ask the amended rules about random cases; yield what is wrong."""
    pair = ModelPair(shipped(), amended)
    for number in range(WORLDS):
        inputs: Json = dict(random_case(rng, question.name)["input"])
        situation = inputs.pop(question.situation)
        found = disagreement(amended, question, situation, inputs)
        if found:
            yield f"{question.name} {inputs} in {situation}: {found}"
        if number == 0 and (wrong := unexplained(amended, question, situation, inputs)):
            yield f"{question.name} {inputs} in {situation}: {wrong}"
        if wrong := compared(pair, question, situation, inputs):
            yield f"{question.name} {inputs} in {situation}: {wrong}"


def compared(pair: ModelPair, question: Question, situation: Json, inputs: Json) -> str:
    """Say what the comparison gets wrong: that nothing differs, or what makes the difference."""
    first, second = (answer(model, "compiled", question, situation, inputs) for model in (pair.first, pair.second))
    if first == second or UNDECIDED in (first, second):
        return ""
    changed = pair.changed_for(question)
    if not changed:
        return f"called equivalent, but {first} became {second}"
    mixed = answer(pair.mixture_for(question, changed), "compiled", question, situation, inputs)
    return "" if mixed == second else f"with {changed} the answer is {mixed} and not {second}"


def faults_of(seeds: range) -> list[str]:
    found = []
    for seed in seeds:
        case = drawn(seed)
        if case is not None:
            question, amendment, amended = case
            found += [
                f"{fault}\n{amendment.gone} {amendment.text}" for fault in faults(question, amended, Random(seed))
            ]
    return found


@pytest.mark.parametrize("part", one_in(3, range(3)))
def test_engines_reasons_and_comparison_agree_on_random_amendments(part):
    assert faults_of(range(part * 12, part * 12 + 12)) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(40))
def test_engines_reasons_and_comparison_agree_on_a_thousand_amendments(part):
    assert faults_of(range(1_000 + part * 30, 1_030 + part * 30)) == []
