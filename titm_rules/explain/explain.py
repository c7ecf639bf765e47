"""Explain an answer: findings, a witness, the nearest legal alternative and the deciding readings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations, islice, product
from typing import Any

from titm_rules.diagnostics import Fault
from titm_rules.editions.clause_index import natural_key
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain import verdict as verdicts
from titm_rules.explain.answer_reasons import explain_answers
from titm_rules.explain.choice_reasons import explain_choice, explain_choices, explain_roll
from titm_rules.explain.findings import Reasons
from titm_rules.explain.headline import headline
from titm_rules.explain.route_reasons import explain_closings, explain_cost, explain_ends, explain_path
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import BEGIN, END, Model, Question, head_key
from titm_rules.play.machine import Machine

ChosenReadings = Mapping[str, str]
AskUnder = Callable[[ChosenReadings], BoundQuestion]
AnswerUnder = tuple[Mapping[str, Any], frozenset[str] | None]


class ReadingVariants:
    """Answers to one question under other choices of readings, memoized; `ask_under` puts it again.

    The engine may track the readings that the answer depends on.
    """

    def __init__(self, answer: Mapping[str, Any], ask_under: AskUnder) -> None:
        self._answer, self._ask_under = answer, ask_under
        self._known: dict[tuple[tuple[str, str], ...], AnswerUnder] = {}

    def change(self, choices: ChosenReadings) -> bool:
        """Whether some choices of readings change the answer, if no part of them does.

        Each of them is then asked for while the others are chosen so; what is not asked for need not be chosen.
        """
        plain = self._plain
        if plain is not None:
            if plain.isdisjoint(choices):
                return False
            names = sorted(choices, key=plain.__contains__)  # first those that only others bring up: they fail soonest
            for name in names:
                readings = self._answer_under({one: choice for one, choice in choices.items() if one != name})[1]
                if readings is not None and name not in readings:
                    return False
        return self._answer_under(choices)[0] != self._answer

    @cached_property
    def _plain(self) -> frozenset[str] | None:
        """The readings that the question consults as it is, if that is known."""
        return self._answer_under({})[1]

    def _answer_under(self, choices: ChosenReadings) -> AnswerUnder:
        """Return the answer, and the readings that it consulted, if that is known."""
        key = tuple(choices.items())
        if key not in self._known:
            asked = self._ask_under(choices)
            noted = asked.engine.readings
            answer = asked.answer() if choices or noted is not None else self._answer
            self._known[key] = answer, None if noted is None else frozenset(noted)
        return self._known[key]


def faults_to_begin(machine: Machine) -> list[Fault]:
    return _faults(machine, BEGIN, "correct its fields for the current step, or leave them out")


def faults_to_end(machine: Machine) -> list[Fault]:
    """List the faults for which a game cannot end in a situation; empty if a side has a choice, or it is over."""
    if next(machine.options.listed(), None) is not None:
        return []
    return _faults(machine, END, "start from another step of the turn")


def _faults(machine: Machine, word: str, fix: str) -> list[Fault]:
    key, situation = head_key(machine.world.situation, word), machine.world.situation
    if key not in machine.model.heads or not machine.engine.decide(key, {}):
        return []
    found = Reasons(machine.engine).head(key, {})
    return [
        Fault(one.message, f"$.{situation}", f"{one.clause} {one.title}", fix, kind="impossible-situation")
        for one in dict.fromkeys(found)
        if one.effect == "forbids"
    ]


MAX_DECIDING = 3
MAX_TOGETHER = 2  # where no reading decides alone and nobody asks for more
MAX_TRIED = 300


def explain(asked: BoundQuestion, ask_under: AskUnder, fixed: Collection[str] | None = None) -> verdicts.Verdict:
    """Answer a question and say why.

    `ask_under` puts it again, with some readings chosen otherwise. The readings in `fixed` stay as they are, while of
    all others no choice is fixed; nothing: each reading has its choice, and what another would change is said.
    """
    answer = asked.answer()
    reasons = Reasons(asked.engine)
    witness, nearest = _explain(asked, answer, reasons)
    findings = reasons.ordered()
    changed = partial(
        changing_sets, asked.model, readings_behind(asked), ReadingVariants(answer, ask_under).change, fixed or ()
    )
    if fixed is not None:
        deciding = changed()
    else:  # the readings that alone decide; where none does, the sets of two that do, all of which are minimal
        deciding = changed(largest=1) or changed(largest=MAX_TOGETHER, smallest=MAX_TOGETHER)
    outcome = verdicts.DEPENDS if fixed is not None and deciding else outcome_of(asked.question, answer)
    assumed = assumed_in(asked.model, findings)
    revised = {number: info.revised for number in assumed if (info := asked.model.clauses[number]).revised}
    in_units = verdicts.answer_in_units(asked.question, asked.form, answer)
    return verdicts.Verdict(
        asked.question.name, asked.model.edition, outcome, in_units, findings, witness, nearest, assumed, deciding,
        revised=revised, words=headline(asked, answer, outcome, deciding), digests=asked.model.digests,
    )  # fmt: skip


def assumed_in(model: Model, findings: Iterable[verdicts.Finding]) -> tuple[str, ...]:
    """Name the clauses behind findings that the edition does not attest, each once, in the order of the rulebook."""
    resting = [finding.clause for finding in findings if finding.holds or finding.effect == "lifted"]
    infos = [model.clauses[number] for number in dict.fromkeys(resting) if number in model.clauses]
    return tuple(sorted((info.id for info in infos if not info.attested), key=natural_key))


EXPLAIN: Mapping[str, Callable[[BoundQuestion, Mapping[str, Any], Reasons], verdicts.WitnessAndNearest]] = {
    "path": explain_path, "cost": explain_cost, "ends": explain_ends, "closings": explain_closings,
    "choice": explain_choice, "choices": explain_choices, "roll": explain_roll,
}  # fmt: skip


def _explain(asked: BoundQuestion, answer: Mapping[str, Any], reasons: Reasons) -> verdicts.WitnessAndNearest:
    if verdicts.UNDETERMINED in answer:
        gap = next(holds for what, holds in asked.question.gaps if what == answer[verdicts.UNDETERMINED])
        reasons.watching(lambda: reasons.evaluator.term(gap, asked.env))
        return {}, {}
    return EXPLAIN.get(asked.question.ask, explain_answers)(asked, answer, reasons)


def outcome_of(question: Question, answer: Mapping[str, Any]) -> verdicts.VerdictOutcome:
    """Read yes or no off an answer, where the question has one."""
    if verdicts.UNDETERMINED in answer:
        return verdicts.UNDETERMINED
    if question.ask in ("path", "choice"):
        return verdicts.LEGAL if answer["legal"] else verdicts.ILLEGAL
    if question.ask == "cost":
        return verdicts.LEGAL if answer[question.names[1]] is not None else verdicts.ILLEGAL
    first = next(iter(answer.values()), None)
    if question.ask == "answers" and isinstance(first, bool):
        return verdicts.LEGAL if first else verdicts.ILLEGAL
    return verdicts.ANSWERED


def changing_sets(
    model: Model, behind: Iterable[str], changes: Callable[[ChosenReadings], bool], fixed: Collection[str] = (),
    largest: int = MAX_DECIDING, smallest: int = 1,
) -> tuple[ChosenReadings, ...]:  # fmt: skip
    """Find the minimal choices of readings that change something under the rules, smallest sets first.

    It may depend on the readings `behind` it; those in `fixed` stay as they are. From `smallest` to `largest` readings
    are changed together; fewer are known to change nothing. At most 300 sets are tried, each by asking once.
    """
    found: list[ChosenReadings] = []
    names = sorted(name for name in behind if name not in fixed)
    for choices in islice(_other_choices(model, names, range(smallest, largest + 1)), MAX_TRIED):
        if not any(smaller.items() <= choices.items() for smaller in found) and changes(choices):
            found.append(choices)
    return tuple(found)


def _other_choices(model: Model, names: Sequence[str], sizes: Iterable[int]) -> Iterator[dict[str, str]]:
    others = {
        name: [(name, one) for one in model.readings[name].offered if one != model.reading(name)] for name in names
    }
    for size in sizes:
        for changed in combinations(names, size):
            yield from map(dict, product(*(others[name] for name in changed)))


def readings_behind(asked: BoundQuestion) -> frozenset[str]:
    return dependencies_of(asked.model).of_question(asked.question).readings
