"""Prove how heads of two editions stand to each other, or that those of one edition have neither conflict nor gap.

Each claim is put to an SMT solver (z3) as its opposite: no values of the facts make that true. A fact is a term that is
not taken apart, as in the checks of clauses against each other. The same term is the same fact in both editions, unless
it depends on a head that is not proved to be equal. So a proof holds for every position, but values that refute a claim
are only possible: it is not known whether a position has them. A second solver (cvc5) can repeat each proof.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

from titm_rules.checker.consistency import show_term
from titm_rules.compare.edition_diff import reading_differences
from titm_rules.compare.rule_pair import EQUIVALENT, NARROWER, WIDER, Json, ModelPair
from titm_rules.formats.safe_json import bad
from titm_rules.ir import model as ir
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.dependencies import dependencies_of, head_terms
from titm_rules.ir.terms import Arithmetic, Compare, Const, Logic, Member, Term, Var

FORMAT = 1
TIMEOUT_MS = 5_000  # for one claim
FREE, CONFLICT, GAP = "free of conflicts and gaps", "conflict", "gap"
OPEN, NOT_COMPARED, ONE_ONLY = "open", "not compared", "in one edition only"
_ORDERS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
_ENCODED = ("number", "enum", "flag")


def solver(name: str = "z3") -> ModuleType:
    """Import a solver. Raises `InputError` if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        what, fix = f"proofs need the package {name}", "pip install 'titm_rules[proofs]'"
        raise bad(what, name, fix, "not-installed") from None


# ---------------------------------------------------------------------- results
@dataclass(frozen=True)
class Certificate:
    """A claim about a head that is proved: its opposite as SMT-LIB, which no values satisfy."""

    head: str
    claim: str
    smt2: str


@dataclass(frozen=True)
class HeadProof:
    """How a head of the second edition stands to that of the first, or whether one edition decides it soundly.

    `possible` are values of facts that may refute the stronger claim; whether a position has them is not known.
    """

    head: str
    relation: str
    clauses: Sequence[str] = ()
    possible: Sequence[str] = ()
    certificates: Sequence[Certificate] = ()


@dataclass
class Proofs:
    """All that was proved of two editions, or of one."""

    of: tuple[str, ...]
    heads: list[HeadProof] = field(default_factory=list)
    questions: dict[str, str] = field(default_factory=dict)  # by name: how it is known that the answer is the same

    def certificate(self) -> Json:
        """Give what a second solver needs to repeat the proofs."""
        claims = [asdict(one) for proof in self.heads for one in proof.certificates]
        return {"format": FORMAT, "of": list(self.of), "claims": claims}


