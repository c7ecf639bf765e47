"""Turn the sentences of clauses into statements and lifts of heads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from titm_rules.checker.events import read_effects
from titm_rules.checker.expressions import Checker, Scope
from titm_rules.checker.schema import Schema
from titm_rules.diagnostics import Span, did_you_mean
from titm_rules.ir.model import NOBODY, ClauseInfo, CourseInfo, Head, Lift, Statement, head_key
from titm_rules.ir.terms import Compare, Const, Logic, Template, Term, Var
from titm_rules.ir.types import FLAG, NUMBER, Type
from titm_rules.syntax.ast import (
    Bands,
    Bar,
    Clause,
    Cost,
    Course,
    Factor,
    Goal,
    Holds,
    Is,
    Lifts,
    Modifier,
    Points,
    Puts,
    Removes,
    See,
    Sentence,
    Sets,
    Silent,
    Stop,
    TableRows,
    Tally,
    Word,
)
from titm_rules.syntax.ast import StatementNode as Written

# What question of a form each kind of sentence decides, and what mode of definition a sentence speaks of.
_WORDS: dict[type, str] = {
    Stop: "stop",
    Cost: "cost",
    Points: "points",
    Goal: "goal",
    Factor: "factor",
    Modifier: "adds",
    Sets: "effects",
    Puts: "effects",
    Removes: "effects",
}
_MODES: dict[type, str] = {Holds: "any", Is: "value", TableRows: "value", Bands: "value", Bar: "bar"}


@dataclass
class Clauses:
    """Collects what clauses say, in three passes: statements, lifts, cross-checks.

    What a clause says of a game, of events and of its beginning and end (`played`), is lifted only by name. `rising`
    tells of each roll whether it succeeds on at least a number, and not on at most one.
    """

    schema: Schema
    checker: Checker
    known: Collection[str]
    played: Collection[str] = ()
    infos: dict[str, ClauseInfo] = field(default_factory=dict)
    courses: dict[str, CourseInfo] = field(default_factory=dict)
    statements: dict[str, list[Statement]] = field(default_factory=lambda: defaultdict(list))
    lifts: dict[str, list[Lift]] = field(default_factory=lambda: defaultdict(list))
    rising: dict[str, bool] = field(default_factory=dict)
    _pending: list[tuple[str, Lifts]] = field(default_factory=list)
    _refs: list[Word] = field(default_factory=list)
    _priced: list[Cost | Points] = field(default_factory=list)

    def add(self, clause: Clause) -> None:
        """Take in a clause; its lifts wait until every statement is known."""
        number = clause.id.text
        if number in self.infos:
            self._fault(
                f"clause {number} appears twice",
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
                f"{did_you_mean(number, self.known)} If the clause is new, add its line to the ledger.",
            )
        info = ClauseInfo(number, clause.title, clause.says, clause.id.span)
        self.infos[number] = info
        for sentence in clause.sentences:
            info = self._sentence(sentence, info)
        self.infos[number] = info

    def add_course(self, course: Course) -> None:
        """Take in a section of the course of play."""
        name = course.name.text
        self.courses[name] = CourseInfo(name, course.title, course.name.span)
        for sentence in course.sentences:
            self._refs.extend(sentence.refs)
            self._state(sentence, name)
            if isinstance(sentence, Cost | Points):
                self._priced.append(sentence)

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
        for priced in self._priced:
            self._only_courses_price(priced)
        for key, head in self.checker.heads.items():
            said = self.statements[key]
            if head.statements and head.mode == "value":
                said = [replace(one, instead=(*one.instead, NOBODY)) for one in said]
            self.checker.heads[key] = replace(head, statements=(*head.statements, *said), lifts=tuple(self.lifts[key]))
        spoken_of: defaultdict[str, list[str]] = defaultdict(list)
        for key, head in self.checker.heads.items():
            clauses = [s.clause for s in head.statements] + [lift.clause for lift in head.lifts]
            for clause in dict.fromkeys(clauses):
                spoken_of[clause].append(key)
        for number, info in self.infos.items():
            self.infos[number] = replace(info, heads=tuple(spoken_of[number]))

    def _only_courses_price(self, sentence: Cost | Points) -> None:
        """Check that no clause speaks of a route that a section of the course of play prices."""
        word = sentence.subject
        keys = [key for key in self.statements if key.partition(".")[0] == word.text]
        said = {one.clause for key in keys for one in self.statements[key]} - self.courses.keys()
        if said:
            self._fault(f"clause {min(said)} speaks of `{word.text}`", word.span,
                        "the course of play prices ways of its own, no rule", "say it in a clause")  # fmt: skip

    # ------------------------------------------------------------------ sentences
    def _sentence(self, sentence: Sentence, info: ClauseInfo) -> ClauseInfo:
        self._refs.extend(sentence.refs)
        refs = tuple(ref.text for ref in sentence.refs)
        match sentence:
            case Lifts():
                self._pending.append((info.id, sentence))
            case See():
                return replace(info, sees=(*info.sees, *refs))
            case Silent(because=because):
                return replace(info, silent=because)
            case _:
                self._state(sentence, info.id)
        return replace(info, excepts=(*info.excepts, *refs))

    def _state(self, sentence: Written, clause: str) -> None:
        head = self._head(sentence)
        if head is None:
            return
        scope = self._scope(head)
        when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
        instead = tuple(ref.text for ref in sentence.refs)
        if isinstance(sentence, Sets | Puts | Removes):
            for effect in read_effects(sentence, self.checker, scope):
                self.statements[head.key].append(Statement(clause, when, None, "", instead, sentence.span, effect))
            return
        says = self._template(sentence, scope)
        if isinstance(sentence, Is) and head.mode == "any":
            self._deny(sentence, head, Lift(clause, NOBODY, when, sentence.span, says))
            return
        label = sentence.label if isinstance(sentence, Modifier) else ""
        if isinstance(sentence, Factor):
            self._direction(sentence)
        for extra, value in self._values(sentence, head, scope):
            full = extra if when is None else when if extra is None else Logic("all", (extra, when), FLAG)
            self.statements[head.key].append(Statement(clause, full, value, label, instead, sentence.span, says=says))

    def _direction(self, sentence: Factor) -> None:
        """Note whether a roll succeeds on at least or on at most a number; all clauses must agree on that."""
        name = sentence.subject.text
        if self.rising.setdefault(name, sentence.rises) != sentence.rises:
            other = "at most" if sentence.rises else "at least"
            self._fault(f"`{name}` succeeds on {other} a number elsewhere", sentence.span,
                        "high faces are good for a roll, or low ones", f"write `succeeds on {other} ...`")  # fmt: skip

    def _template(self, sentence: Written, scope: Scope) -> Template:
        """Check the words of a refusal: what stands in their slots is said in the names of the head."""
        written = sentence.says if isinstance(sentence, Holds | Is | Bar | Stop | Points) else ()
        return self.checker.template(written, scope)

    def _deny(self, sentence: Is, head: Head, denial: Lift) -> None:
        """Note what a clause says against the default of a flag."""
        if sentence.value.op != "no":
            self._fault(f"`{head.key}` is a flag", sentence.value.span, "it is yes where a clause says that it holds",
                        f"write `{head.key} holds`, or `{head.key} is no`")  # fmt: skip
        elif not head.statements:
            why = "it is no unless a clause says that it holds"
            self._fault(f"`{head.key}` has no default", sentence.value.span, why,
                        "name the clause that gives way: `lifts NUMBER`")  # fmt: skip
        elif sentence.refs:
            self._fault("only a default gives way to this", sentence.refs[0].span, "what another clause says stays",
                        "write `lifts` for the other clause")  # fmt: skip
        self.lifts[head.key].append(denial)

    def _values(self, sentence: Written, head: Head, scope: Scope) -> Iterator[tuple[Term | None, Term | None]]:
        """Yield an extra condition and the value of each statement of a sentence."""
        match sentence:
            case TableRows():
                yield from self._rows(sentence, head, scope)
            case Bands():
                yield from self._bands(sentence, head, scope)
            case Is() | Cost() | Tally() | Points() | Factor() | Modifier():
                yield None, self.checker.of_type(sentence.value, scope, head.type)
            case _:
                yield None, None

    def _rows(self, sentence: TableRows, head: Head, scope: Scope) -> Iterator[tuple[Term, Term]]:
        """Yield the condition and the value of each row of a table, or of what stands in a line of one by two types."""
        kinds = [ptype.kind for _, ptype in head.params]
        if sentence.key is None and kinds != ["enum"]:
            self._fault(f"`{head.key}` is not a table", sentence.span, "rows belong to a table over an enumeration")
            return
        if sentence.key is not None and kinds != ["enum", "enum"]:
            self._fault(f"`{head.key}` has no such lines", sentence.span, "they belong to a table by two types",
                        "write `table NAME by TYPE and TYPE`")  # fmt: skip
            return
        is_line = None if sentence.key is None else self._is_key(sentence.key, head.params[0])
        for word, written in sentence.rows:
            is_key, value = self._is_key(word, head.params[-1]), self.checker.of_type(written, scope, head.type)
            if is_key is not None:
                yield is_key if is_line is None else Logic("all", (is_line, is_key), FLAG), value

    def _bands(self, sentence: Bands, head: Head, scope: Scope) -> Iterator[tuple[Term, Term]]:
        """Yield the condition and the value of each part of a line of a table by a type and a number."""
        if [ptype.kind for _, ptype in head.params] != ["enum", "number"]:
            self._fault(f"`{head.key}` has no lines", sentence.span, "lines belong to a table by a type and a number",
                        "write `table NAME by TYPE and NAME: number LOW to HIGH`")  # fmt: skip
            return
        is_key, (name, ptype) = self._is_key(sentence.key, head.params[0]), head.params[1]
        for band in sentence.bands:
            value = self.checker.of_type(band.value, scope, head.type)
            if not (ptype.low or 0) <= band.low <= band.high <= (ptype.high or 0):
                self._fault(
                    f"{band.low} to {band.high} is no part of the table", band.span,
                    f"`{name}` runs from {ptype.low} to {ptype.high}", "name numbers of it, the lower first",
                )  # fmt: skip
            elif is_key is not None:
                number = Var(name, ptype)
                least, most = Const(band.low, NUMBER), Const(band.high, NUMBER)
                parts = (is_key, Compare(">=", number, least, FLAG), Compare("<=", number, most, FLAG))
                yield Logic("all", parts, FLAG), value

    def _is_key(self, word: Word, key: tuple[str, Type]) -> Term | None:
        """Make the condition that a key of a table is a value; nothing if there is no such value."""
        name, ptype = key
        enum = self.schema.enums[ptype.name]
        if word.text not in enum.values:
            self._fault(
                f"unknown value `{word.text}`", word.span, f"`{enum.name}` has no such value",
                did_you_mean(word.text, enum.values),
            )  # fmt: skip
            return None
        return Compare("==", Var(name, ptype), Const(enum.values.index(word.text), ptype), FLAG)

    def _head(self, sentence: Written) -> Head | None:
        subject = key = sentence.subject.text
        if isinstance(sentence, Bar):
            key = head_key(subject, sentence.word.text)
        elif isinstance(sentence, Tally):
            return self._counter(sentence)
        elif isinstance(sentence, Modifier) and self._is_total(subject):
            key = subject
        elif type(sentence) in _WORDS:
            key = head_key(subject, _WORDS[type(sentence)])
        head = self.checker.heads.get(key)
        if head is None or not self._can_say(sentence, head):
            self._fault(
                f"no clause can say this of `{subject}`", sentence.subject.span,
                "the vocabulary declares no such question", did_you_mean(_spoken(sentence), self._subjects(sentence)),
            )  # fmt: skip
            return None
        return head

    def _is_total(self, key: str) -> bool:
        head = self.checker.heads.get(key)
        return head is not None and head.mode == "sum"

    def _can_say(self, sentence: Written, head: Head) -> bool:
        """Whether a sentence decides questions of this mode; of a flag, `is` speaks against its default."""
        wanted = _MODES.get(type(sentence))
        return wanted is None or head.mode == wanted or (isinstance(sentence, Is) and head.mode == "any")

    def _counter(self, sentence: Tally) -> Head | None:
        """Find what a sentence counts."""
        subject, counter = sentence.subject.text, sentence.counter.text
        head = self.checker.heads.get(head_key(subject, counter))
        if head is None or head.mode != "sum" or counter == _WORDS[Cost]:
            self._fault(
                f"`{subject}` counts no `{counter}`", sentence.counter.span, "the vocabulary declares no such counter",
                f"write `counts {counter} up to NUMBER` in the route",
            )  # fmt: skip
            return None
        return head

    def _subjects(self, sentence: Written) -> list[str]:
        match sentence:
            case Bar():
                return [k.replace(".", " may not ") for k, h in self.checker.heads.items() if h.mode == "bar"]
            case Holds() | Is() | TableRows() | Bands():
                mode = _MODES[type(sentence)]
                return [k for k, h in self.checker.heads.items() if h.mode == mode and "." not in k]
        word = f".{_WORDS[type(sentence)]}"
        known = [k.removesuffix(word) for k in self.checker.heads if k.endswith(word)]
        return known + [k for k in self.checker.heads if "." not in k and self._is_total(k)] * (word == ".adds")

    def _lift(self, number: str, sentence: Lifts) -> None:
        for ref in sentence.refs:
            if ref.text in self.infos and not self._spoken_of(ref.text, set()):
                self._fault(
                    f"clause {ref.text} says nothing that could be lifted", ref.span,
                    "it has no statement of its own", "name the clause that decides",
                )  # fmt: skip
            keys = self._lifted_in(sentence, ref.text, set())
            if not keys and sentence.subject is not None:
                self._fault(
                    f"clause {ref.text} says nothing of `{sentence.subject.text}`", sentence.subject.span,
                    "only what a clause says can be lifted",
                    f"say it there, or amend clause {number} too, which makes the exception",
                    self.infos[ref.text].span if ref.text in self.infos else None,
                )  # fmt: skip
            for key in keys:
                scope = self._scope(self.checker.heads[key])
                when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
                self.lifts[key].append(Lift(number, ref.text, when, sentence.span))

    def _lifted_in(self, sentence: Lifts, ref: str, seen: set[str]) -> list[str]:
        """List the heads in which a sentence lifts a clause: those that it names, else all but events."""
        keys = self._spoken_of(ref, seen)
        if sentence.subject is not None:
            return [key for key in keys if key.split(".")[0] == sentence.subject.text]
        return [key for key in keys if key.split(".")[0] not in self.played] or keys

    def _spoken_of(self, clause: str, seen: set[str]) -> list[str]:
        """List the heads that a clause speaks of, by statements, against a default or by what it lifts."""
        found = [key for key, said in self.statements.items() if any(s.clause == clause for s in said)]
        found += [key for key, lifts in self.lifts.items() if any(lift.clause == clause for lift in lifts)]
        for number, sentence in self._pending if clause not in seen else ():
            if number == clause:
                for ref in sentence.refs:
                    found += self._lifted_in(sentence, ref.text, seen | {clause})
        return list(dict.fromkeys(found))

    def _scope(self, head: Head) -> Scope:
        return Scope(head.situation, dict(head.params), allocation=True)

    def _fault(self, what: str, span: Span, why: str = "", fix: str = "", also: Span | None = None) -> None:
        self.schema.faults.add(what, span, why, fix, (also,) if also is not None else ())


def _spoken(sentence: Written) -> str:
    """Say what a sentence is about as its author would."""
    subject = sentence.subject.text
    return f"{subject} may not {sentence.word.text}" if isinstance(sentence, Bar) else subject
