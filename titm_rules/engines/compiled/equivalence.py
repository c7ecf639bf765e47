"""Equivalence classes: keys by which the rules cannot tell records apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from titm_rules.engines.compiled.codegen import local
from titm_rules.engines.compiled.program import Program
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.dependencies import dependencies_of, head_terms
from titm_rules.ir.model import Allocation, Head, Model, Roll, Route, head_key
from titm_rules.ir.terms import (
    Apply,
    Arithmetic,
    Besides,
    Call,
    Compare,
    Const,
    Field,
    Just,
    Logic,
    Member,
    Picks,
    Quantified,
    Result,
    Root,
    Term,
    Values,
    Var,
    children,
    free_names,
)
from titm_rules.ir.types import FLAG, Type
from titm_rules.world.records import Situation

# ---------------------------------------------------------------------- aspects
_PLAIN = frozenset(("flag", "number", "text", "enum"))


class PickAspects:
    """The largest terms of the clauses on a pick that speak of one chooser, of one target, or of neither.

    Args:
        form: the allocation.

    Attributes:
        complete: whether the clauses look at nothing but these, and at how often targets were picked. If so, choosers
            (or targets) of one key are interchangeable, in this situation and in any other of equal values.
        of_chooser, of_target: give the key of one, from the root and the record.
        values: gives what speaks of neither, from the root and what is given.
    """

    def __init__(self, program: Program, form: Allocation) -> None:
        self.program, self.complete = program, True
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
        self.complete = self.complete and holds


# ---------------------------------------------------------------------- alike
Key = Callable[[Situation, Any], Any]
ONE = "one"


class RecordClasses:
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
        self._rests = dependencies_of(program.model)
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


# ---------------------------------------------------------------------- profiles
Profile = Callable[[Any], Any]  # gives the fields of a mover that tell it apart from others
_PLAIN_OR_PLACE = ("flag", "number", "text", "enum", "place")
_FOLLOWED = ("any", "bar", "sum", "value")  # modes of heads whose answers follow from their sentences alone


class CannotProfile(Exception):
    """A term looks at a mover otherwise than at its plain fields."""


def profile_of(model: Model, terms: Iterable[tuple[Term, str]]) -> Profile | None:
    """Give a function of the fields of a mover that decide some terms, in one situation.

    Args:
        model: the rules.
        terms: each with the name of the mover in it.

    Returns:
        Nothing, if the terms tell movers apart that have the same plain fields.
    """
    try:
        names = sorted({name for term, mover in terms for name in _fields(model, term, mover, ())})
    except CannotProfile:
        return None
    return attrgetter(*names) if names else lambda _: ()


def of_head(head: Head, index: int) -> Iterator[tuple[Term, str]]:
    """Yield the terms of a head, with the name of one of its parameters."""
    if head.mode not in _FOLLOWED:
        raise CannotProfile
    name = head.params[index][0]
    for one in head.statements:
        yield counts_when(head, one), name
        if one.value is not None:
            yield one.value, name


def _fields(model: Model, term: Term, mover: str, inside: tuple[str, ...]) -> Iterator[str]:
    """Yield the fields of the mover that a term looks at; `inside`: the heads that lead to it."""
    match term:
        case Field(base=Var(name=name), field=field) if name == mover:
            if term.type.kind not in _PLAIN_OR_PLACE:
                raise CannotProfile
            yield field
        case Var(name=name) | Quantified(var=name) if name == mover:
            raise CannotProfile
        case Call(head=key, args=args):
            for index, arg in enumerate(args):
                if not (isinstance(arg, Var) and arg.name == mover):
                    yield from _fields(model, arg, mover, inside)
                elif key in inside:
                    raise CannotProfile
                else:
                    for part, name in of_head(model.heads[key], index):
                        yield from _fields(model, part, name, (*inside, key))
        case _:
            for part in children(term):
                yield from _fields(model, part, mover, inside)
