"""Rules with no reading left open, and without what can never count."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.rules.counting import FALSE, TRUE, every_of, negation, never_holds, some_of
from titm_rules.rules.model import Effect, Head, Model, Statement
from titm_rules.rules.terms import Compare, Const, Logic, Term, Var, rebuild
from titm_rules.rules.types import Type


def settled(model: Model) -> Model:
    """Return the same rules with no reading left open: sentences of readings not taken are gone."""
    return replace(model, heads={key: _settled_head(model, head) for key, head in model.heads.items()})


def _settled_head(model: Model, head: Head) -> Head:
    statements = [_settled_statement(model, statement) for statement in head.statements]
    lifts = [replace(lift, when=_settled(model, lift.when)) for lift in head.lifts]
    return replace(
        head,
        statements=tuple(replace(s, when=_plain(s.when)) for s in statements if s.when != FALSE),
        lifts=tuple(replace(lift, when=_plain(lift.when)) for lift in lifts if lift.when != FALSE),
    )


def _settled_statement(model: Model, one: Statement) -> Statement:
    effect = _settled_effect(model, one.effect)
    return replace(one, when=_settled(model, one.when), value=_settled(model, one.value), effect=effect)


def _plain(when: Term | None) -> Term | None:
    return None if when == TRUE else when


def _settled_effect(model: Model, effect: Effect | None) -> Effect | None:
    if effect is None:
        return None
    return replace(
        effect,
        target=_settled(model, effect.target),
        value=_settled(model, effect.value),
        base=_settled(model, effect.base),
        where=_settled(model, effect.where),
        bindings=tuple((name, _term(model, term)) for name, term in effect.bindings),
    )


def _settled(model: Model, term: Term | None) -> Term | None:
    return None if term is None else _term(model, term)


def _term(model: Model, term: Term) -> Term:
    """Put the truth in place of conditions on readings."""
    term = rebuild(term, lambda part: _term(model, part))
    match term:
        case Compare(op=op, left=Var(type=Type(kind="reading"), name=name), right=Const(value=value)):
            return TRUE if (model.reading(name) == value) == (op == "==") else FALSE
        case Logic(op="all", parts=parts):
            return every_of(list(parts))
        case Logic(op="any", parts=parts):
            return some_of(list(parts))
        case Logic(op="not", parts=(part,)):
            return negation(part)
    return term


def pruned(model: Model) -> Model:
    """Leave out of settled rules the sentences that ask for a condition which nothing makes true."""
    while True:
        heads = {key: _pruned_head(model, head) for key, head in model.heads.items()}
        if heads == model.heads:
            return model
        model = replace(model, heads=heads)


def _pruned_head(model: Model, head: Head) -> Head:
    return replace(
        head,
        statements=tuple(s for s in head.statements if not never_holds(model.heads, s.when)),
        lifts=tuple(lift for lift in head.lifts if not never_holds(model.heads, lift.when)),
    )
