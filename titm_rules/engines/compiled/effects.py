"""What an event brings about: one generated function that tells each change to whoever makes the next situation."""

from __future__ import annotations

import ast

from titm_rules.engines.compiled.code import ROOT, Coder, local, name, skip
from titm_rules.engines.compiled.program import Function, Program
from titm_rules.rules.counting import FALSE, TRUE
from titm_rules.rules.model import Event, Statement, head_key
from titm_rules.rules.terms import Term

CHANGE = "c"


def effects_of(program: Program, event: Event) -> Function:
    """Compile the effects of an event: a function of the root, of the change and of what the head is about."""
    head = program.model.heads[head_key(event.name, "effects")]
    writer = _EffectWriter(program)
    body: list[ast.stmt] = []
    for statement in head.statements:
        counts = program.folder.counts(head, statement)
        if counts != FALSE:
            work = writer.swept(statement)
            body += work if counts == TRUE else [ast.If(writer.coder.expr(counts), work, [])]
    return program.define([ROOT, CHANGE, *(local(one) for one, _ in head.params)], [*body, ast.Return(None)])


class _EffectWriter:
    """Writes what one sentence brings about."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.coder: Coder = program.coder()

    def swept(self, statement: Statement) -> list[ast.stmt]:
        """Write an effect, once or for each member of a list."""
        effect = statement.effect
        assert effect is not None
        told = [_told("note", ast.Constant(statement.clause)), self._change(statement)]
        if effect.base is None:
            return told
        where = [] if effect.where is None else [skip(ast.UnaryOp(ast.Not(), self._expr(effect.where)))]
        return [ast.For(ast.Name(local(effect.var), ast.Store()), self._expr(effect.base), [*where, *told], [])]

    def _change(self, statement: Statement) -> ast.stmt:
        effect, clause = statement.effect, ast.Constant(statement.clause)
        assert effect is not None
        match effect.op:
            case "set" if effect.target is None:
                return _told("set_root", ast.Constant(effect.field), self._expr(effect.value), clause)
            case "set":
                target, value = self._expr(effect.target), self._expr(effect.value)
                return _told("set_field", ast.Constant(effect.field), target, value, clause)
            case "put":
                values = ast.Tuple([self._expr(term) for _, term in effect.bindings], ast.Load())
                return _told("put", name(self.program.constant(effect)), values, clause)
        return _told("remove", ast.Constant(effect.field), self._expr(effect.target), clause)

    def _expr(self, term: Term | None) -> ast.expr:
        assert term is not None
        return self.coder.expr(self.program.folder.fold(term))


def _told(method: str, *args: ast.expr) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(name(CHANGE), method, ast.Load()), list(args), []))
