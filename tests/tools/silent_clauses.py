"""Find the clauses that no test notices.

The clauses are those of the edition, and those that special rules of scenarios put on top. Every
clause with formal sentences is left out, and each of its conditions is turned into its opposite;
then the rows of the clause tables and the conformance cases are asked again. A change after which
every answer is the same is silent: the rules could be wrong there and no test would tell.
`silent_reasons.toml` gives the reason of each silent change that is right to be so.
"""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from titm_rules.editions.house_rules import special_rules
from titm_rules.ir.applicability import negation
from titm_rules.ir.dependencies import dependencies_of
from titm_rules.ir.model import Head, Lift, Model, Statement
from titm_rules.ir.terms import Logic, Term
from titm_rules.oracle.edition import Edition

from tests.clauses.corpus import conformance_rows, table_rows
from tests.clauses.rows import Row
from tests.coverage.collect import NOTICED, own_clauses

REASONS = Path(__file__).with_name("silent_reasons.toml")
EDITION = "1999"
Sentence = Statement | Lift


@dataclass(frozen=True, eq=False)
class EditionOf(Edition):
    """An edition whose rules are given."""

    rules: Model | None = None

    @cached_property
    def model(self) -> Model:
        assert self.rules is not None
        return self.rules


@dataclass(frozen=True)
class Mutant:
    """The rules with one change to one clause."""

    clause: str
    change: str
    model: Model


# ---------------------------------------------------------------------- changing rules
def mutants(model: Model, clauses: Iterable[str]) -> Iterator[Mutant]:
    """Yield every change to clauses that decide something."""
    for clause in clauses:
        yield Mutant(clause, "left out", model.without_clause(clause))
        yield from negations(model, clause)


def rules_on_top() -> list[tuple[str, ...]]:
    """List what is put on top of the edition: nothing, then the special rules of each scenario."""
    return [(), *((overlay,) for overlay in special_rules())]


def own_formal_clauses(overlays: tuple[str, ...]) -> list[str]:
    """Name the clauses with formal sentences of the edition, or of what is put on top of it, in printed order."""
    edition = Edition(EDITION, overlays=overlays)
    deciding = {sentence.clause for head in edition.model.heads.values() for sentence in head.sentences}
    return [clause for clause in edition.model.clauses if clause in deciding & own_clauses(edition)]


def negations(model: Model, clause: str) -> Iterator[Mutant]:
    """Yield each change to a condition; a sentence that stands in several heads changes in all of them."""
    seen = set()
    for key, head in model.heads.items():
        own = [s for s in head.sentences if s.clause == clause and s.when is not None]
        for number, sentence in enumerate(own, 1):
            if sentence in seen:
                continue
            seen.add(sentence)
            for part, when in opposites(sentence.when):
                new = replace(sentence, when=when)
                changed = {name: with_sentence(other, sentence, new) for name, other in model.heads.items()}
                yield Mutant(clause, f"{key} sentence {number} {part} negated", replace(model, heads=changed))


def opposites(when: Term | None) -> Iterator[tuple[str, Term]]:
    """Yield a condition with the whole of it, and each part that `and` joins, negated."""
    assert when is not None
    yield "condition", negation(when)
    if isinstance(when, Logic) and when.op == "all":
        for number, part in enumerate(when.parts):
            parts = (*when.parts[:number], negation(part), *when.parts[number + 1 :])
            yield f"part {number + 1}", replace(when, parts=parts)


def with_sentence(head: Head, old: Sentence, new: Any) -> Head:
    if old not in head.sentences:
        return head
    return replace(
        head,
        statements=tuple(new if s == old else s for s in head.statements),
        lifts=tuple(new if s == old else s for s in head.lifts),
    )


# ---------------------------------------------------------------------- asking again
class Corpus:
    """Questions to an edition, with known answers.

    Attributes:
        overlays: what is put on top of the edition.
        rows: those of this edition that the rules as they are answer rightly.
        failing: the others; they would seem to notice every change, so they are not asked again.
    """

    def __init__(self, overlays: tuple[str, ...] = (), engine: str = "compiled") -> None:
        self.overlays, self.engine = overlays, engine
        self._editions: dict[tuple[tuple[str, str], ...], Edition] = {}
        self._noticed: dict[int, int] = {}  # by row: when it has noticed a change
        asked = (*table_rows(), *conformance_rows())
        rows = [row for row in asked if row.overlays == overlays and row.edition == EDITION]
        self.failing = [row for row in rows if self.differs(row, self.edition(row).model)]
        self.rows = [row for row in rows if row not in self.failing]

    def edition(self, row: Row) -> Edition:
        key = tuple(sorted(row.readings.items()))
        if key not in self._editions:
            self._editions[key] = Edition(EDITION, row.readings, self.engine, overlays=self.overlays)
        return self._editions[key]

    def notices(self, mutant: Mutant) -> Row | None:
        """Find a row whose answer is another one under the changed rules.

        Its own rows are tried first, then those that have noticed a change before, the last ones first. Own rows are
        asked once: what plays and what searches is asked of engines that need not compile the rules for it.
        """
        models: dict[tuple[tuple[str, str], ...], Model] = {}
        heads = Edition(EDITION, overlays=self.overlays).model.heads
        changed = frozenset(key for key, head in heads.items() if mutant.model.heads.get(key) != head)
        for row in sorted(self.rows, key=lambda row: (row.clause != mutant.clause, -self._noticed.get(id(row), 0))):
            if not self.may_notice(row, changed):
                continue
            key = tuple(sorted(row.readings.items()))
            model = models.setdefault(key, mutant.model.with_readings(row.readings))
            question = model.questions.get(row.query)
            plain = "reference" if question is None else "library" if question.form in model.forms else self.engine
            if self.differs(row, model, plain if row.clause == mutant.clause else self.engine):
                self._noticed[id(row)] = len(self._noticed) + 1
                return row
        return None

    def may_notice(self, row: Row, changed: frozenset[str]) -> bool:
        """Whether what a row asks depends on heads that were changed; a row that plays rests on all."""
        model = self.edition(row).model
        question = model.questions.get(row.query)
        return question is None or not changed.isdisjoint(dependencies_of(model).of_question(question).heads)

    def differs(self, row: Row, model: Model, engine: str = "") -> bool:
        engine = engine or self.engine
        try:
            found = row.ask(EditionOf(EDITION, row.readings, engine, overlays=self.overlays, rules=model))
        except NOTICED:
            return True
        return found != row.expected


def silent(corpus: Corpus, clauses: Iterable[str]) -> list[Mutant]:
    """List the changes to clauses that nothing notices."""
    model = Edition(EDITION, overlays=corpus.overlays).model
    return [mutant for mutant in mutants(model, clauses) if corpus.notices(mutant) is None]


def reasons() -> dict[str, dict[str, str]]:
    """Read the reasons of silent changes: clause, then change, then reason."""
    return tomllib.loads(REASONS.read_text(encoding="utf-8"))
