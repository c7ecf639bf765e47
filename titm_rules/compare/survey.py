"""What an atlas asks: which editions, which small worlds, and which editions say the same."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from titm_rules.compare.answers import Bench, compare, on_one_vocabulary
from titm_rules.compare.causes import cause_of
from titm_rules.compare.find import SEARCH_FILE, read_search
from titm_rules.compare.grades import grade_of
from titm_rules.compare.rules import ModelPair
from titm_rules.compare.worlds import Worlds
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.editions.games import game_folder
from titm_rules.editions.load import load_model, rules_digest
from titm_rules.editions.named import edition_on, list_editions
from titm_rules.formats.jsonin import bad
from titm_rules.formats.search import Survey
from titm_rules.formats.values import check_input
from titm_rules.rules.model import Model, Question
from titm_rules.rules.rests import rests_of

FORMAT = 2
LARGEST = 6
Json = dict[str, Any]


@dataclass(frozen=True)
class AtlasPlan:
    """What an atlas compares.

    Attributes:
        editions: their names, oldest first; every pair of them is compared.
        most: at most so many records in each group of a world, in order; the last goes for further ones.
    """

    editions: tuple[str, ...]
    most: tuple[int, ...]
    game: str = ""

    @property
    def digest(self) -> str:
        """A name for the results: another one if the rules, the search file or the plan change."""
        found = hashlib.sha256(repr((FORMAT, self.editions, self.most)).encode())
        found.update((game_folder(self.game) / SEARCH_FILE).read_bytes())
        for name in self.editions:
            found.update(rules_digest(name, self.game).encode())
        return found.hexdigest()[:16]


@dataclass
class Prepared:
    """A survey made ready: its worlds, the editions by what they say of the question, and pairs of those.

    Attributes:
        classes: editions that say the same, oldest first; one of each is asked.
        models: a model for each class.
        pairs: by the numbers of two classes, their rules.
        named: the rules of each edition.
        known: what was found, by all of a world that plays a part.
    """

    survey: Survey
    question: Question
    worlds: Worlds
    classes: list[list[str]]
    models: list[Model]
    pairs: dict[tuple[int, int], ModelPair]
    named: Mapping[str, Model]
    known: dict[str, list[Json]] = field(default_factory=dict)

    def rows(self, data: Json, inputs: Json) -> list[Json]:
        """Ask a world of all classes, or remember it if it differs from one that was asked in idle fields alone."""
        plain = {name: self._plain(name, value) for name, value in data.items()}
        key = json.dumps([plain, inputs])
        if key not in self.known:
            situation = self.question.situation
            raw = check_input(self.models[-1], self.question, {**inputs, situation: data}, "$")
            bench = Bench(situation, raw.pop(situation))
            self.known[key] = list(self._differences(bench, raw))
        return self.known[key]

    def _plain(self, name: str, value: Any) -> Any:
        idle = self.survey.idle.get(name)
        if not idle:
            return value
        return sorted(({field: v for field, v in one.items() if field not in ("id", *idle)} for one in value), key=str)

    def _differences(self, bench: Bench, inputs: Json) -> Iterator[Json]:
        """Yield a row for every two classes that answer differently."""
        known: dict[int, Any] = {}

        def answer(model: Model) -> Any:
            if id(model) not in known:
                known[id(model)] = bench.answer(model, self.question, inputs)
            return known[id(model)]

        for (a, b), pair in self.pairs.items():
            first, second = answer(pair.first), answer(pair.second)
            if first != second:
                cause = cause_of(pair, self.question, answer, second)
                less, more = compare(self.question, first, second)
                yield {
                    "classes": [a, b], "inputs": inputs, "cause": [list(names) for names in cause.sets],
                    "count": 1, "more": int(more), "less": int(less),
                }  # fmt: skip

    @property
    def grades(self) -> Mapping[str, str]:
        """How well each edition attests what the question rests on."""
        return {name: str(grade_of(self.named[name], self._clauses(name))) for names in self.classes for name in names}

    def _clauses(self, name: str) -> Iterable[str]:
        return rests_of(self.named[name]).of_question(self.question).clauses

    @property
    def parts(self) -> int:
        """How many parts there are to ask; none if all editions say the same."""
        return self.worlds.parts() if len(self.classes) > 1 else 0


def plan_of(names: list[str], every: bool, most: str, game: str = "") -> AtlasPlan:
    """Plan what to compare: editions by name or date, or all; sizes as `2x2`.

    Raises:
        InputError: for fewer than two editions, or sizes that are none.
    """
    sizes = re.fullmatch(r"(\d{1,2})(?:x(\d{1,2}))*", most)
    numbers = tuple(int(part) for part in most.split("x")) if sizes else ()
    if not numbers or not all(1 <= number <= LARGEST for number in numbers):
        raise bad(
            f"`{most}` is not a size", "--max", f"write numbers from 1 to {LARGEST} with x between them", "bad-value"
        )
    infos = list_editions(game)
    if every:
        return AtlasPlan(tuple(info.name for info in infos), numbers, game)
    chosen = {edition_on(name, game) for name in names}
    if len(chosen) < 2:
        raise InputError([Fault("an atlas compares two editions or more", "A B", "", "name them, or give --all")])
    dated = {info.name: info.dated for info in infos}
    return AtlasPlan(tuple(sorted(chosen, key=lambda name: dated.get(name, name))), numbers, game)


@lru_cache(maxsize=4)
def prepare(plan: AtlasPlan) -> tuple[Prepared, ...]:
    """Make the surveys of a plan ready; once in a process.

    Raises:
        InputError: for an unknown edition or question.
    """
    search = read_search(plan.game)
    models = {name: load_model(name, plan.game) for name in plan.editions}
    found = []
    for survey in search.atlas:
        known = models[plan.editions[-1]].questions
        if survey.question not in known:
            fix = did_you_mean(survey.question, known)
            raise InputError([Fault(f"unknown question `{survey.question}`", SEARCH_FILE, "", fix)])
        places = range(len(plan.most)) if survey.bounds is None else survey.bounds
        most = [plan.most[min(place, len(plan.most) - 1)] for place in places]
        worlds = Worlds(search.worlds[survey.world], survey.takes, most)
        found.append(_prepared(survey, known[survey.question], worlds, models))
    return tuple(found)


def _prepared(survey: Survey, question: Question, worlds: Worlds, models: Mapping[str, Model]) -> Prepared:
    classes: list[list[str]] = []
    for name, model in models.items():
        alike = (one for one in classes if not ModelPair(models[one[0]], model).changed_for(question))
        found = next(alike, None)
        if found is None:
            classes.append([name])
        else:
            found.append(name)
    asked = on_one_vocabulary([models[names[0]] for names in classes])
    pairs = {
        (a, b): ModelPair(asked[a], asked[b], tuple(asked)) for a, b in itertools.combinations(range(len(asked)), 2)
    }
    return Prepared(survey, question, worlds, classes, asked, pairs, models)