# ---------------------------------------------------------------------- encoding
class _Encoder:
    """Encodes the terms of one edition; facts are shared with the other side where they mean the same."""

    def __init__(self, model: ir.Model, name: str, facts: dict[tuple[object, ...], Any], changed: set[str]) -> None:
        self.model, self.name, self.facts, self.changed = model, name, facts, changed
        self.z3, self.known = solver(), dependencies_of(model)
        self.bounds: list[Any] = []

    def flag(self, term: Term, situation: str) -> Any:
        """Encode a condition."""
        z3 = self.z3
        match term:
            case Const(value=value):
                return z3.BoolVal(bool(value))
            case Logic(op="not", parts=(part,)):
                return z3.Not(self.flag(part, situation))
            case Logic(op=op, parts=parts):
                joined = [self.flag(part, situation) for part in parts]
                return self.all(joined) if op == "all" else self.any(joined)
            case Compare(op="==" | "!=" as op, left=Var(type=kind) as left, right=Const(value=value)) if (
                kind.kind == "reading"
            ):
                same = self._reading(left.name) == self._choice(left.name, value)
                return same if op == "==" else z3.Not(same)
            case Compare(op=op, left=left, right=right) if {left.type.kind, right.type.kind} <= {"number", "enum"}:
                (one, no_one), (other, no_other) = self.number(left, situation), self.number(right, situation)
                if op in _ORDERS:
                    return z3.And(z3.Not(no_one), z3.Not(no_other), getattr(one, _ORDERS[op])(other))
                same = z3.Or(z3.And(no_one, no_other), z3.And(z3.Not(no_one), z3.Not(no_other), one == other))
                return same if op == "==" else z3.Not(same)
            case Compare(op="!=", left=left, right=right, type=kind):
                return z3.Not(self.flag(Compare("==", left, right, kind), situation))
            case Member(left=left, choices=choices, base=None) if left.type.kind in ("number", "enum"):
                equal = (Compare("==", left, choice, term.type) for choice in choices)
                return self.any([self.flag(one, situation) for one in equal])
        return self._fact(term, situation, z3.Bool)

    def any(self, parts: Sequence[Any]) -> Any:
        """Join conditions; SMT-LIB knows no `or` of less than two."""
        return self.z3.Or(parts) if len(parts) > 1 else parts[0] if parts else self.z3.BoolVal(False)

    def all(self, parts: Sequence[Any]) -> Any:
        return self.z3.And(parts) if len(parts) > 1 else parts[0] if parts else self.z3.BoolVal(True)

    def number(self, term: Term, situation: str) -> tuple[Any, Any]:
        """Encode a number or the rank of a value, and whether it is nothing."""
        z3 = self.z3
        match term:
            case Const(value=None):
                return z3.IntVal(0), z3.BoolVal(True)
            case Const(value=int(value)):
                return z3.IntVal(int(value)), z3.BoolVal(False)
            case Arithmetic(op="+" | "-" | "*" as op, left=left, right=right) if not (
                left.type.optional or right.type.optional
            ) and (op != "*" or Const in (type(left), type(right))):
                (one, _), (other, _) = self.number(left, situation), self.number(right, situation)
                return {"+": one + other, "-": one - other, "*": one * other}[op], z3.BoolVal(False)
        value = self._fact(term, situation, z3.Int)
        nothing = self._fact(term, situation, z3.Bool, "nothing") if term.type.optional else z3.BoolVal(False)
        low, high = term.type.low, term.type.high
        if term.type.kind == "enum":
            low, high = 0, len(self.model.enums[term.type.name].values) - 1
        self.bounds += [value >= low] if low is not None else []
        self.bounds += [value <= high] if high is not None else []
        return value, nothing

    def _fact(self, term: Term, situation: str, sort: Any, more: str = "") -> Any:
        own = self.known.of_terms([term], situation).heads & self.changed
        key = (term, self.name if own or self._reads(term) else "", more)
        if key not in self.facts:
            self.facts[key] = sort(f"{len(self.facts)} {show_term(term)} {more}".strip().replace("|", "/"))
        return self.facts[key]

    def _reads(self, term: Term) -> bool:
        """Whether a term consults a reading, which the other edition may have settled otherwise."""
        return bool(self.known.of_terms([term], "").readings)

    def _reading(self, name: str) -> Any:
        reading = self.model.readings[name]
        key = ("reading", name, reading.offered, reading.default)
        if key not in self.facts:
            self.facts[key] = self.z3.Int(f"{len(self.facts)} reading {name}")
        value = self.facts[key]
        self.bounds.append(self.any([value == self._choice(name, choice) for choice in reading.offered]))
        return value

    def _choice(self, name: str, choice: object) -> Any:
        return self.facts.setdefault(("choice", name, choice), self.z3.IntVal(len(self.facts)))

    def applies(self, head: ir.Head) -> list[tuple[Any, ir.Statement]]:
        return [(self.flag(counts_when(head, one), head.situation), one) for one in head.statements]

    def decided(self, head: ir.Head) -> Any:
        """Encode that some statement applies."""
        return self.any([applies for applies, _ in self.applies(head)])

    def total(self, head: ir.Head) -> Any | None:
        """Encode the sum of a head; nothing if some value is not a plain number."""
        if any(one.value is None or one.value.type.optional for one in head.statements):
            return None
        parts = [
            self.z3.If(applies, self.number(one.value, head.situation)[0], 0)
            for applies, one in self.applies(head) if one.value is not None
        ]  # fmt: skip
        return self.z3.Sum(parts) if len(parts) > 1 else parts[0] if parts else self.z3.IntVal(0)

    def unlike(self, first: ir.Statement, second: ir.Statement, other: _Encoder, situation: str) -> Any:
        """Encode that two statements, of this side and of another, give different values."""
        one, two = first.value, second.value
        assert one is not None
        assert two is not None
        if one.type.kind in ("number", "enum") and two.type.kind in ("number", "enum"):
            (left, no_left), (right, no_right) = self.number(one, situation), other.number(two, situation)
            return self.z3.Or(no_left != no_right, self.z3.And(self.z3.Not(no_left), left != right))
        if one.type.kind == two.type.kind == "flag" and not (one.type.optional or two.type.optional):
            return self.flag(one, situation) != other.flag(two, situation)
        left, right = (side._fact(term, situation, self.z3.Int) for side, term in ((self, one), (other, two)))
        return left != right


