"""The verdict: the question, the outcome, the findings and the alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias

from titm_rules.ir.model import Answer, Form, Question, Route, RuleDigests
from titm_rules.ir.types import amount
from titm_rules.world.records import in_unit


def answer_in_units(question: Question, form: Form | None, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the same answer, in which the numbers of a measure are amounts."""
    if question.ask == "answers":
        parts = dict(question.answers)
        return {name: _in_unit(parts[name], value) if name in parts else value for name, value in answer.items()}
    if not isinstance(form, Route) or form.measure is None:
        return answer
    return {name: _priced(form, value) for name, value in answer.items()}


def _priced(route: Route, value: Any) -> Any:
    """Write what a route costs: a number, or numbers by place; whatever else it is stays."""
    if isinstance(value, Mapping):
        return {place: _priced(route, cost) for place, cost in value.items()}
    return amount(route.measure, value) if type(value) is int else value


def _in_unit(answer: Answer, value: Any) -> Any:
    match answer.kind:
        case "term" if answer.term is not None:
            return in_unit(answer.term.type, value)
        case "record":
            parts = dict(answer.parts)
            return {name: _in_unit(parts[name], one) for name, one in value.items()}
        case "each" if answer.parts:
            return {name: _in_unit(answer.parts[0][1], one) for name, one in value.items()}
        case "list" if answer.parts:
            return [_in_unit(answer.parts[0][1], one) for one in value]
    return value


