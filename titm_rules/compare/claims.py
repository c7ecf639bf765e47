"""Whether what a rule set claims of itself holds: proved of all positions, refuted by a small situation, or open.

A claim is a question that is to be answered yes wherever it says anything. For a proof its conditions, with all the
definitions behind them, go to the solver, which has to find that no facts refute it. Else it is asked in small worlds,
in growing size and then at random; the reference engine confirms what is found.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from titm_rules.compare.monotone import Certificate, Comparison
from titm_rules.compare.results import Search
from titm_rules.compare.rule_pair import (
    Data,
    Json,
    ModelPair,
    QuestionRunner,
    checked_runner,
    specialize,
)
from titm_rules.compare.shrink import shrink
from titm_rules.compare.small_worlds import (
    DeclaredWorlds,
    RandomWorld,
    Worlds,
    WorldSampler,
    derived_inputs,
    focused,
    likely,
)
from titm_rules.compare.smt import Encoding
from titm_rules.diagnostics import InputError
from titm_rules.engines.factory import make_engine
from titm_rules.formats.file_schemas import SearchFile
from titm_rules.ir import model as ir
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.terms import Var

PROVED, REFUTED, OPEN = "proved", "refuted", "open"
EVERY_READING, CHOSEN_READINGS = "under every reading", "under the chosen readings"
LISTED, DRAWN = 600, 200  # situations of each kind of worlds
SIMPLER = 300  # drafts that are tried to make a drawn situation simpler
Readings = Mapping[str, str]


@dataclass(frozen=True)
class Refutation:
    """A situation in which a claim does not hold, by the rules under some readings besides those chosen."""

    situation: str
    data: Data
    inputs: Data
    size: int
    worlds: str
    readings: Readings = field(default_factory=dict)


@dataclass
class ClaimResult:
    """What is known of a claim.

    Attributes:
        verdict: of the chosen readings.
        under: of which readings a proof speaks; empty without a proof.
        refutation: a situation from which no record can be left out; of a claim that is not refuted, one under another
            reading.
        possible: values of facts with which the solver cannot rule out that it fails.
        searches: how far the search went that found nothing.
    """

    claim: str
    says: str
    verdict: str = OPEN
    under: str = ""
    refutation: Refutation | None = None
    possible: Sequence[str] = ()
    certificates: list[Certificate] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)

    def record(self) -> Json:
        """Write it as JSON, without the certificates."""
        found = None if self.refutation is None else asdict(self.refutation)
        return {
            "claim": self.claim, "says": self.says, "verdict": self.verdict, "under": self.under or None,
            "refutation": found, "possible": list(self.possible),
            "searches": [{"worlds": one.worlds, "size": one.size, "asked": one.asked} for one in self.searches],
        }  # fmt: skip


def check_claims(
    model: ir.Model, search: SearchFile | None, names: Iterable[str] = (), seconds: float = 0.0
) -> Iterator[ClaimResult]:
    """Prove or refute the claims of a rule set, all or some; without a `search` none is refuted.

    With `seconds` small worlds are asked so long for each claim that is not proved: half of the time they are listed,
    and not up to a number, then they are drawn at random.
    """
    wanted = set(names)
    for name, claim in model.claims.items():
        if not wanted or name in wanted:
            yield _checked(model, claim, search, seconds)


def lost_claims(first: ir.Model, second: ir.Model, search: SearchFile | None) -> Iterator[ClaimResult]:
    """Check the claims of both rules that are proved of the first, and not of the second as widely."""
    both = [(first.claims[name], claim) for name, claim in second.claims.items() if name in first.claims]
    lost = [one.name for one, other in both if _proof(first, one)[0] > _proof(second, other)[0]]
    yield from check_claims(second, search, lost) if lost else ()


def _checked(model: ir.Model, claim: ir.Question, search: SearchFile | None, seconds: float) -> ClaimResult:
    result = ClaimResult(claim.name, claim.says)
    _, result.under, result.certificates, result.possible = _proof(model, claim)
    result.verdict = PROVED if result.under else OPEN
    if search is None or result.under == EVERY_READING:
        return result
    if result.verdict != PROVED:
        result.refutation = ClaimSearch(model, claim, search, seconds).find(result.searches)
        result.verdict = OPEN if result.refutation is None else REFUTED
    for readings in _others(model, claim) if result.refutation is None else ():
        found = ClaimSearch(model.with_readings(readings), claim, search, seconds).find([])
        if found is not None:
            result.refutation = replace(found, readings=readings)
            break
    return result


def _proof(model: ir.Model, claim: ir.Question) -> tuple[int, str, list[Certificate], Sequence[str]]:
    """Prove a claim of all readings, or else of those chosen; give also how wide the proof is, or else what refutes it.

    The second rules have no reading left open.
    """
    possible: Sequence[str] = ()
    for wide, rules, under in ((2, model, EVERY_READING), (1, specialize(model), CHOSEN_READINGS)):
        certificate, possible = prove_claim(rules, claim)
        if certificate is not None:
            return wide, under, [certificate], ()
    return 0, "", [], possible


def _others(model: ir.Model, claim: ir.Question) -> Iterator[Readings]:
    """Yield each other choice of a reading that a claim depends on, one at a time."""
    for name in sorted(dependencies_of(model).of_question(claim).readings):
        reading = model.readings[name]
        yield from ({name: choice} for choice in reading.offered if choice != model.reading(name))


# ---------------------------------------------------------------------- proof
def prove_claim(model: ir.Model, claim: ir.Question) -> tuple[Certificate | None, Sequence[str]]:
    """Prove that a claim holds in every position in which no definition has a gap or a conflict.

    Without a proof give the values of facts that the solver found to refute it, which may be those of no position.
    """
    [(_, holds)] = claim.answers
    assert holds.term is not None
    encoding = Encoding((model,), Comparison(model, model, deep=True), claim.situation, deep=True)
    wrong = [] if holds.when is None else [encoding.flag(0, holds.when)]
    opposite = encoding.all([*wrong, encoding.z3.Not(encoding.flag(0, holds.term))])
    for spec in (one for one in claim.inputs if one.type.kind == "number"):
        value = encoding.amount(0, Var(spec.name.replace("_", "-"), spec.type)).value
        encoding.bounds += [value >= spec.type.low] if spec.type.low is not None else []
        encoding.bounds += [value <= spec.type.high] if spec.type.high is not None else []
    encoding.link()
    text, possible = encoding.never(opposite)
    return (Certificate(f"claim {claim.name}", "it never fails", text) if text else None), possible


# ---------------------------------------------------------------------- search
class ClaimSearch:
    """Asks a claim in small worlds, under the chosen readings of a model."""

    def __init__(self, model: ir.Model, claim: ir.Question, search: SearchFile, seconds: float = 0.0) -> None:
        self.model = replace(model, questions={**model.questions, claim.name: claim})
        self.claim, self.search, self.seconds = claim, search, seconds
        self._reference = partial(make_engine, "reference", self.model)

    def find(self, searches: list[Search]) -> Refutation | None:
        """Return a situation of needed records in which the claim fails; note how far each kind was searched."""
        grounds, found = list(self._grounds()), list[Refutation]()
        for name, worlds in grounds:
            most = min([one.size for one in found], default=worlds.largest + 1)
            self._list(name, worlds, most, len(grounds), searches, found)
        for name, worlds in grounds if not found else ():
            self._draw(name, worlds, len(grounds), searches, found)
        smallest = min(found, key=lambda one: one.size, default=None)
        return None if smallest is None else self._least(smallest)

    def _least(self, found: Refutation) -> Refutation:
        """Leave out what the claim does not need to fail."""
        fewer = shrink(self.model, self.claim, found.data, found.inputs, self._refutes)
        return found if fewer is None else replace(found, data=fewer[0].data, inputs=fewer[1])

    def _grounds(self) -> Iterator[tuple[str, Worlds]]:
        """Yield kinds of worlds in which all that the claim depends on varies."""
        declared = DeclaredWorlds(ModelPair(self.model, self.model), self.claim)
        self._reads = declared.reads
        for name, spec in self.search.worlds.items():
            if spec.situation == self.claim.situation:
                focus = focused(spec, self.model, declared.reads, others=True)
                takes = derived_inputs(focus, self.model, self.claim, declared.reads)
                if takes is not None:
                    yield name, Worlds(focus, takes)
        if (worlds := declared.worlds(declared.reads, others=True)) is not None:
            yield "declared", worlds

    def _list(
        self, name: str, worlds: Worlds, most: int, share: int, searches: list[Search], found: list[Refutation]
    ) -> None:
        """Ask worlds in growing size below `most`, until the claim fails; note the largest size that is finished."""
        until, asked, size = time.monotonic() + self.seconds / 2 / share, 0, -1
        for size in range(most):
            last, runner = None, QuestionRunner("", {})
            for data, inputs in worlds.of_size(size):
                if (time.monotonic() > until) if self.seconds else asked == LISTED:
                    searches.append(Search(name, worlds.finished(size - 1), asked))
                    return
                asked += 1
                try:
                    checked, raw = checked_runner(self.model, self.claim, data, inputs)
                except InputError:
                    continue
                if data is not last:
                    last, runner = data, checked
                if self._fails(runner, raw):
                    found.append(Refutation(self.claim.situation, runner.data, raw, size, name))
                    return
        searches.append(Search(name, worlds.finished(size), asked))

    def _draw(self, name: str, worlds: Worlds, share: int, searches: list[Search], found: list[Refutation]) -> None:
        """Ask worlds drawn at random; make the first in which the claim fails as simple as can be."""
        often = likely(self.model, self.claim.situation, self._reads)
        sampler, rng = WorldSampler(worlds, often), random.Random(self.claim.name)
        until, number = time.monotonic() + self.seconds / 2 / share, 0
        while number < DRAWN or time.monotonic() < until:
            number += 1
            draft = sampler.draw(rng)
            if self._refutes(*sampler.made(draft)) is not None:
                draft = self._simplest(sampler, draft)
                runner, raw = self._refutes(*sampler.made(draft)) or (QuestionRunner("", {}), {})
                found.append(Refutation(self.claim.situation, runner.data, raw, sampler.size(draft), name))
                break
        searches.append(Search(name, None, number))

    def _simplest(self, sampler: WorldSampler, draft: RandomWorld) -> RandomWorld:
        simpler, tried = sampler.simpler(draft), 0
        while tried < SIMPLER and (one := next(simpler, None)) is not None:
            tried += 1
            if self._refutes(*sampler.made(one)) is not None:
                draft, simpler = one, sampler.simpler(one)
        return draft

    def _refutes(self, data: Data, inputs: Data) -> tuple[QuestionRunner, Json] | None:
        with suppress(InputError):
            runner, raw = checked_runner(self.model, self.claim, data, inputs)
            if self._fails(runner, raw):
                return runner, raw
        return None

    def _fails(self, runner: QuestionRunner, inputs: Data) -> bool:
        """Whether a claim fails in a situation that can be, by two engines."""
        with suppress(InputError):
            if runner.is_possible(self.model):
                fails = {ir.CLAIMED: False}
                return bool(
                    runner.answer(self.model, self.claim, inputs) == fails
                    and runner.answer(self.model, self.claim, inputs, self._reference) == fails
                )
        return False