class _Prover:
    """Proves claims about one head after the other, callees first."""

    def __init__(self, models: Sequence[ir.Model], changed: set[str]) -> None:
        self.z3 = solver()
        facts: dict[tuple[object, ...], Any] = {}
        self.sides = [_Encoder(model, str(number), facts, changed) for number, model in enumerate(models)]

    def never(self, head: str, claim: str, opposite: Any) -> tuple[Certificate | None, list[str]]:
        """Prove that something never holds, or give values of facts with which it may."""
        found = self.z3.Solver()
        found.set("timeout", TIMEOUT_MS)
        found.add(*(bound for side in self.sides for bound in side.bounds), opposite)
        came = found.check()
        if came == self.z3.unsat:
            return Certificate(head, claim, found.to_smt2()), []
        if came != self.z3.sat:
            return None, ["the solver found no answer in time"]
        values = found.model()
        return None, sorted(f"{one.name().partition(' ')[2]}: {values[one]}" for one in values.decls())


# ---------------------------------------------------------------------- two editions
def prove_pair(pair: ModelPair) -> Proofs:
    """Prove of each head that differs how the second edition stands to the first; then what follows for questions."""
    first, second = pair.first, pair.second
    keys = {*first.heads, *second.heads}
    changed = {key for key in keys if _sentences(first.heads.get(key)) != _sentences(second.heads.get(key))}
    unlike = {one.name for one in reading_differences(pair)}  # what reads one of these may be answered otherwise
    known = [dependencies_of(model) for model in (first, second)]
    changed |= {
        key for one, model in zip(known, (first, second), strict=True) for key, head in model.heads.items()
        if one.of_terms(head_terms(head), head.situation).readings & unlike
    }  # fmt: skip
    proofs, equal = Proofs((first.edition, second.edition)), set[str]()
    for key in sorted(changed, key=lambda one: (_depth(pair, one, changed), one)):
        one, other = first.heads.get(key), second.heads.get(key)
        if one is None or other is None:
            proofs.heads.append(HeadProof(key, ONE_ONLY))
            continue
        proof = _compare_heads(_Prover((first, second), changed - equal), one, other)
        equal |= {key} if proof.relation == EQUIVALENT else set()
        proofs.heads.append(proof)
    for question in second.questions.values():
        if question.name in first.questions:
            left = (pair.heads_of(question) & changed) - equal
            if not left and not pair.apart_in(question.situation):
                proofs.questions[question.name] = "all heads behind it are equal"
    return proofs


def _sentences(head: ir.Head | None) -> object:
    if head is None:
        return None
    return [(one.clause, one.when, getattr(one, "value", None), getattr(one, "effect", None),
             getattr(one, "target", getattr(one, "instead", ()))) for one in head.sentences]  # fmt: skip


def _depth(pair: ModelPair, key: str, changed: set[str]) -> int:
    """Count the changed heads that a head depends on, so that those which it asks come before it."""
    sides = (model for model in (pair.first, pair.second) if key in model.heads)
    return max(len(dependencies_of(model).of_heads([key]).heads & changed) for model in sides)


