"""Effects: what the sentences of clauses make of a situation when an event happens."""

from __future__ import annotations

from collections.abc import Iterator

from titm_rules.diagnostics import did_you_mean
from titm_rules.model.expressions import Checker, Scope
from titm_rules.model.model import MISSING, Effect, FieldSpec
from titm_rules.model.schema import attribute
from titm_rules.model.terms import Field, Root, Term
from titm_rules.syntax.tree import Expr, Sentence, Word


def read_effects(sentence: Sentence, checker: Checker, scope: Scope) -> Iterator[Effect]:
    """Check a sentence that sets, puts or removes; yield its effects."""
    var, base, where = "", None, None
    if sentence.sweep is not None:
        var = sentence.sweep.name.text
        base = checker.list_of(sentence.sweep.base, scope)
        scope = Scope(scope.situation, {**scope.names, var: checker.schema.member(base.type)})
        if sentence.sweep.where is not None:
            where = checker.condition(sentence.sweep.where, scope)
    for effect in _simple(sentence, checker, scope):
        yield Effect(
            effect.op, effect.field, effect.target, effect.value, effect.record, effect.bindings, var, base, where
        )


def effect_terms(effect: Effect) -> Iterator[Term]:
    """Yield the terms of an effect."""
    for term in (effect.target, effect.value, effect.base, effect.where):
        if term is not None:
            yield term
    yield from (value for _, value in effect.bindings)


def _simple(sentence: Sentence, checker: Checker, scope: Scope) -> Iterator[Effect]:
    match sentence.kind:
        case "sets":
            for target, value in sentence.assignments:
                effect = _assignment(target, value, checker, scope)
                if effect is not None:
                    yield effect
        case "puts":
            effect = _put(sentence, checker, scope)
            if effect is not None:
                yield effect
        case "removes":
            spec = _list(sentence.word, checker, scope)
            if spec is not None and sentence.value is not None:
                member = checker.schema.member(spec.type)
                yield Effect("remove", spec.name, checker.of_type(sentence.value, scope, member))


def _assignment(target: Expr, value: Expr, checker: Checker, scope: Scope) -> Effect | None:
    found = checker.term(target, scope)
    if isinstance(found, Field | Root):
        base = found.base if isinstance(found, Field) else None
        term = checker.empty(found.type) if value.op == "nothing" else checker.of_type(value, scope, found.type)
        return Effect("set", found.field, base, term)
    if found.type.kind != "error":
        checker.schema.faults.add(
            "only a field can be set", target.span, f"this is a {found.type} that is worked out",
            "name a field of a record or of the situation",
        )  # fmt: skip
    return None


def _put(sentence: Sentence, checker: Checker, scope: Scope) -> Effect | None:
    """Read `puts RECORD with FIELD = ... in LIST`, the list or the field that takes such a record."""
    assert sentence.word is not None
    record = checker.schema.records.get(sentence.word.text)
    spec = _list(sentence.into, checker, scope, of=sentence.word)
    if record is None or spec is None:
        return None
    fields = {f.name: f for f in record.fields}
    bindings = []
    for binding in sentence.bindings:
        name = attribute(binding.name.text)
        if name != "id" and name not in fields:
            checker.schema.faults.add(
                f"a {record.name} has no `{binding.name.text}`", binding.name.span,
                fix=did_you_mean(binding.name.text, [f.replace("_", "-") for f in fields]),
            )  # fmt: skip
            continue
        wanted = fields[name].type if name in fields else None
        term = checker.of_type(binding.value, scope, wanted) if wanted else checker.term(binding.value, scope)
        bindings.append((name, term))
    given = {name for name, _ in bindings}
    missing = [f.name for f in record.fields if f.name not in given and f.default == MISSING and not f.same_as]
    if missing:
        checker.schema.faults.add(
            f"a {record.name} needs {', '.join(missing)}", sentence.word.span,
            "a record has all its fields, those with a default apart", "write `with NAME = ...`",
        )  # fmt: skip
    return Effect("put", spec.name, record=record.name, bindings=tuple(bindings))


def _list(word: Word | None, checker: Checker, scope: Scope, of: Word | None = None) -> FieldSpec | None:
    """Find the list of the situation that an effect changes."""
    assert word is not None
    known = {spec.name: spec for spec in checker.schema.records[scope.situation].fields}
    spec = known.get(attribute(word.text))
    if spec is None or (of is not None and spec.type.name != of.text):
        checker.schema.faults.add(
            f"`{word.text}` takes no such record", word.span, f"a {scope.situation} keeps its records in lists",
            did_you_mean(word.text, [name.replace("_", "-") for name in known]),
        )  # fmt: skip
        return None
    return spec
