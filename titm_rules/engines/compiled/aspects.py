"""What the clauses on a pick look at: of a chooser, of a target, and of all the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from titm_rules.engines.compiled.code import local
from titm_rules.engines.compiled.program import Program
from titm_rules.rules.model import Allocation, Head, head_key
from titm_rules.rules.rests import head_terms
from titm_rules.rules.terms import (
    Apply,
    Arithmetic,
    Besides,
    Call,
    Compare,
    Const,
    Just,
    Logic,
    Member,
    Picks,
    Quantified,
    Term,
    Values,
    Var,
    children,
    free_names,
)

_PLAIN = frozenset(("flag", "number", "text", "enum"))


class Aspects:
    """The largest terms of the clauses on a pick that speak of one chooser, of one target, or of neither.

    Args:
        form: the allocation.

    Attributes:
        tell_all: whether the clauses look at nothing but these, and at how often targets were picked. If so, choosers
            (or targets) of one key are interchangeable, in this situation and in any other of equal values.
        of_chooser, of_target: give the key of one, from the root and the record.
        values: gives what speaks of neither, from the root and what is given.
    """

    def __init__(self, program: Program, form: Allocation) -> None:
        self.program, self.tell_all = program, True
        self._all_targets = program.folder.fold(form.targets)
        self._given = frozenset(name for name, _ in form.given)
        self._chooser = form.chooser[0] if form.chooser is not None else ""
        self._ranging = {form.target[0]}  # names of variables that stand for targets
        self._choosers: dict[Term, None] = {}
        self._targets: dict[Term, None] = {}
        self._others: dict[Term, None] = {}
        self._seen: set[tuple[str, tuple[Term, ...]]] = set()
        head = program.model.heads[head_key(form.name, "choose")]
        self._visit_head(head, tuple(Var(name, vtype) for name, vtype in head.params))
        self.of_target = self._key(self._targets, Var(*form.target))
        self.of_chooser = self._key(self._choosers, Var(*(form.chooser or form.target)))
        names = [local(name) for name, _ in form.given]
        self.values: Callable[..., tuple[Any, ...]] = program.together(list(self._others), names)

    def _key(self, terms: Iterable[Term], one: Var) -> Callable[..., tuple[Any, ...]]:
        """Make the function of a key; every term is put in terms of one record."""
        substitute = self.program.folder.substitute
        named = dict.fromkeys(substitute(term, dict.fromkeys(free_names(term), one)) for term in terms)
        return self.program.together(list(named), [local(one.name)])

    # ------------------------------------------------------------------ collecting
    def _visit_head(self, head: Head, args: tuple[Term, ...]) -> None:
        if (head.key, args) in self._seen:
            return
        self._seen.add((head.key, args))
        folder = self.program.folder
        given = {name: arg for (name, _), arg in zip(head.params, args, strict=True)}
        for term in head_terms(head):
            self._visit(folder.substitute(folder.fold(term), given))

    def _visit(self, term: Term) -> None:
        if term.type.kind not in _PLAIN or self.program.is_stateful(term):
            self._visit_parts(term)
            return
        names = free_names(term)
        if names <= self._given:
            self._others[term] = None
        elif names == {self._chooser}:
            self._choosers[term] = None
        elif len(names) == 1 and names <= self._ranging:
            self._targets[term] = None
        else:
            self._visit_parts(term)

    def _visit_parts(self, term: Term) -> None:
        match term:
            case Picks(target=Var(name=name)) | Var(name=name):
                self._need(name in self._ranging)
            case Call(head=key, args=args):
                self._need(key not in self.program.model.forms)
                self._visit_head(self.program.model.heads[key], args)
            case Quantified(var=var, base=base, where=where, body=body):
                self._need(self._is_of_targets(base))
                self._ranging.add(var)
                for part in (where, body):
                    if part is not None:
                        self._visit(part)
            case Const() | Values():
                pass
            case Logic() | Compare() | Arithmetic() | Apply() | Member(base=None):
                for part in children(term):
                    self._visit(part)
            case _:
                self._need(False)

    def _is_of_targets(self, base: Term) -> bool:
        """Whether a list is that of the targets, perhaps but for some of them."""
        while isinstance(base, Besides) and isinstance(base.other, Just):
            self._visit(base.other.base)
            base = base.base
        return base == self._all_targets

    def _need(self, holds: bool) -> None:
        self.tell_all = self.tell_all and holds
