"""Which records the rules cannot tell apart: the key to counting without listing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from titm_rules.engines.compiled.code import local
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.model import Roll, Route
from titm_rules.rules.rests import head_terms, rests_of
from titm_rules.rules.terms import Call, Field, Member, Result, Root, Term, Var, children, free_names
from titm_rules.rules.types import FLAG, Type
from titm_rules.world.records import Situation

Key = Callable[[Situation, Any], Any]
ONE = "one"


class Alike:
    """Gives records of one type a key; records with equal keys are interchangeable.

    The key holds the values of all largest terms about one such record alone, in everything
    that the given heads lead to, and the lists of the situation that the record is in.

    Args:
        roots: heads whose answer must not change when alike records change places.
        record: the type of the records.
        terms: further terms, not yet folded, whose values must not change either.
    """

    def __init__(self, program: Program, roots: Iterable[str], record: str, terms: Iterable[Term] = ()) -> None:
        self.program = program
        self.record = record
        self._terms: dict[Term, None] = {}
        self._lists: dict[Root, None] = {}
        self._told_apart = False
        self._rests = rests_of(program.model)
        self._seen: set[str] = set()
        for key in roots:
            self._visit_head(key)
        for term in terms:
            self._visit(program.folder.fold(term))
        self.key: Key = self._compile()

    def _compile(self) -> Key:
        """Make the function that gives the key of a record in a situation, given by its root."""
        if self._told_apart:
            return lambda _, one: one.index_
        one, folder = Var(ONE, Type("record", self.record)), self.program.folder
        named = [folder.substitute(term, {next(iter(free_names(term))): one}) for term in self._terms]
        listed = [Member(one, (), field, FLAG) for field in self._lists]
        return self.program.together(list(dict.fromkeys([*named, *listed])), [local(ONE)])

    def _visit_head(self, key: str) -> None:
        if key in self._seen:
            return
        self._seen.add(key)
        model, folder = self.program.model, self.program.folder
        if isinstance(model.forms.get(key), Route):
            self._told_apart = True  # a route looks at the whole map
        for term in head_terms(model.heads[key]):
            self._visit(folder.fold(term))
        if isinstance(model.forms.get(key), Roll):
            for inner in self._rests.asked_by(key):
                self._visit_head(inner)

    def _visit(self, term: Term) -> None:
        if self._is_feature(term):
            self._terms[term] = None
            return
        if isinstance(term, Call):
            self._visit_head(term.head)
        if isinstance(term, Root) and term.type.name == self.record:
            self._lists[term] = None
        if isinstance(term, Field) and self.record in (term.type.name, self._of_a_list(term)):
            self._told_apart = True  # another record points at one of them, or the first of a list is asked
        if isinstance(term, Field) and term.type.kind in ("set", "pair") and self._is_about_one(term):
            self._told_apart = True  # a list of its own is compared with something else
        if isinstance(term, Result):
            self._told_apart = True  # a form looks at the whole situation
        if isinstance(term, Member) and term.base is not None and term.left.type.name == self.record:
            self._told_apart = True
        for part in children(term):
            self._visit(part)

    def _of_a_list(self, term: Field) -> str:
        """Name the records of the list of whose first member a field is asked; empty if it is asked of one record."""
        return term.base.type.name if term.base.type.kind == "set" else ""

    def _is_feature(self, term: Term) -> bool:
        if isinstance(term, Var) or term.type.kind in ("set", "pair") or self.program.is_stateful(term):
            return False
        return self._is_about_one(term)

    def _is_about_one(self, term: Term) -> bool:
        """Whether a term asks of one record of the type, and of nothing else that has a name."""
        names = free_names(term)
        variable = _find(term, next(iter(names))) if len(names) == 1 else None
        return variable is not None and variable.type.kind == "record" and variable.type.name == self.record


def _find(term: Term, name: str) -> Var | None:
    if isinstance(term, Var):
        return term if term.name == name else None
    return next((found for part in children(term) if (found := _find(part, name))), None)