def _compare_heads(prover: _Prover, one: ir.Head, other: ir.Head) -> HeadProof:
    z3, (first, second) = prover.z3, prover.sides
    clauses = sorted({sentence.clause for head in (one, other) for sentence in head.sentences} - {ir.NOBODY})
    match one.mode:
        case "any" | "bar":
            before, after = (side.decided(head) for side, head in ((first, one), (second, other)))
            less, more = z3.And(before, z3.Not(after)), z3.And(after, z3.Not(before))
            # A bar that grows allows less; a flag that holds more often allows more.
            names = (WIDER, NARROWER) if one.mode == "bar" else (NARROWER, WIDER)
        case "sum":
            before, after = first.total(one), second.total(other)
            if before is None or after is None:
                return HeadProof(one.key, NOT_COMPARED, clauses)
            less, more, names = after < before, after > before, (WIDER, NARROWER)
        case "value":
            pairs = itertools.product(first.applies(one), second.applies(other))
            unlike = [z3.And(a, b, first.unlike(x, y, second, one.situation)) for (a, x), (b, y) in pairs]
            decided = [side.decided(head) for side, head in ((first, one), (second, other))]
            certificate, possible = prover.never(one.key, EQUIVALENT, first.any([decided[0] != decided[1], *unlike]))
            found = [certificate] if certificate is not None else []
            return HeadProof(one.key, EQUIVALENT if found else OPEN, clauses, possible, found)
        case _:
            return HeadProof(one.key, NOT_COMPARED, clauses)
    never_less, when_less = prover.never(one.key, names[1], less)
    never_more, when_more = prover.never(one.key, names[0], more)
    found = [certificate for certificate in (never_less, never_more) if certificate is not None]
    if len(found) == 2:
        return HeadProof(one.key, EQUIVALENT, clauses, (), found)
    relation = names[1] if never_less else names[0] if never_more else OPEN
    return HeadProof(one.key, relation, clauses, when_more if never_less else when_less, found)


# ---------------------------------------------------------------------- one edition
def prove_edition(model: ir.Model) -> Proofs:
    """Prove of each head with a value that exactly one answer holds in every case, under all readings together."""
    proofs = Proofs((model.edition,))
    for key in sorted(key for key, head in model.heads.items() if head.mode == "value" and head.statements):
        head, prover = model.heads[key], _Prover((model,), set())
        [side] = prover.sides
        clauses = sorted({one.clause for one in head.sentences} - {ir.NOBODY})
        applies = side.applies(head)
        gap, when_gap = prover.never(key, GAP, prover.z3.Not(side.decided(head)))
        unlike = [
            prover.z3.And(one, other, side.unlike(x, y, side, head.situation))
            for (one, x), (other, y) in itertools.combinations(applies, 2) if x.value != y.value
        ]  # fmt: skip
        conflict, when_both = prover.never(key, CONFLICT, side.any(unlike))
        found = [one for one in (gap, conflict) if one is not None]
        relation = FREE if len(found) == 2 else OPEN
        proofs.heads.append(HeadProof(key, relation, clauses, when_gap or when_both, found))
    return proofs


# ---------------------------------------------------------------------- the second solver
def check_certificate(data: object) -> Iterator[tuple[str, bool]]:
    """Let cvc5 repeat each proof; yield what is claimed of which head, and whether it is confirmed.

    Raises `InputError` for what is not a certificate.
    """
    cvc5 = solver("cvc5")
    if not isinstance(data, Mapping) or data.get("format") != FORMAT or not isinstance(data.get("claims"), list):
        raise bad("this is not a certificate", "$", "name a file that `titm prove -o FILE` wrote", "bad-value")
    for claim in data["claims"]:
        yield f"{claim['head']}: {claim['claim']}", _is_unsatisfiable(cvc5, str(claim["smt2"]))


def _is_unsatisfiable(cvc5: ModuleType, text: str) -> bool:
    made = cvc5.Solver(cvc5.TermManager()) if hasattr(cvc5, "TermManager") else cvc5.Solver()
    made.setOption("tlimit-per", str(TIMEOUT_MS))
    parser = cvc5.InputParser(made)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{text}", "claim")
    symbols, answers = parser.getSymbolManager(), ""
    try:
        while not (command := parser.nextCommand()).isNull():
            answers += str(command.invoke(made, symbols))
    except RuntimeError:  # a text that cannot be read proves nothing
        return False
    return answers.split() == ["unsat"]
