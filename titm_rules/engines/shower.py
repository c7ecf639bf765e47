"""Answers that a rule set declares, worked out by an engine and written as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from titm_rules.engines.engine import Engine
from titm_rules.rules.model import Allocation, Answer, Model, Route, Selection
from titm_rules.rules.terms import Term
from titm_rules.rules.types import Type
from titm_rules.world.records import Value
from titm_rules.world.show import to_json


def line(form: Allocation | Selection, picked: tuple[Any, ...]) -> str:
    """Write a choice on one line: `a1>d2,a2>d1`, a sequence `d1,d3`, or a sorted set."""
    if isinstance(form, Selection):
        return ",".join(sorted(one.id for one in picked))
    if form.chooser is None:
        return ",".join(one.id for one in picked)
    return ",".join(sorted(f"{who.id}>{target.id}" for who, target in picked))


class Shower:
    """Works out answers and writes them as JSON."""

    def __init__(self, model: Model, engine: Engine) -> None:
        self.model, self.engine = model, engine

    def answer(self, answer: Answer, env: Mapping[str, Any]) -> Any:
        """Work out an answer: a value, a map over a list by name, or a record of answers."""
        match answer.kind:
            case "record":
                return self.answers(answer.parts, env)
            case "each" | "list":
                return self._each(answer, env)
            case "choices":
                return self._choices(answer, env)
        assert answer.term is not None
        return self.show(answer.term, self.engine.term(answer.term, env))

    def answers(self, parts: Iterable[tuple[str, Answer]], env: Mapping[str, Any]) -> dict[str, Any]:
        """Work out named answers; one whose condition does not hold is left out."""
        return {
            name: self.answer(part, env)
            for name, part in parts
            if part.when is None or self.engine.term(part.when, env)
        }

    def _choices(self, answer: Answer, env: Mapping[str, Any]) -> list[str]:
        form = self.model.forms[answer.form]
        given = {name: self.engine.term(term, env) for name, term in answer.bindings}
        if isinstance(form, Route):
            mover = given.pop(form.mover[0])
            return sorted(",".join(way.names) for way in self.engine.ways(form, mover, given))
        assert isinstance(form, Allocation | Selection)
        return sorted(line(form, one) for one in self.engine.choices(form, given))

    def _each(self, answer: Answer, env: Mapping[str, Any]) -> Any:
        assert answer.base is not None
        found: list[tuple[Any, Any]] = []
        for one in self.engine.term(answer.base, env):
            inner = {**env, answer.var: one}
            if answer.where is None or self.engine.term(answer.where, inner):
                value = self.answer(answer.parts[0][1], inner) if answer.parts else None
                found.append((self.named(one, answer.base.type), value))
        if answer.kind == "list":
            return [value for _, value in found]
        found.sort(key=lambda pair: (isinstance(pair[0], str), pair[0]))
        return dict(found) if answer.parts else [name for name, _ in found]

    def named(self, one: Any, base: Type) -> Any:
        """Name a member of a list: a record by its id, a value of an enumeration by its text."""
        enum = self.model.enums.get(base.name)
        return enum.texts[one] if enum is not None else getattr(one, "id", one)

    def show(self, term: Term, value: Value) -> Any:
        """Write a value by the type of its term; ids of a list are sorted."""
        if isinstance(value, list) and term.type.name not in self.model.enums:
            return sorted(one.id for one in value)
        return to_json(self.model, term.type, value)
