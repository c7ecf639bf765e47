"""Prove how two editions stand to each other, head by head and question by question, or that one has no fault.

Each claim about heads is put to an SMT solver (z3) as its opposite: no values of the facts make that true. What follows
for questions is worked out by lemmas (`monotone.py`). So a proof holds for every position in which neither edition has
a gap or a conflict, but values that refute a claim are only possible: it is not known whether a position has them. A
second solver (cvc5) can repeat each claim.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import ModuleType

from titm_rules.catalog import game_name
from titm_rules.compare.all_pairs import EditionSet
from titm_rules.compare.claims import ClaimResult, check_claims, lost_claims
from titm_rules.compare.edition_diff import reading_differences
from titm_rules.compare.monotone import CLAIMS, LABELS, Certificate, Comparison, Derivation
from titm_rules.compare.results import MARKS, NO_EVIDENCE, UNKNOWN, table
from titm_rules.compare.rule_pair import EQUIVALENT, INCOMPARABLE, NARROWER, WIDER, Json, ModelPair, side_by_side
from titm_rules.compare.smt import TIMEOUT_MS, VALUES, Encoding, Order, SidedTerm, solver
from titm_rules.diagnostics import did_you_mean
from titm_rules.formats.file_schemas import CertificateFile, SearchFile
from titm_rules.formats.safe_json import bad
from titm_rules.ir import model as ir
from titm_rules.ir.terms import Term
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.rulings import keep_overlays, open_overlays

FORMAT = 3
FREE, CONFLICT, GAP = "free of conflicts and gaps", "conflict", "gap"
OPEN, NOT_COMPARED, ONE_ONLY = "open", "not compared", "in one edition only"
LOWER, HIGHER = "lower", "higher"  # of a number that is not a sum; lower also where it is nothing more often
EVERY_READING, DEFAULT_READINGS = "under every reading", "under the chosen readings"
REASONS = 3  # at most so many reasons are given why a question is open


# ---------------------------------------------------------------------- results
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


@dataclass(frozen=True)
class QuestionProof:
    """How the answers of the second edition stand to those of the first, wherever neither has a gap or a conflict.

    `chain` lists what that follows from, each with its order and the lemma; `open` says what is missing to a proof.
    """

    question: str
    relation: str
    under: str = EVERY_READING
    chain: Sequence[str] = ()
    open: Sequence[str] = ()

    def __str__(self) -> str:
        if self.relation == OPEN:
            return f"open: {'; '.join(self.open)}"
        return f"proved {self.under}" + (f": {'; '.join(self.chain)}" if self.chain else ": nothing behind it differs")


@dataclass
class Proofs:
    """All that was proved of two editions, or of one."""

    of: tuple[str, ...]
    heads: list[HeadProof] = field(default_factory=list)
    questions: dict[str, QuestionProof] = field(default_factory=dict)
    certificates: list[Certificate] = field(default_factory=list)  # of what questions follow from
    claims: list[ClaimResult] = field(default_factory=list)

    def problems(self) -> list[Certificate]:
        """List what a second solver needs to repeat the proofs, each once."""
        found = [one for head in self.heads for one in head.certificates] + self.certificates
        found += [one for claim in self.claims for one in claim.certificates]
        return list(dict.fromkeys(found))


def prove_editions(
    editions: Sequence[Edition], names: Sequence[str] = (), search: SearchFile | None = None, seconds: float = 0.0
) -> Proofs:
    """Prove that an edition has no fault, or how the second of two stands to the first; then the claims of the rules.

    Claims are those named; else all of one edition or of house rules, but of two editions those that the second gives
    up. What is not proved is searched for so many `seconds`, if a `search` is given. Raises `InputError` for unknown
    claims.
    """
    model = editions[-1].model
    unknown = next((name for name in names if name not in model.claims), "")
    if unknown:
        raise bad(f"the rules make no claim `{unknown}`", "--claim", did_you_mean(unknown, model.claims), "bad-value")
    if len(editions) == 1:
        proofs = Proofs((model.edition,)) if names else prove_edition(model)
    else:
        pair = side_by_side(ModelPair(editions[0].model, model))
        proofs = prove_pair(pair)
        if not (names or editions[-1].overlays):
            proofs.claims += lost_claims(pair.first, pair.second, search)
            return proofs
    proofs.claims += check_claims(model, search, names, seconds)
    return proofs


# ---------------------------------------------------------------------- two editions
def prove_pair(pair: ModelPair, names: Iterable[str] = ()) -> Proofs:
    """Prove how the second edition stands to the first: heads that differ and all questions, or some questions only.

    A question that is not answered alike under every reading is tried again under the chosen ones.
    """
    differences = reading_differences(pair)
    free = Comparison(pair.first, pair.second, [one.name for one in differences])
    proofs = Proofs((pair.first.edition, pair.second.edition))
    settled, wanted = _settled(pair), set(names)
    proofs.heads += [] if wanted else [_head_proof(free, key) for key in sorted(free.changed)]
    for name in pair.second.questions:
        if wanted and name not in wanted:
            continue
        derived, under = free.question(name), EVERY_READING
        first = _relation(derived.order, derived.why)
        if first != EQUIVALENT:
            again = settled.question(name)
            if first == OPEN or _relation(again.order, again.why) == EQUIVALENT:
                derived, under = again, DEFAULT_READINGS
        proofs.questions[name] = _question_proof(name, derived, under)
        proofs.certificates += [one for part in derived.all_parts() for one in part.certificates]
    return proofs


def _settled(pair: ModelPair) -> Comparison:
    """Compare two editions under the chosen readings."""
    unlike = (one.name for one in reading_differences(pair) if one.defaults[0] != one.defaults[1])
    return Comparison(*pair.models, unlike)


def _head_proof(known: Comparison, key: str) -> HeadProof:
    derived, heads = known.head(key), [model.heads.get(key) for model in known.models]
    clauses = sorted(known.apart(key) - {ir.NOBODY})
    if None in heads:
        return HeadProof(key, ONE_ONLY, clauses)
    [head, _] = heads
    assert head is not None
    order = derived.order.reversed if head.mode in ("bar", "sum") else derived.order
    relation = NOT_COMPARED if head.mode == "effects" and order != Order.EQUAL else _relation(order, derived.why)
    if head.mode == "value" and head.type.kind == "number":
        relation = {NARROWER: LOWER, WIDER: HIGHER}.get(relation, relation)
    certificates = () if relation == OPEN else [one for part in derived.all_parts() for one in part.certificates]
    return HeadProof(key, relation, clauses, () if relation == EQUIVALENT else derived.possible, certificates)


def _relation(order: Order, why: str) -> str:
    """Name an order of what is allowed."""
    if order == Order.EQUAL:
        return OPEN if why == LABELS else EQUIVALENT
    return NARROWER if Order.LESS in order else WIDER if Order.MORE in order else OPEN


def _question_proof(name: str, derived: Derivation, under: str) -> QuestionProof:
    relation = _relation(derived.order, derived.why)
    parts = [part for part in derived.all_parts() if part.name and part is not derived]
    if relation == OPEN:
        return QuestionProof(name, OPEN, under, (), list(_reasons(derived, parts)))
    return QuestionProof(name, relation, under, [_told(part) for part in parts if part.order])


def _told(part: Derivation) -> str:
    """Write an order in words; what is nothing less often in one edition only is a price or a face of a die."""
    order, words = part.order, ("", "never more", "never less", "equal")
    told = words[(Order.LOWER in order) + 2 * (Order.HIGHER in order)]
    told = told or ", ".join(CLAIMS[one] for one in (Order.LACKS, Order.KEEPS) if one in order)
    if Order.LATER in order and Order.KEEPS not in order:
        told = "fewer, and never cheaper"
    elif Order.SOONER in order and Order.LACKS not in order:
        told = "no fewer, and never dearer"
    return f"{part.name} {told}" + (f" ({part.lemma})" if part.lemma else "")


def _reasons(derived: Derivation, parts: Sequence[Derivation]) -> Iterator[str]:
    """Say what is missing: what a lemma or the solver could not order, and else what points both ways."""
    if derived.why:
        yield derived.why
        return
    reasons = [f"{part.name}: {part.why}" for part in parts if part.why and part.order != Order.EQUAL]
    for part in parts:
        if not part.why and not part.order & (Order.LOWER | Order.HIGHER) and part.possible:
            reasons.append(f"{part.name} may be more or less ({', '.join(part.possible[:REASONS])})")
    if not reasons:
        reasons = ["what it follows from points both ways: " + ", ".join(_told(part) for part in parts if part.order)]
    yield from dict.fromkeys(reasons[:REASONS])


# ---------------------------------------------------------------------- the page of differences
Marks = Mapping[tuple[str, str], Mapping[str, str]]  # by pair of editions and question
ONE_SIDED = (MARKS[NARROWER], MARKS[WIDER])


def prove_pairs(editions: EditionSet) -> dict[tuple[str, str], dict[str, QuestionProof]]:
    """Prove all questions for every two of some editions, the older first, under the default readings."""
    pairs = itertools.combinations(editions.models, 2)
    return {pair: prove_questions(editions.pair(*pair)) for pair in pairs}


def prove_questions(pair: ModelPair) -> dict[str, QuestionProof]:
    """Prove all questions under the chosen readings alone."""
    known = _settled(pair)
    return {name: _question_proof(name, known.question(name), DEFAULT_READINGS) for name in pair.second.questions}


def read_marks(page: str) -> dict[tuple[str, str], dict[str, str]]:
    """Read the table of verdicts from a page of differences."""
    names = re.findall(r"\d+ (\w+)[,.]", next(line for line in page.splitlines() if line.startswith("1 ")))
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (`.*`) \|$", page.partition(PROVED_HEAD)[0], re.MULTILINE)
    return {
        (older, newer): dict(zip(names, re.findall(r"`(.+?)`", cells), strict=True)) for older, newer, cells in rows
    }


PROVED_HEAD = "## What is proved"
_PROVED_TEXT = """\
In every position in which neither edition has a gap or a conflict, under the default readings
([how](../how-to/prove.md)): `<` the newer edition never allows more, `>` it never allows less, `=` it answers alike;
without a mark it is open. The course of play is not covered. A situation that shows a difference makes `<` and `>`
strict.
"""


def proof_section(marks: Marks, proofs: Mapping[tuple[str, str], Mapping[str, QuestionProof]]) -> str:
    """Write which verdicts of a search are proved, how many, and why the others are not."""
    names = [name for name in next(iter(marks.values())) if name in next(iter(proofs.values()))]
    signs = {EQUIVALENT: "`=`", NARROWER: "`<`", WIDER: "`>`"}
    rows = [(*pair, *(signs.get(proofs[pair][name].relation, "") for name in names)) for pair in marks]
    cells = [(name, found[name], proofs[pair][name]) for pair, found in marks.items() for name in names]
    text = [PROVED_HEAD, _PROVED_TEXT, table(("older", "newer", *range(1, len(names) + 1)), rows), _counts(cells)]
    lines = []
    for name in names:
        wanted = [proof for one, mark, proof in cells if one == name and mark in (*ONE_SIDED, MARKS[NO_EVIDENCE])]
        open_ones = [proof.open[0].partition(" (")[0] for proof in wanted if proof.relation == OPEN]
        if wanted:
            why = "; ".join(dict.fromkeys(open_ones[:REASONS]))
            lines.append((name, len(wanted), len(wanted) - len(open_ones), why))
    text.append(table(("question", "one-sided, or without evidence", "proved", "why the others are not"), lines))
    return "\n\n".join(text) + "\n"


def _counts(cells: Sequence[tuple[str, str, QuestionProof]]) -> str:
    told = []
    for kind, wanted in (
        ("one-sided verdicts", ONE_SIDED), ("without evidence", MARKS[NO_EVIDENCE]), ("equivalent", MARKS[EQUIVALENT]),
        ("unknown, since words are lost", (MARKS[UNKNOWN], 2 * MARKS[UNKNOWN])),
        ("different both ways", (MARKS[INCOMPARABLE],)),
    ):  # fmt: skip
        some = [proof.relation for _, mark, proof in cells if mark in wanted]
        found = Counter(relation for relation in some if relation != OPEN)
        known = ", ".join(f"{number} {relation}" for relation, number in sorted(found.items()))
        told.append(f"- {len(some)} {kind}: {found.total()} proved" + (f" ({known})" if known else "") + ".")
    return "\n".join(told)


# ---------------------------------------------------------------------- one edition
class _Alone:
    """The facts of one rule set: each is itself."""

    def is_same(self, term: Term) -> bool:
        return bool(term)

    def is_equal(self, key: str) -> bool:
        return bool(key)

    def order(self, first: SidedTerm, second: SidedTerm) -> Order:
        return Order.EQUAL if first.term == second.term else Order.NONE


def prove_edition(model: ir.Model) -> Proofs:
    """Prove of each head with a value that exactly one answer holds in every case, under all readings together."""
    proofs = Proofs((model.edition,))
    for key in sorted(key for key, head in model.heads.items() if head.mode == "value" and head.statements):
        head = model.heads[key]
        encoding = Encoding((model,), _Alone(), head.situation)
        applies = encoding.applies(0, head)
        unlike = [
            encoding.all([one, other, _unlike(encoding, x.value, y.value)])
            for (one, x), (other, y) in itertools.combinations(applies, 2) if x.value != y.value
        ]  # fmt: skip
        certificates, possible = [], list[str]()
        for claim, opposite in ((GAP, encoding.z3.Not(encoding.decided(0, head))), (CONFLICT, encoding.any(unlike))):
            text, values = encoding.never(opposite)
            certificates += [Certificate(key, claim, text)] if text else []
            possible = possible or values
        clauses = sorted({one.clause for one in head.sentences} - {ir.NOBODY})
        relation = FREE if len(certificates) == 2 else OPEN
        proofs.heads.append(HeadProof(key, relation, clauses, possible, certificates))
    return proofs


def _unlike(encoding: Encoding, one: Term | None, other: Term | None) -> object:
    """Encode that two values are not the same; of lists and texts that is not known."""
    assert one is not None
    assert other is not None
    if {one.type.kind, other.type.kind} <= {*VALUES, "nothing"}:
        return encoding.any(list(encoding.against(encoding.amount(0, one), encoding.amount(0, other)).values()))
    if one.type.kind == other.type.kind == "flag" and not (one.type.optional or other.type.optional):
        return encoding.flag(0, one) != encoding.flag(0, other)
    return encoding.all([])


# ---------------------------------------------------------------------- certificates
OTHER_RULES = "the rules here are others"
OTHERWISE = "the rules do not give this"
MISSING = "the rules give this, and it is not in the certificate"
NOT_REPEATED = "the second solver finds no proof"


def certificate(editions: Sequence[Edition], names: Sequence[str], proofs: Proofs) -> Json:
    """Write what was proved of editions, with their claims of some names or all: see `CertificateFile`."""
    problems = proofs.problems()
    return {
        "format": FORMAT, "game": game_name(editions[0].game),
        "of": [
            {"edition": one.date, "overlays": keep_overlays(one), "rules": one.model.digests.rules} for one in editions
        ],
        "named": list(names), "count": len(problems), "heads": {one.head: one.relation for one in proofs.heads},
        "questions": {name: [one.relation, one.under, *one.chain] for name, one in proofs.questions.items()},
        "claims": [asdict(one) for one in problems],
    }  # fmt: skip


def check_certificate(kept: CertificateFile, game: str = "") -> Iterator[tuple[str, str]]:
    """Write each problem of a certificate again from the rules that it names, and let cvc5 repeat it.

    Yield each claim with what is wrong with it, empty if it is confirmed; then all else that the rules do not give.
    The second solver is given no problem that was not written here: the commands of others may write files. Raises
    `InputError` for rules that are not there.
    """
    game, claims = game or kept.game, [Certificate(**one.model_dump()) for one in kept.claims]
    editions = [Edition(one.edition, game=game, overlays=open_overlays(one.overlays, game)) for one in kept.of]
    apart = [now.label for one, now in zip(kept.of, editions, strict=True) if one.rules != now.model.digests.rules]
    if apart:
        yield from ((label, OTHER_RULES) for label in apart)
        return
    proofs = prove_editions(editions, kept.named)
    problems, again = dict.fromkeys(proofs.problems()), certificate(editions, kept.named, proofs)
    answers = repeat(one for one in claims if one in problems)
    for number, claim in enumerate(claims, 1):
        why = OTHERWISE if claim not in problems else "" if next(answers) else NOT_REPEATED
        yield f"{number} {claim.head}: {claim.claim}", why
    yield from ((f"{one.head}: {one.claim}", MISSING) for one in problems if one not in claims)
    for old, new in ((kept.heads, again["heads"]), (kept.questions, again["questions"])):
        yield from ((name, OTHERWISE) for name in {**old, **new} if old.get(name) != new.get(name))


def repeat(claims: Iterable[Certificate]) -> Iterator[bool]:
    """Let cvc5 repeat each proof, all of them written here, and say whether it is confirmed."""
    cvc5 = solver("cvc5")
    yield from (_is_unsatisfiable(cvc5, claim.smt2) for claim in claims)


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
