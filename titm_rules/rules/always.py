"""What holds in every situation: `always` sentences, and the cases that they rule out for the check of clauses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from titm_rules.diagnostics import Span
from titm_rules.rules.cases import MAX_CASES, Cases
from titm_rules.rules.expressions import Checker
from titm_rules.rules.model import Always, Form, Head, Route
from titm_rules.rules.rests import Rests, always_terms, head_terms
from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import Call, Picks, Quantified, Result, Root, Term, Var, free_names, rebuild, subterms
from titm_rules.rules.types import PLACE, Type
from titm_rules.rules.wanted import Scope
from titm_rules.syntax.declarations import AlwaysDecl

AlwaysOf = Mapping[str, tuple[Always, ...]]


@dataclass
class AlwaysChecks:
    """Checks `always` sentences; faults go to the schema."""

    schema: Schema
    checker: Checker
    found: dict[str, tuple[Always, ...]] = field(default_factory=dict)

    def always(self, decl: AlwaysDecl) -> None:
        """Check what is said of every situation of a kind: it asks for fields alone, and can be so or not."""
        situation = self.schema.situation(decl.name)
        scope, var, base = Scope(situation, {}), "", None
        before = len(self.schema.faults.found)
        if decl.var is not None and decl.base is not None:
            base = self.checker.list_of(decl.base, scope)
            var = decl.var.text
            scope = self.checker.inner(var, base, scope, decl.var.span)
        condition = self.checker.condition(decl.condition, scope)
        says = self.checker.template(decl.says, scope)
        said = Always(situation, var, base, condition, says, decl.condition.span)
        if len(self.schema.faults.found) == before and self._asks_fields(said):
            self._can_differ(said)
            self.found[situation] = (*self.found.get(situation, ()), said)

    def _asks_fields(self, said: Always) -> bool:
        """Refuse to ask for what clauses decide, and for readings of them."""
        strange = [
            part
            for term in always_terms(said)
            for part in subterms(term)
            if isinstance(part, Call | Result | Picks) or part.type.kind == "reading"
        ]
        if strange:
            self._fault(
                "what always holds asks for fields alone", said.span,
                "it says which situations there are, before any clause decides", "write it with fields",
            )  # fmt: skip
        return not strange

    def _can_differ(self, said: Always) -> None:
        """Refuse what no situation fulfils, and what every one does by its types."""
        cases = Cases(self.schema.enums, self.schema.readings, [said.condition])
        if cases.number > MAX_CASES:
            return
        test = cases.test(said.condition)
        if len(results := {test(case) for case in cases}) > 1:
            return
        what = f"every {said.situation} is so anyway" if results == {True} else f"no {said.situation} can be so"
        self._fault(what, said.span, "nothing that it asks for makes a difference", "mend the condition")

    def interrupted(self, forms: Mapping[str, Form]) -> None:
        """Refuse to ask for what an interruption changes in the middle of a move."""
        rests = Rests({}, {}, self.schema.records)
        for route in (form for form in forms.values() if isinstance(form, Route) and form.interruption):
            changed = {(route.crossing[1].name, route.interruption_field), (route.situation, route.interruption_noted)}
            for said in (one for sentences in self.found.values() for one in sentences):
                if changed & rests.of_terms(always_terms(said), said.situation).fields:
                    self._fault(
                        f"`{route.interruption}` changes this in the middle of a move", said.span,
                        "what always holds is told of whole situations", "ask for other fields",
                    )  # fmt: skip

    def _fault(self, what: str, span: Span, why: str, fix: str) -> None:
        self.schema.faults.add(what, span, why, fix)


# ---------------------------------------------------------------------- sparing cases
def known_of(head: Head, always: AlwaysOf, schema: Schema) -> list[Term]:
    """List what holds wherever a head is asked, in terms of its roles: each role that is such a record fulfils it."""
    known: list[Term] = []
    for said in (one for sentences in always.values() for one in sentences):
        if not said.var:
            known += [said.condition] if said.situation == head.situation else []
        elif _is_of_all(said, head, schema):
            known += _of_subjects(said, head, schema)
    return known


def _is_of_all(said: Always, head: Head, schema: Schema) -> bool:
    """Whether every record of its type, wherever a head is asked, is in the list of which a sentence speaks."""
    record = _record(said)
    lists = [
        (owner.name, spec.name) for owner in schema.records.values() for spec in owner.fields
        if spec.owns and spec.type.name == record and head.situation in ("", owner.name)
    ]  # fmt: skip
    has_id = record in schema.records and schema.records[record].has_id
    return has_id and isinstance(said.base, Root) and lists == [(said.situation, said.base.field)]


def _of_subjects(said: Always, head: Head, schema: Schema) -> Iterator[Term]:
    """Say of each term for such a record, in what clauses say of a head, what always holds."""
    wanted = [Type("record", _record(said))]
    wanted += [PLACE] if schema.only_place in wanted else []
    bound = {part.var for part in subterms(said.condition) if isinstance(part, Quantified)}
    parts = (part for term in head_terms(head) for part in subterms(term) if part.type in wanted)
    for subject in dict.fromkeys(parts):
        if not bound & free_names(subject):
            yield _put(said.condition, said.var, subject)


def _record(said: Always) -> str:
    return said.base.type.name if said.base is not None else ""


def _put(term: Term, name: str, subject: Term) -> Term:
    """Put a term where a name stands."""
    if isinstance(term, Var):
        return subject if term.name == name else term
    return rebuild(term, lambda part: _put(part, name, subject))
