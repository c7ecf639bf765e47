"""Random amendments of checked rules: clauses added, replaced, deleted and lifted, under random conditions.

An amendment is added to a checked model, which takes milliseconds. The checks of all clauses together (sentences
without effect, conflicts) are skipped, so a question may be undecided.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from titm_rules.checker.clauses import ClauseChecker
from titm_rules.checker.expressions import ExpressionChecker
from titm_rules.checker.nullability import infer_nullability
from titm_rules.checker.schema import Faults, Schema
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Head, Model
from titm_rules.syntax.parser import parse_rules

from tests.rulefuzz.writer import Words, Writer

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
        match self.head, word:
            case Head(mode="bar"), _:
                return f"{name} may not {word}{when}."
            case Head(mode="any"), "":
                return f"{name} holds{when}."
            case _, "stop":
                return f"{name} must stop{when}."
            case _, "goal":
                return f"{name} ends{when}."
            case _, "cost":
                return f"{name} costs {amount}{instead}{when}."
            case _, "adds":
                return f'{name} adds {amount} "fuzz"{instead}{when}.'
            case _, "points":
                return f"{name} has {amount} points{instead}{when}."
            case _, "factor":
                return f"{name} succeeds on {amount}{instead}{when}."
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
