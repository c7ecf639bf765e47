"""Clauses: their sentences become statements and lifts of heads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.model.effects import read_effects
from titm_rules.model.expressions import Checker, Scope
from titm_rules.model.model import ClauseInfo, Head, Lift, Statement, head_key
from titm_rules.model.schema import Schema
from titm_rules.model.terms import Compare, Const, Logic, Term, Var
from titm_rules.model.types import FLAG
from titm_rules.syntax.tree import Clause, Sentence, Word

_WORDS = {
    "stop": "stop",
    "cost": "cost",
    "points": "points",
    "goal": "goal",
    "factor": "factor",
    "modifier": "adds",
    "sets": "effects",
    "puts": "effects",
    "removes": "effects",
}


@dataclass
class Clauses:
    """Collects what clauses say, in three passes: statements, lifts, cross-checks.

    What a clause says of `events` is lifted only by name.
    """

    schema: Schema
    checker: Checker
    known: Collection[str]
    events: Collection[str] = ()
    infos: dict[str, ClauseInfo] = field(default_factory=dict)
    statements: dict[str, list[Statement]] = field(default_factory=lambda: defaultdict(list))
    lifts: dict[str, list[Lift]] = field(default_factory=lambda: defaultdict(list))
    _pending: list[tuple[str, Sentence]] = field(default_factory=list)
    _refs: list[Word] = field(default_factory=list)

    def add(self, clause: Clause) -> None:
        """Take in a clause; its lifts wait until every statement is known."""
        number = clause.id.text
        if number in self.infos:
            self._fault(
                f"clause {number} stands twice",
                clause.id.span,
                "a clause has one text on a date",
                also=self.infos[number].span,
            )
            return
        if self.known and number not in self.known:
            self._fault(
                f"unknown clause number `{number}`",
                clause.id.span,
                "the ledger of clauses has no such number",
                did_you_mean(number, self.known),
            )
        info = ClauseInfo(number, clause.title, clause.says, clause.id.span)
        self.infos[number] = info
        for sentence in clause.sentences:
            info = self._sentence(sentence, info)
        self.infos[number] = info

    def finish(self) -> None:
        """Check lifts and references, and hand every head its statements."""
        for number, sentence in self._pending:
            self._lift(number, sentence)
        for ref in self._refs:
            if ref.text not in self.infos:
                self._fault(
                    f"unknown clause `{ref.text}`",
                    ref.span,
                    "an exception needs the clause that it is an exception to",
                    did_you_mean(ref.text, self.infos),
                )
        for key, head in self.checker.heads.items():
            self.checker.heads[key] = replace(
                head, statements=tuple(self.statements[key]), lifts=tuple(self.lifts[key])
            )
        said: defaultdict[str, list[str]] = defaultdict(list)
        for key, head in self.checker.heads.items():
            clauses = [s.clause for s in head.statements] + [lift.clause for lift in head.lifts]
            for clause in dict.fromkeys(clauses):
                said[clause].append(key)
        for number, info in self.infos.items():
            self.infos[number] = replace(info, heads=tuple(said[number]))

    # ------------------------------------------------------------------ sentences
    def _sentence(self, sentence: Sentence, info: ClauseInfo) -> ClauseInfo:
        self._refs.extend(sentence.refs)
        refs = tuple(ref.text for ref in sentence.refs)
        match sentence.kind:
            case "lifts":
                self._pending.append((info.id, sentence))
                return replace(info, excepts=(*info.excepts, *refs))
            case "see":
                return replace(info, sees=(*info.sees, *refs))
            case "silent":
                return replace(info, silent=sentence.text)
        self._state(sentence, info.id)
        return replace(info, excepts=(*info.excepts, *refs))

    def _state(self, sentence: Sentence, clause: str) -> None:
        head = self._head(sentence)
        if head is None:
            return
        scope = self._scope(head)
        when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
        instead = tuple(ref.text for ref in sentence.refs)
        if head.mode == "effects":
            for effect in read_effects(sentence, self.checker, scope):
                self.statements[head.key].append(
                    Statement(clause, when, None, sentence.text, instead, sentence.span, effect)
                )
            return
        for extra, value in self._values(sentence, head, scope):
            full = extra if when is None else when if extra is None else Logic("all", (extra, when), FLAG)
            self.statements[head.key].append(Statement(clause, full, value, sentence.text, instead, sentence.span))

    def _values(self, sentence: Sentence, head: Head, scope: Scope) -> Iterator[tuple[Term | None, Term | None]]:
        """Yield an extra condition and the value of each statement of a sentence."""
        if sentence.kind == "rows":
            if len(head.params) != 1 or head.params[0][1].kind != "enum":
                self._fault(f"`{head.key}` is no table", sentence.span, "rows belong to a table over an enumeration")
                return
            name, ptype = head.params[0]
            enum = self.schema.enums[ptype.name]
            for word, number in sentence.rows:
                if word.text not in enum.values:
                    self._fault(
                        f"unknown value `{word.text}`",
                        word.span,
                        f"`{enum.name}` has no such value",
                        did_you_mean(word.text, enum.values),
                    )
                    continue
                rank = Const(enum.values.index(word.text), ptype)
                yield Compare("==", Var(name, ptype), rank, FLAG), Const(number, head.type)
        elif sentence.value is not None:
            yield None, self.checker.of_type(sentence.value, scope, head.type)
        else:
            yield None, None

    def _head(self, sentence: Sentence) -> Head | None:
        assert sentence.subject is not None
        subject = sentence.subject.text
        key = subject
        if sentence.kind == "bar":
            assert sentence.word is not None
            key = head_key(subject, sentence.word.text)
        elif sentence.kind in _WORDS:
            key = head_key(subject, _WORDS[sentence.kind])
        head = self.checker.heads.get(key)
        wanted = {"holds": ("any",), "value": ("value",), "rows": ("value",), "bar": ("bar",)}.get(sentence.kind)
        if head is None or (wanted is not None and head.mode not in wanted):
            self._fault(
                f"no clause can say this of `{subject}`", sentence.subject.span,
                "the vocabulary declares no such question", did_you_mean(_spoken(sentence), self._subjects(sentence)),
            )  # fmt: skip
            return None
        return head

    def _subjects(self, sentence: Sentence) -> list[str]:
        if sentence.kind in ("holds", "value", "rows"):
            mode = "any" if sentence.kind == "holds" else "value"
            return [k for k, h in self.checker.heads.items() if h.mode == mode and "." not in k]
        if sentence.kind == "bar":
            return [k.replace(".", " may not ") for k, h in self.checker.heads.items() if h.mode == "bar"]
        word = f".{_WORDS[sentence.kind]}"
        return [k.removesuffix(word) for k in self.checker.heads if k.endswith(word)]

    def _lift(self, number: str, sentence: Sentence) -> None:
        for ref in sentence.refs:
            heads = self._touched(ref.text, set())
            if ref.text in self.infos and not heads:
                self._fault(
                    f"clause {ref.text} says nothing that could be lifted",
                    ref.span,
                    "it has no statement of its own",
                    "name the clause that decides",
                )
            if sentence.subject is None:
                heads = [key for key in heads if key.split(".")[0] not in self.events] or heads
            else:
                name = sentence.subject.text
                heads = [key for key in heads if key.split(".")[0] == name]
                if not heads:
                    self._fault(
                        f"clause {ref.text} says nothing of `{name}`",
                        sentence.subject.span,
                        "only what a clause says can be lifted",
                    )
            for key in heads:
                scope = self._scope(self.checker.heads[key])
                when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
                self.lifts[key].append(Lift(number, ref.text, when, sentence.span))

    def _touched(self, clause: str, seen: set[str]) -> list[str]:
        """List the heads that a clause speaks of, by statements or by what it lifts."""
        seen.add(clause)
        found = [key for key, said in self.statements.items() if any(s.clause == clause for s in said)]
        for number, sentence in self._pending:
            if number == clause:
                for ref in sentence.refs:
                    found += self._touched(ref.text, seen) if ref.text not in seen else []
        return list(dict.fromkeys(found))

    def _scope(self, head: Head) -> Scope:
        return Scope(head.situation, dict(head.params), allocation=True)

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "", also: Span | None = None) -> None:
        self.schema.faults.add(what, span, why, fix, (also,) if also is not None else ())


def _spoken(sentence: Sentence) -> str:
    """Say what a sentence is about as its author would."""
    assert sentence.subject is not None
    subject = sentence.subject.text
    return f"{subject} may not {sentence.word.text}" if sentence.kind == "bar" and sentence.word else subject
