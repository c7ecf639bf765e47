"""Turn the sentences of clauses into statements and lifts of heads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from titm_rules.checker.events import EventChecker, KeepsChecker, check_effect_sentence
from titm_rules.checker.expressions import ExpressionChecker, Scope
from titm_rules.checker.preferences import FIRST, PreferenceChecker
from titm_rules.checker.wording import DefaultTexts
from titm_rules.diagnostics import did_you_mean
from titm_rules.ir.applicability import TRUE, every_of, negation, some_of
from titm_rules.ir.model import BEGIN, NOBODY, Allocation, ClauseInfo, CourseInfo, Head, Lift, Statement, head_key
from titm_rules.ir.terms import Compare, Const, Logic, Term, Var
from titm_rules.ir.types import FLAG, NUMBER, Type
from titm_rules.syntax import ast

# The head of a form that each kind of sentence decides, and the mode of the definitions that it may decide.
_WORDS: dict[type, str] = {
    ast.Stop: "stop",
    ast.Cost: "cost",
    ast.Points: "points",
    ast.Goal: "goal",
    ast.Preference: "choose",
    ast.Exemption: "choose",
    ast.Factor: "factor",
    ast.Modifier: "adds",
    ast.Sets: "effects",
    ast.Puts: "effects",
    ast.Removes: "effects",
}
_MODES: dict[type, str] = {
    ast.Holds: "any",
    ast.Is: "value",
    ast.TableRows: "value",
    ast.Bands: "value",
    ast.Bar: "bar",
}


class ClauseChecker:
    """Collects the statements and lifts of clauses, in three passes: statements, lifts, cross-checks.

    Attributes:
        played: the events and situations of a game; a sentence about them is lifted only if its subject is named.
        infos: each clause by number, without its heads until `finish`.
        known: the numbers that clauses may have, except those of overlays; empty: any.
        texts: makes the texts of refusals that give none.
        rises: of each roll, whether it succeeds on at least a number, rather than on at most one.
    """

    def __init__(
        self,
        checker: ExpressionChecker,
        known: Collection[str],
        played: Collection[str] = (),
        infos: Mapping[str, ClauseInfo] | None = None,
        texts: DefaultTexts | None = None,
        events: EventChecker | None = None,
        overlays: Collection[str] = (),
    ) -> None:
        self.checker, self.schema, self.heads = checker, checker.schema, checker.heads
        self.known, self.played, self.infos = known, played, dict(infos or {})
        self.overlays = overlays
        self.courses: dict[str, CourseInfo] = {}
        self.statements: dict[str, list[Statement]] = defaultdict(list)
        self.lifts: dict[str, list[Lift]] = defaultdict(list)
        self.texts = texts or DefaultTexts(checker, {})
        self.rises: dict[str, bool] = {}
        self.preferences = PreferenceChecker(checker)
        self.keeps = KeepsChecker(checker, events.events if events else {})
        self.event_refs = events.refs if events else []
        self._pending: list[tuple[str, ast.Lifts]] = []
        self._refs: list[ast.Word] = []
        self._priced: list[ast.Cost | ast.Points] = []
        self._kept: list[tuple[ast.Keeps, str]] = []
        self._said: defaultdict[tuple[str, str], list[Term]] = defaultdict(list)  # the cases of a clause on a head

    def add(self, clause: ast.Clause) -> None:
        """Check the sentences of a clause; its lifts wait until every statement is known."""
        number, span = clause.id.text, clause.id.span
        if number in self.infos:
            what, also = f"clause {number} appears twice", (self.infos[number].span,)
            self.schema.fault(what, span, "a clause has one text on a date", also=also)
            return
        if self.known and number not in self.known and span.path not in self.overlays:
            fix = f"{did_you_mean(number, self.known)} If the clause is new, add its line to the ledger."
            why = "the ledger of clauses has no such number"
            self.schema.fault(f"unknown clause number `{number}`", span, why, fix)
        info = ClauseInfo(number, clause.title, clause.says, span)
        self.infos[number] = info
        for sentence in clause.sentences:
            info = self._sentence(sentence, info)
        self.infos[number] = info

    def add_course(self, course: ast.Course) -> None:
        name = course.name.text
        self.courses[name] = CourseInfo(name, course.title, course.name.span)
        for sentence in course.sentences:
            if isinstance(sentence, ast.Keeps):
                self._kept.append((sentence, name))
                continue
            self._refs.extend(sentence.refs)
            if isinstance(sentence, ast.Bar) and sentence.word.text != BEGIN:
                what, why = "the course of play forbids nothing", "it says only what a game can begin with"
                fix = "forbid it in a clause, or write a condition of the event: `when ...`"
                self.schema.fault(what, sentence.word.span, why, fix)
            self._state(sentence, name)
            if isinstance(sentence, ast.Cost | ast.Points):
                self._priced.append(sentence)

    def finish(self) -> None:
        """Check lifts and references, and give every head its statements."""
        for number, sentence in self._pending:
            self._lift(number, sentence)
        for ref in self._refs:
            self._refuse_unknown(ref, self.infos)
        for ref in self.event_refs:  # another edition may have it
            self._refuse_unknown(ref, {*self.infos, *self.known})
        for priced in self._priced:
            self._refuse_clauses_on(priced)
        self._keep()
        for key, head in self.heads.items():
            statements = self.statements[key]
            if head.statements and head.mode == "value":  # a statement replaces the default
                statements = [replace(each, instead=(*each.instead, NOBODY)) for each in statements]
            self.heads[key] = replace(head, statements=(*head.statements, *statements), lifts=tuple(self.lifts[key]))
        heads_of: defaultdict[str, list[str]] = defaultdict(list)
        for key, head in self.heads.items():
            for clause in dict.fromkeys(sentence.clause for sentence in head.sentences):
                heads_of[clause].append(key)
        for number, info in self.infos.items():
            self.infos[number] = replace(info, heads=tuple(heads_of[number]))
        for form in self.checker.forms.values():
            if isinstance(form, Allocation):
                made = self.preferences.finish(form, self.heads[head_key(form.name, "choose")])
                self.heads.update((head.key, head) for head in made)

    def _keep(self) -> None:
        """Add what `keeps` sentences say, after all other effects, which may end a condition."""
        said = {key: list(statements) for key, statements in self.statements.items()}
        for sentence, section in self._kept:
            if isinstance(sentence, ast.KeepsUntil):
                added = self.keeps.until(sentence, section)
            else:
                added = self.keeps.during(sentence, section, said)
            for key, statement in added:
                self.statements[key].append(statement)

    def _refuse_unknown(self, ref: ast.Word, known: Collection[str]) -> None:
        if ref.text not in known:
            self.schema.unknown(f"unknown clause `{ref.text}`", ref, known, "no clause has this number")

    def _refuse_clauses_on(self, sentence: ast.Cost | ast.Points) -> None:
        """Refuse clauses on a route that a section of the course of play prices."""
        word = sentence.subject
        keys = [key for key in self.statements if key.partition(".")[0] == word.text]
        clauses = {each.clause for key in keys for each in self.statements[key]} - self.courses.keys()
        if clauses:
            what = f"the course of play prices `{word.text}`, which clause {min(clauses)} decides"
            self.schema.fault(what, word.span, fix="move this sentence into a clause")

    # Sentences.

    def _sentence(self, sentence: ast.Sentence, info: ClauseInfo) -> ClauseInfo:
        self._refs.extend(sentence.refs)
        refs = tuple(ref.text for ref in sentence.refs)
        match sentence:
            case ast.Lifts():
                self._pending.append((info.id, sentence))
            case ast.See():
                return replace(info, sees=(*info.sees, *refs))
            case ast.Silent(because=because):
                return replace(info, silent=because)
            case _:
                self._state(sentence, info.id)
        return replace(info, excepts=(*info.excepts, *refs))

    def _state(self, sentence: ast.StatementNode, clause: str) -> None:
        head = self._head(sentence)
        if head is None:
            return
        if isinstance(sentence, ast.Preference | ast.Exemption):
            self._prefer(sentence, clause, head)
            return
        scope = self._scope(head)
        when, before = self._case(sentence, self._said[clause, head.key], scope)
        instead = tuple(ref.text for ref in sentence.refs)
        if isinstance(sentence, ast.Sets | ast.Puts | ast.Removes):
            for effect in check_effect_sentence(sentence, self.checker, scope):
                self.statements[head.key].append(Statement(clause, when, None, "", instead, sentence.span, effect))
            return
        wording = sentence.says if isinstance(sentence, ast.Holds | ast.Is | ast.Bar | ast.Stop | ast.Points) else ()
        says = self.checker.template(wording, scope, sentence.when)
        is_refusal = isinstance(sentence, ast.Bar | ast.Stop) and not sentence.says
        phrase = self.texts.text(sentence.when, scope) if is_refusal else ()
        if isinstance(sentence, ast.Is) and head.mode == "any":
            self._deny(sentence, head)
            self.lifts[head.key].append(Lift(clause, NOBODY, when, sentence.span, says))
            return
        label = sentence.label if isinstance(sentence, ast.Modifier) else ""
        if isinstance(sentence, ast.Factor):
            self._set_direction(sentence)
        for extra, value in self._values(sentence, head, scope):
            case = every_of([term for term in (extra, when) if term is not None])
            full: Term | None = every_of([before, case])
            full = None if full == TRUE else full
            statement = Statement(clause, full, value, label, instead, sentence.span, None, says, phrase)
            self.statements[head.key].append(statement)
            self._said[clause, head.key].append(case)

    def _case(self, sentence: ast.StatementNode, said: list[Term], scope: Scope) -> tuple[Term | None, Term]:
        """Check the condition of a sentence; return it, and that no case before an `otherwise` holds."""
        when, before = sentence.when, every_of([])
        if when is not None and when.op == "otherwise":
            if not said:
                why = "no sentence of this clause before it decides the same"
                fix = "write the other cases before it, or leave out `otherwise`"
                self.schema.fault("`otherwise` has nothing to follow", when.span, why, fix)
            before = negation(some_of(said))
            [when] = (part if isinstance(part, ast.Expr) else None for part in when.args)
        return (None if when is None else self.checker.condition(when, scope)), before

    def _prefer(self, sentence: ast.Preference | ast.Exemption, clause: str, head: Head) -> None:
        form = self.checker.forms.get(sentence.subject.text)
        if not isinstance(form, Allocation):
            return
        if isinstance(sentence, ast.Exemption):
            self.preferences.exemption(sentence, clause, form, head)
        else:
            self.statements[head.key].append(self.preferences.preference(sentence, clause, form, head))

    def _set_direction(self, sentence: ast.Factor) -> None:
        """Note whether a roll succeeds on at least or on at most a number; all clauses must agree on it."""
        name = sentence.subject.text
        if self.rises.setdefault(name, sentence.rises) != sentence.rises:
            other = "at most" if sentence.rises else "at least"
            what, fix = f"`{name}` succeeds on {other} a number elsewhere", f"write `succeeds on {other} ...`"
            self.schema.fault(what, sentence.span, fix=fix)

    def _deny(self, sentence: ast.Is, head: Head) -> None:
        """Check a sentence that denies the default of a flag."""
        if sentence.value.op != "no":
            fix = f"write `{head.key} holds`, or `{head.key} is no`"
            why = "it is `yes` where a clause says that it holds"
            self.schema.fault(f"`{head.key}` is a flag", sentence.value.span, why, fix)
        elif not head.statements:
            why, fix = "it is `no` unless a clause says that it holds", "write `lifts NUMBER` for such a clause"
            self.schema.fault(f"`{head.key}` has no default", sentence.value.span, why, fix)
        elif sentence.refs:
            fix = "write `lifts NUMBER` to override another clause"
            self.schema.fault("`is no` overrides only a default", sentence.refs[0].span, fix=fix)

    def _values(
        self, sentence: ast.StatementNode, head: Head, scope: Scope
    ) -> Iterator[tuple[Term | None, Term | None]]:
        """Yield the extra condition and the value of each statement of a sentence."""
        match sentence:
            case ast.TableRows():
                yield from self._rows(sentence, head, scope)
            case ast.Bands():
                yield from self._bands(sentence, head, scope)
            case ast.Is() | ast.Cost() | ast.Tally() | ast.Points() | ast.Factor() | ast.Modifier():
                yield None, self.checker.of_type(sentence.value, scope, head.type)
            case _:
                yield None, None

    def _rows(self, sentence: ast.TableRows, head: Head, scope: Scope) -> Iterator[tuple[Term, Term]]:
        """Yield the condition and the value of each row of a table, or of each column of a line."""
        kinds = [ptype.kind for _, ptype in head.params]
        if sentence.key is None and kinds != ["enum"]:
            self.schema.fault(f"`{head.key}` is not a table", sentence.span, "rows need a table by one type")
            return
        if sentence.key is not None and kinds != ["enum", "enum"]:
            what, why = f"`{head.key}` has no such lines", "they need a table by two types"
            self.schema.fault(what, sentence.span, why, "write `table NAME by TYPE and TYPE`")
            return
        is_line = None if sentence.key is None else self._is_key(sentence.key, head.params[0])
        for word, written in sentence.rows:
            is_key, value = self._is_key(word, head.params[-1]), self.checker.of_type(written, scope, head.type)
            if is_key is not None:
                yield is_key if is_line is None else Logic("all", (is_line, is_key), FLAG), value

    def _bands(self, sentence: ast.Bands, head: Head, scope: Scope) -> Iterator[tuple[Term, Term]]:
        """Yield the condition and the value of each band of numbers in a line of a table."""
        if [ptype.kind for _, ptype in head.params] != ["enum", "number"]:
            what, why = f"`{head.key}` has no lines", "lines need a table by a type and a number"
            fix = "write `table NAME by TYPE and NAME: number LOW to HIGH`"
            self.schema.fault(what, sentence.span, why, fix)
            return
        is_key, (name, ptype) = self._is_key(sentence.key, head.params[0]), head.params[1]
        for band in sentence.bands:
            value = self.checker.of_type(band.value, scope, head.type)
            if not (ptype.low or 0) <= band.low <= band.high <= (ptype.high or 0):
                what, why = f"{band.low} to {band.high} is not in the table", f"`{name}` is {ptype.low} to {ptype.high}"
                self.schema.fault(what, band.span, why, "use numbers of the table, the lower first")
            elif is_key is not None:
                number = Var(name, ptype)
                least, most = Const(band.low, NUMBER), Const(band.high, NUMBER)
                parts = (is_key, Compare(">=", number, least, FLAG), Compare("<=", number, most, FLAG))
                yield Logic("all", parts, FLAG), value

    def _is_key(self, word: ast.Word, key: tuple[str, Type]) -> Term | None:
        """Return the condition that a key of a table has a value; `None` if the value is unknown."""
        name, ptype = key
        rank = self.schema.rank(word, ptype.name)
        return None if rank is None else Compare("==", Var(name, ptype), Const(rank, ptype), FLAG)

    # The head that a sentence decides.

    def _head(self, sentence: ast.StatementNode) -> Head | None:
        if isinstance(sentence, ast.Tally):
            return self._counter(sentence)
        subject = key = shown = sentence.subject.text
        if isinstance(sentence, ast.Bar):
            key, shown = head_key(subject, sentence.word.text), f"{subject} may not {sentence.word.text}"
        elif type(sentence) in _WORDS and not (isinstance(sentence, ast.Modifier) and self._is_total(subject)):
            key = head_key(subject, _WORDS[type(sentence)])
        head = self.heads.get(key)
        mode = _MODES.get(type(sentence))
        denies = head is not None and isinstance(sentence, ast.Is) and head.mode == "any"
        if head is None or not (denies or mode in (None, head.mode)):
            fix = did_you_mean(shown, self._subjects(sentence))
            why = "no declaration allows this sentence"
            self.schema.fault(f"no clause can say this of `{subject}`", sentence.subject.span, why, fix)
            return None
        return head

    def _is_total(self, key: str) -> bool:
        head = self.heads.get(key)
        return head is not None and head.mode == "sum"

    def _counter(self, sentence: ast.Tally) -> Head | None:
        subject, counter = sentence.subject.text, sentence.counter.text
        head = self.heads.get(head_key(subject, counter))
        if head is None or head.mode != "sum" or counter == _WORDS[ast.Cost]:
            what, fix = f"`{subject}` has no counter `{counter}`", f"write `counts {counter} up to NUMBER` in the route"
            self.schema.fault(what, sentence.counter.span, fix=fix)
            return None
        return head

    def _subjects(self, sentence: ast.StatementNode) -> list[str]:
        """List the subjects that sentences of a kind can have."""
        match sentence:
            case ast.Bar():
                return [k.replace(".", " may not ") for k, h in self.heads.items() if h.mode == "bar"]
            case ast.Holds() | ast.Is() | ast.TableRows() | ast.Bands():
                mode = _MODES[type(sentence)]
                return [k for k, h in self.heads.items() if h.mode == mode and "." not in k]
        word = f".{_WORDS[type(sentence)]}"
        known = [k.removesuffix(word) for k in self.heads if k.endswith(word)]
        return known + [k for k in self.heads if "." not in k and self._is_total(k)] * (word == ".adds")

    def _scope(self, head: Head) -> Scope:
        return Scope(head.situation, dict(head.params), allocation=True)

    # Lifts.

    def _lift(self, number: str, sentence: ast.Lifts) -> None:
        for ref in sentence.refs:
            if ref.text in self.infos and not self._heads_of(ref.text, set()):
                what, fix = f"clause {ref.text} has no sentence to lift", "name the clause that decides"
                self.schema.fault(what, ref.span, fix=fix)
            keys = self._lifted_heads(sentence, ref.text, set())
            if not keys and sentence.subject is not None:
                self.schema.fault(
                    f"clause {ref.text} has no sentence on `{sentence.subject.text}` to lift", sentence.subject.span,
                    fix=f"add such a sentence, or amend clause {number} too, which makes the exception",
                    also=(self.infos[ref.text].span,) if ref.text in self.infos else (),
                )  # fmt: skip
            for key in keys:
                scope = self._scope(self.heads[key])
                form = self.checker.forms.get(key.removesuffix(".choose"))
                if isinstance(form, Allocation) and self.preferences.ranks(form, ref.text):
                    scope = replace(scope, names={FIRST: Type("set", form.target[1].name), **scope.names})
                when = self.checker.condition(sentence.when, scope) if sentence.when is not None else None
                self.lifts[key].append(Lift(number, ref.text, when, sentence.span))

    def _lifted_heads(self, sentence: ast.Lifts, ref: str, seen: set[str]) -> list[str]:
        """List the heads in which a sentence lifts a clause: those of its subject, else all but those of a game."""
        keys = self._heads_of(ref, seen)
        if sentence.subject is not None:
            return [key for key in keys if key.split(".")[0] == sentence.subject.text]
        return [key for key in keys if key.split(".")[0] not in self.played] or keys

    def _heads_of(self, clause: str, seen: set[str]) -> list[str]:
        """List the heads on which a clause has a sentence, be it a statement, a denial or a lift."""
        keys = [key for key, statements in self.statements.items() if any(s.clause == clause for s in statements)]
        keys += [key for key, lifts in self.lifts.items() if any(lift.clause == clause for lift in lifts)]
        for number, sentence in self._pending if clause not in seen else ():
            if number == clause:
                for ref in sentence.refs:
                    keys += self._lifted_heads(sentence, ref.text, seen | {clause})
        return list(dict.fromkeys(keys))
