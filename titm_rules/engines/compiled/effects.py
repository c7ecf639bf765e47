"""What an event brings about: one generated function that tells each change to whoever makes the next situation."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from operator import itemgetter

from titm_rules.engines.compiled.code import ROOT, Coder, assign, attribute, local, name, skip
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.rules.counting import FALSE, TRUE
from titm_rules.rules.model import Effect, Event, Statement, head_key
from titm_rules.rules.terms import Term, Var
from titm_rules.rules.types import Type
from titm_rules.world.changes import shape_of

CHANGE, VALUE = "c", "x"  # names of the generated code, beside those of the rules


def effects_of(program: Program, event: Event) -> Function:
    """Compile the effects of an event: a function of the root, of the change and of what the head is about."""
    head = program.model.heads[head_key(event.name, "effects")]
    writer = _EffectWriter(program, event.situation, [one.effect for one in head.statements if one.effect is not None])
    body: list[ast.stmt] = []
    counting = ((program.folder.counts(head, one), one) for one in head.statements)
    for counts, together in itertools.groupby(counting, key=itemgetter(0)):
        if counts != FALSE:
            work = [stmt for _, one in together for stmt in writer.swept(one, always=counts == TRUE)]
            body += work if counts == TRUE else [ast.If(writer.coder.expr(counts), work, [])]
    return program.define([ROOT, CHANGE, *(local(one) for one, _ in head.params)], [*body, ast.Return(None)])


class _EffectWriter:
    """Writes what one sentence after the other brings about; `effects` is all of it."""

    def __init__(self, program: Program, situation: str, effects: Sequence[Effect]) -> None:
        self.program, self.situation, self._effects = program, situation, effects
        self.coder: Coder = program.coder()
        self._settings = shape_of(program.model, situation).settings
        self._noted: set[str] = set()

    def swept(self, statement: Statement, always: bool) -> list[ast.stmt]:
        """Write an effect, once or for each member of a list; `always` says that it works in any case."""
        effect = statement.effect
        assert effect is not None
        noted = [] if statement.clause in self._noted else [_told("note", ast.Constant(statement.clause))]
        told = [*noted, *self._change(statement)]
        if effect.base is None:
            self._noted |= {statement.clause} if always else set()
            return told
        where = [] if effect.where is None else [skip(ast.UnaryOp(ast.Not(), self._expr(effect.where)))]
        return [ast.For(ast.Name(local(effect.var), ast.Store()), self._expr(effect.base), [*where, *told], [])]

    def _change(self, statement: Statement) -> list[ast.stmt]:
        effect, clause = statement.effect, ast.Constant(statement.clause)
        assert effect is not None
        match effect.op:
            case "set":
                return self._set(effect, clause)
            case "put":
                values = ast.Tuple([self._expr(term) for _, term in effect.bindings], ast.Load())
                return [_told("put", name(self.program.constant(effect)), values, clause)]
        return [_told("remove", ast.Constant(effect.field), self._expr(effect.target), clause)]

    def _set(self, effect: Effect, clause: ast.expr) -> list[ast.stmt]:
        """Write what sets a field; where nothing else can, only a value that is another one is told."""
        target, value = effect.target, self._expr(effect.value)
        record = self.situation if target is None else target.type.name
        setting = self._settings.get((record, effect.field))
        if setting is None or not self._is_alone(effect):
            field = ast.Constant(effect.field)
            if target is None:
                return [_told("set_root", field, value, clause)]
            return [_told("set_field", field, self._expr(target), value, clause)]
        known, owner = name(self.program.constant(setting)), name(ROOT) if target is None else self._expr(target)
        told = ("write_root", known) if target is None else ("write_field", known, owner)
        if setting.following or setting.spec.same_as or not setting.stays:  # a like value may still be written out
            return [_told(*told, value)]
        is_record = setting.spec.type.kind in ("record", "place")
        other = ast.Compare(attribute(owner, effect.field), [ast.IsNot() if is_record else ast.NotEq()], [name(VALUE)])
        return [assign(VALUE, value), ast.If(other, [_told(*told, name(VALUE))], [])]

    def _is_alone(self, effect: Effect) -> bool:
        """Whether a field of one record can be set by this effect alone, and once, so that nothing contradicts it."""
        others = [one for one in self._effects if one is not effect]
        if effect.target is None:
            rivals = (one for one in others if one.field == effect.field)
            is_list = self._settings[self.situation, effect.field].spec.owns
            return effect.base is None and not is_list and all(one.target is not None for one in rivals)
        target = effect.target
        is_one = target.type.kind == "record" and not target.type.optional and isinstance(target, Var)
        once = effect.base is None or (isinstance(target, Var) and target.name == effect.var)
        whole = any(one.op == "set" and one.target is None and self._holds(one.field, target.type) for one in others)
        same = any(one.op == "set" and one.target is not None and one.field == effect.field for one in others)
        return is_one and once and not whole and not same

    def _holds(self, field: str, wanted: Type) -> bool:
        """Whether a field of the situation is a list of records of a type."""
        spec = self._settings[self.situation, field].spec
        return spec.owns and spec.type.name == wanted.name

    def _expr(self, term: Term | None) -> ast.expr:
        assert term is not None
        return self.coder.expr(self.program.folder.fold(term))


def _told(method: str, *args: ast.expr) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(name(CHANGE), method, ast.Load()), list(args), []))
