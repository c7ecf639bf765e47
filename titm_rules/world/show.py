"""Values as JSON: ids for records, texts for values of enumerations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.model.model import Answer, Model
from titm_rules.model.terms import Term
from titm_rules.model.types import Type
from titm_rules.world.engine import Engine


def to_json(model: Model, wanted: Type, value: Any) -> Any:
    """Write a value of a type as it stands in a situation; lists keep their order."""
    if value is None or isinstance(value, bool):
        return value
    if wanted.kind == "enum":
        return model.enums[wanted.name].texts[value]
    if wanted.kind in ("set", "pair"):
        inner = Type("enum", wanted.name) if wanted.name in model.enums else Type("record", wanted.name)
        return [to_json(model, inner, one) for one in value]
    return getattr(value, "id", value)


class Shower:
    """Works out answers and writes them as JSON."""

    def __init__(self, model: Model, engine: Engine) -> None:
        self.model, self.engine = model, engine

    def answer(self, answer: Answer, env: Mapping[str, Any]) -> Any:
        """Work out an answer: a value, a map over a list by name, or a record of answers."""
        match answer.kind:
            case "record":
                return {name: self.answer(part, env) for name, part in answer.parts}
            case "each":
                return self._each(answer, env)
        assert answer.term is not None
        return self.show(answer.term, self.engine.term(answer.term, env))

    def _each(self, answer: Answer, env: Mapping[str, Any]) -> Any:
        assert answer.base is not None
        found = []
        for one in self.engine.term(answer.base, env):
            inner = {**env, answer.var: one}
            if answer.where is None or self.engine.term(answer.where, inner):
                value = self.answer(answer.parts[0][1], inner) if answer.parts else None
                found.append((self.named(one, answer.base.type), value))
        found.sort(key=lambda pair: str(pair[0]))
        return dict(found) if answer.parts else [name for name, _ in found]

    def named(self, one: Any, base: Type) -> Any:
        """Name a member of a list: a record by its id, a value of an enumeration by its text."""
        enum = self.model.enums.get(base.name)
        return enum.texts[one] if enum is not None else getattr(one, "id", one)

    def show(self, term: Term, value: Any) -> Any:
        """Write a value by the type of its term; ids of a list are sorted."""
        if isinstance(value, list) and term.type.name not in self.model.enums:
            return sorted(one.id for one in value)
        return to_json(self.model, term.type, value)
