"""Equivalence of records: the key by which the rules cannot tell two records apart.

A key holds the values of the largest terms that look at one such record alone (its features), if the rules look at
records of its kind in no other way. Allocations use keys for choosers and targets, plans for records that the dice see,
selections for members, and traces for movers (searches from a start have `HoistedTerms.key` for that). Three
collectors find the features:

- `PickAspects` follows the variables of the clauses on a pick, and keeps choosers and targets apart;
- `RecordClasses` follows everything that heads lead to, for all records of a type;
- `profile_of` finds plain fields of a mover, which need no situation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from titm_rules.engines.compiled.codegen import local
from titm_rules.engines.compiled.partial_eval import find_variable
from titm_rules.engines.compiled.program import Program
from titm_rules.ir import terms as ir
from titm_rules.ir.applicability import counts_when
from titm_rules.ir.dependencies import dependencies_of, head_terms
from titm_rules.ir.model import Allocation, Head, Model, Roll, Route, head_key
from titm_rules.ir.types import FLAG, Type

Key = Callable[..., Any]  # of the root of a situation and a record
_PLAIN = frozenset(("flag", "number", "text", "enum"))


def compile_key(program: Program, features: Iterable[ir.Term], record: ir.Var, lists: Iterable[ir.Root] = ()) -> Key:
    """Compile the key of a record: the values of its features, and which `lists` of the situation it is in.

    The features are folded terms, each with one free variable, which is replaced by the record.
    """
    substitute = program.folder.substitute
    terms = [substitute(term, dict.fromkeys(ir.free_names(term), record)) for term in features]
    terms += [ir.Member(record, (), root, FLAG) for root in lists]
    return program.together(list(dict.fromkeys(terms)), [local(record.name)])


class PickAspects:
    """The largest terms of the clauses on a pick that look at one chooser, at one target, or at neither.

    It is `complete` if the clauses look at nothing but these, and at how often targets were picked. Then choosers (or
    targets) of one key, as `of_chooser` and `of_target` give it, are interchangeable, in this situation and in any
    other in which `values`, of the terms that look at neither, are the same.
    """

    def __init__(self, program: Program, form: Allocation) -> None:
        self.program, self.complete = program, True
        self._all_targets = program.folder.fold(form.targets)
        self._given = frozenset(name for name, _ in form.given)
        self._chooser = form.chooser[0] if form.chooser is not None else ""
        self._ranging = {form.target[0]}  # names of variables that range over targets
        self._choosers: dict[ir.Term, None] = {}
        self._targets: dict[ir.Term, None] = {}
        self._others: dict[ir.Term, None] = {}
        self._seen: set[tuple[str, tuple[ir.Term, ...]]] = set()
        head = program.model.heads[head_key(form.name, "choose")]
        self._visit_head(head, tuple(ir.Var(name, vtype) for name, vtype in head.params))
        self.of_target = compile_key(program, self._targets, ir.Var(*form.target))
        self.of_chooser = compile_key(program, self._choosers, ir.Var(*(form.chooser or form.target)))
        self.values = program.together(list(self._others), [local(name) for name, _ in form.given])

    def _visit_head(self, head: Head, args: tuple[ir.Term, ...]) -> None:
        if (head.key, args) in self._seen:
            return
        self._seen.add((head.key, args))
        folder = self.program.folder
        given = {name: arg for (name, _), arg in zip(head.params, args, strict=True)}
        for term in head_terms(head):
            self._visit(folder.substitute(folder.fold(term), given))

    def _visit(self, term: ir.Term) -> None:
        names = ir.free_names(term)
        if term.type.kind not in _PLAIN or self.program.is_stateful(term):
            self._visit_parts(term)
        elif names <= self._given:
            self._others[term] = None
        elif names == {self._chooser}:
            self._choosers[term] = None
        elif len(names) == 1 and names <= self._ranging:
            self._targets[term] = None
        else:
            self._visit_parts(term)

    def _visit_parts(self, term: ir.Term) -> None:
        match term:
            case ir.Picks(target=ir.Var(name=name)) | ir.Var(name=name):
                self._require(name in self._ranging)
            case ir.Call(head=key, args=args):
                self._require(key not in self.program.model.forms)
                self._visit_head(self.program.model.heads[key], args)
            case ir.Quantified(var=var, base=base, where=where, body=body):
                self._require(self._is_of_targets(base))
                self._ranging.add(var)
                for part in (where, body):
                    if part is not None:
                        self._visit(part)
            case ir.Const() | ir.Values():
                pass
            case ir.Logic() | ir.Compare() | ir.Arithmetic() | ir.Apply() | ir.Member(base=None):
                for part in ir.children(term):
                    self._visit(part)
            case _:
                self._require(False)

    def _is_of_targets(self, base: ir.Term) -> bool:
        """Whether a list is that of the targets, perhaps without some of them."""
        match base:
            case ir.Besides(base=inner, other=ir.Just(base=one)):
                self._visit(one)
                return self._is_of_targets(inner)
            case ir.Quantified(op="those", var=var, base=inner, where=where) if where is not None:
                self._ranging.add(var)
                self._visit(where)
                return self._is_of_targets(inner)
        return base == self._all_targets

    def _require(self, holds: bool) -> None:
        self.complete = self.complete and holds


class RecordClasses:
    """The key of records of one type: those with equal keys are interchangeable in all that `roots` lead to.

    The answers of these heads, and the values of `terms` (not yet folded), do not change if such records change places.
    """

    def __init__(self, program: Program, roots: Iterable[str], record: str, terms: Iterable[ir.Term] = ()) -> None:
        self.program, self.record = program, record
        self._features: dict[ir.Term, None] = {}
        self._lists: dict[ir.Root, None] = {}
        self._all_differ = False
        self._seen: set[str] = set()
        for key in roots:
            self._visit_head(key)
        for term in terms:
            self._visit(program.folder.fold(term))
        self.key: Key = lambda _, record: record.index_
        if not self._all_differ:
            self.key = compile_key(program, self._features, ir.Var("one", Type("record", record)), self._lists)

    def _visit_head(self, key: str) -> None:
        if key in self._seen:
            return
        self._seen.add(key)
        model, folder = self.program.model, self.program.folder
        form = model.forms.get(key)
        self._all_differ |= isinstance(form, Route)  # a route looks at the whole map
        for term in head_terms(model.heads[key]):
            self._visit(folder.fold(term))
        if isinstance(form, Roll):
            for inner in dependencies_of(model).asked_by(key):
                self._visit_head(inner)

    def _visit(self, term: ir.Term) -> None:
        names = ir.free_names(term)
        variable = find_variable(term, next(iter(names))) if len(names) == 1 else None
        of_one = variable is not None and variable.type.kind == "record" and variable.type.name == self.record
        is_list = term.type.kind in ("set", "pair")
        if of_one and not (isinstance(term, ir.Var) or is_list or self.program.is_stateful(term)):
            self._features[term] = None
            return
        match term:
            case ir.Call(head=key):
                self._visit_head(key)
            case ir.Root() if term.type.name == self.record:
                self._lists[term] = None
            case ir.Field(base=base):
                first_of = base.type.name if base.type.kind == "set" else ""
                # Another record points at one of them, the first of a list is asked, or a list of its own is compared.
                self._all_differ |= self.record in (term.type.name, first_of) or (is_list and of_one)
            case ir.Result():
                self._all_differ = True  # a form looks at the whole situation
            case ir.Member(base=base) if base is not None:
                self._all_differ |= term.left.type.name == self.record
        for part in ir.children(term):
            self._visit(part)


Profile = Callable[[Any], Any]  # of a mover: the values of the fields that tell it apart from others
_PLAIN_OR_PLACE = ("flag", "number", "text", "enum", "place")
_FOLLOWED = ("any", "bar", "sum", "value")  # modes of heads whose answers follow from their sentences alone


class _CannotProfile(Exception):
    """A term looks at a mover in another way than at its plain fields."""


def profile_of(model: Model, terms: Iterable[tuple[ir.Term, str]], head: Head | None = None) -> Profile | None:
    """Return the key of a mover for some terms, in one situation: its plain fields that they look at.

    Each term comes with the name of the mover in it; a head may be asked of the mover besides. None if they tell movers
    apart that have the same plain fields.
    """
    try:
        asked = [*terms, *(_of_head(head, 0) if head is not None else ())]
        names = sorted({name for term, mover in asked for name in _fields(model, term, mover, ())})
    except _CannotProfile:
        return None
    return attrgetter(*names) if names else lambda _: ()


def _of_head(head: Head, index: int) -> Iterator[tuple[ir.Term, str]]:
    if head.mode not in _FOLLOWED:
        raise _CannotProfile
    name = head.params[index][0]
    for statement in head.statements:
        yield counts_when(head, statement), name
        if statement.value is not None:
            yield statement.value, name


def _fields(model: Model, term: ir.Term, mover: str, inside: tuple[str, ...]) -> Iterator[str]:
    """Yield the fields of the mover that a term looks at; `inside`: the heads that lead to it."""
    match term:
        case ir.Field(base=ir.Var(name=name), field=field) if name == mover:
            if term.type.kind not in _PLAIN_OR_PLACE:
                raise _CannotProfile
            yield field
        case ir.Var(name=name) | ir.Quantified(var=name) if name == mover:
            raise _CannotProfile
        case ir.Call(head=key, args=args):
            for index, arg in enumerate(args):
                if not (isinstance(arg, ir.Var) and arg.name == mover):
                    yield from _fields(model, arg, mover, inside)
                elif key in inside:
                    raise _CannotProfile
                else:
                    for part, name in _of_head(model.heads[key], index):
                        yield from _fields(model, part, name, (*inside, key))
        case _:
            for part in ir.children(term):
                yield from _fields(model, part, mover, inside)