VerdictOutcome: TypeAlias = Literal["legal", "illegal", "depends", "answered", "undetermined"]
Effect: TypeAlias = Literal[
    "forbids", "rests", "also", "lifts", "counts", "gives", "lifted", "unmet", "exception", "considered"
]
LEGAL: Final = "legal"
ILLEGAL: Final = "illegal"
DEPENDS: Final = "depends"
ANSWERED: Final = "answered"
UNDETERMINED: Final = "undetermined"
LABELS = {
    LEGAL: "Legal", ILLEGAL: "Not legal", DEPENDS: "It depends on the reading", ANSWERED: "Answer",
    UNDETERMINED: "Not determined",
}  # fmt: skip
EXIT_CODES = {LEGAL: 0, ANSWERED: 0, ILLEGAL: 1, DEPENDS: 3, UNDETERMINED: 3}
WitnessAndNearest = tuple[Mapping[str, Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one clause says of one question.

    Attributes:
        clause: its number; `title` and `says` are its title and restatement.
        edition: the edition that words it.
        holds: true if it counts in this case, false if it was considered and does not.
        effect: forbids, also (would forbid it too), rests (leads to what forbids, or closes another
            way), counts (adds to a cost or a die), gives, lifts; or for what does not hold: lifted,
            unmet (what the answer would need), exception and considered.
        where: the step, shot or unit that it was asked about; empty: the whole question.
        message: one sentence for a player.
        looked_at: what made its condition true: pieces by id.
    """

    clause: str
    title: str
    says: str
    edition: str
    holds: bool
    effect: Effect
    where: str
    message: str
    looked_at: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values."""
        return {name: getattr(self, name) for name in _FIELDS} | {"looked_at": list(self.looked_at)}

    @property
    def placed(self) -> str:
        """The message, with its place in front if it does not name it."""
        return self.message if not self.where or self.where in self.message else f"{self.where}: {self.message}"


_FIELDS = tuple(one.name for one in fields(Finding))


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer with its reasons.

    Attributes:
        outcome: legal, illegal, depends, or answered (the question has no yes or no).
        answer: the plain answer of the protocol.
        findings: every clause that decided, the failing ones first.
        witness: a route, an allocation, a blocker that shows it; empty if there is none.
        nearest: the nearest legal alternatives, by name; empty if it is legal.
        assumed: clauses behind the answer that the edition does not attest.
        revised: those of them that a later sheet reworded, each with that sheet.
        deciding: choices of readings that would change the answer, smallest sets first.
        notes: warnings about the data, such as that a map is reconstructed.
        digests: those of the rules that were asked.
        words: the question with what was given, and the answer, in words; empty for an action.
    """

    query: str
    edition: str
    outcome: VerdictOutcome
    answer: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()
    witness: Mapping[str, Any] = field(default_factory=dict)
    nearest: Mapping[str, Any] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    deciding: tuple[Mapping[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    revised: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    digests: RuleDigests = field(default_factory=RuleDigests)

    @property
    def exit_code(self) -> int:
        """Exit code for a shell: 0 legal or answered, 1 illegal, 3 depends."""
        return EXIT_CODES[self.outcome]

    @property
    def depends_on(self) -> dict[str, tuple[str, ...]]:
        """The readings that alone would change the answer, each with the choices that do."""
        found: dict[str, tuple[str, ...]] = {}
        for choices in self.deciding:
            if len(choices) == 1:
                [(name, choice)] = choices.items()
                found[name] = (*found.get(name, ()), choice)
        return found

    @property
    def clauses(self) -> tuple[str, ...]:
        """Numbers of the clauses that decided, the failing ones first, each once."""
        return tuple(dict.fromkeys(f.clause for f in self.findings if f.holds))

    @property
    def failing(self) -> tuple[Finding, ...]:
        """What forbids it."""
        return tuple(f for f in self.findings if f.effect == "forbids" and f.holds)

    @property
    def is_negative(self) -> bool:
        """Whether the answer is false, null, or a list of nothing."""
        values = (value for name, value in self.answer.items() if name != "sha256")
        return self.outcome == ILLEGAL or all(
            all(one is None for one in value.values()) if isinstance(value, Mapping) else value in (False, None, [])
            for value in values
        )

    @property
    def unmet(self) -> tuple[Finding, ...]:
        """The clauses that were asked and of which nothing holds, each once: with them the answer would be another."""
        holding = set(self.clauses)
        found = {one.clause: one for one in self.findings if one.effect == "unmet" and one.clause not in holding}
        return tuple(found.values())

    @property
    def plain_reason(self) -> str:
        """Say why it is not legal where no clause is broken: no such connection, no such choice."""
        if self.outcome != ILLEGAL or self.failing:
            return ""
        first_bad = self.witness.get("first_bad_step") or {}
        unconnected = self.witness.get("unconnected")
        goals = [
            f"{one.clause}, {one.title}" for one in self.findings if one.effect == "unmet" and one.where == unconnected
        ]
        ends = [unconnected] if isinstance(unconnected, str) else unconnected or []
        apart = f"no connection leads from {' to '.join(ends)}" if ends else ""
        apart += f" to a place of {' or '.join(goals)}" if goals else ""
        return str(first_bad.get("step") or self.witness.get("why") or apart)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON values."""
        return {
            "query": self.query,
            "edition": self.edition,
            "outcome": self.outcome,
            "answer": dict(self.answer),
            "sentence": self.sentence(),
            **self.explanation(),
        }

    def explanation(self) -> dict[str, Any]:
        """Give the reasons as the protocol writes them."""
        return {
            "why": [finding.to_dict() for finding in self.findings],
            "witness": dict(self.witness) or None,
            "nearest": dict(self.nearest) or None,
            "assumed": list(self.assumed),
            **({"revised": dict(self.revised)} if self.revised else {}),
            "depends_on": {name: list(choices) for name, choices in self.depends_on.items()},
            "deciding": [dict(choices) for choices in self.deciding],
            **({"notes": list(self.notes)} if self.notes else {}),
            "digests": {"rules": self.digests.rules, "wording": self.digests.wording},
        }

    @property
    def headline(self) -> str:
        """Say the question and its answer in a sentence each; of an action only the outcome."""
        return self.words or f"{self.label}."

    @property
    def label(self) -> str:
        """Say the outcome in a word or two."""
        answered = next(iter(self.answer.values()), None)
        if "legal" not in self.answer and isinstance(answered, bool):
            return "Yes" if answered else "No"
        return LABELS[self.outcome]

    @property
    def alternatives(self) -> tuple[str, ...]:
        """Say what would be legal instead, a sentence each."""
        return tuple(_alternatives(self.nearest))

    def sentence(self) -> str:
        """Say the verdict in words, with the clauses that decide."""
        reasons = [f"{f.clause} ({f.placed})" for f in self.failing]
        said = f"{self.words.removesuffix('.')}," if self.words else self.label
        text = f"{said} under the rules of {self.edition}"
        if reasons and self.is_negative:
            text += ": " + "; ".join(dict.fromkeys(reasons))
        elif self.plain_reason:
            text += f": {self.plain_reason}"
        elif self.outcome == ANSWERED and self.is_negative and self.unmet:
            text += f": nothing meets {', '.join(finding.clause for finding in self.unmet)}"
        elif self.clauses:
            text += f", by {', '.join(self.clauses[:6])}"
        for name, choices in self.depends_on.items():
            text += f"; the answer changes if reading {name} is {' or '.join(choices)}"
        return text + "."


def _alternatives(nearest: Mapping[str, Any]) -> Iterator[str]:
    prefix = nearest.get("longest_prefix", ())
    if len(prefix) > 1:
        last = prefix[-1].replace("!", "the attempt at ")
        yield f"legal as far as {last}: {', '.join(prefix)}"
    if "legal_route" in nearest and nearest["legal_route"] != prefix:
        yield f"legal instead: {', '.join(nearest['legal_route'])} (cost {nearest['cost']})"
    if "declared" in nearest:
        (name, value), *cost = nearest["declared"].items()
        yield f"legal with {name}={'yes' if value else 'no'}" + (f" (cost {cost[0][1]})" if cost else "")
    if "later" in nearest:
        now, then = nearest["later"]["now"], nearest["later"]["then"]
        there = f"{then[-1]} there" if nearest["later"].get("closing") else f"from there to {then[-1]}"
        yield f"legal as two moves: to {now[-1]} now, then {there} in a later move"
    if "legal_action" in nearest:
        many = "" if nearest["changes"] == 1 else "s"
        yield f"legal instead: {nearest['legal_action']} ({nearest['changes']} change{many})"
    if "order" in nearest:
        yield f"legal in another order: {nearest['order']}"
    elif "legal_choice" in nearest:
        many = "" if nearest["changes"] == 1 else "s"
        yield f"legal instead: {nearest['legal_choice'] or 'none'} ({nearest['changes']} change{many})"
