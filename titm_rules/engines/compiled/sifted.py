"""Whether some piece at a place meets a condition, asked of all places at once.

A search asks it of place after place. If the condition is about the piece alone, one pass through the pieces
finds all places for which it holds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from titm_rules.engines.compiled.code import Coder, attribute, call, local, name
from titm_rules.rules.counting import every_of
from titm_rules.rules.model import Head, Model
from titm_rules.rules.rests import PLACE
from titm_rules.rules.terms import (
    Compare,
    Const,
    Field,
    IsA,
    Logic,
    Quantified,
    Root,
    Standing,
    Term,
    Var,
    free_names,
    subterms,
)

# What a condition may be made of: it has to be cheap, and to have a value whichever piece it is asked of.
_TOTAL = (Var, Const, Field, Compare, Logic, IsA)


class Places(NamedTuple):
    """A function of all places for which a definition holds, from the root and the parameters but the place.

    Attributes:
        at: the number of the parameter that is the place.
    """

    at: int
    function: Callable[..., Set[Any]]


@dataclass(frozen=True)
class Sifted:
    """A condition on the pieces at a place.

    Attributes:
        place: the parameter that is the place; `others` are the other ones.
        var: the piece in the condition.
        pieces: the list of pieces.
    """

    place: str
    others: tuple[str, ...]
    var: str
    pieces: Term
    condition: Term

    def places(self, coder: Coder) -> ast.expr:
        """Write the set of places where some piece meets the condition."""
        piece = local(self.var)
        loop = ast.comprehension(ast.Name(piece, ast.Store()), coder.expr(self.pieces), [coder.expr(self.condition)], 0)
        return call("placed", ast.SetComp(attribute(name(piece), PLACE), [loop]))


def sifted(model: Model, head: Head, decision: Term) -> Sifted | None:
    """See a definition as a condition on the pieces at a place, if it is one and nothing else."""
    match decision:
        case Quantified(op="some", var=str(var), base=Standing(base=Root() as pieces, place=Var(name=place))) if var:
            condition = every_of([one for one in (decision.where, decision.body) if one is not None])
        case _:
            return None
    others = {one: ptype for one, ptype in head.params if one != place}
    plain = all(ptype.kind in ("enum", "flag") for ptype in others.values())
    stands = any(one.name == PLACE for one in model.records[pieces.type.name].fields)
    total = all(isinstance(one, _TOTAL) for one in subterms(condition))
    if not (plain and stands and total and free_names(condition) <= {var, *others}) or len(others) == len(head.params):
        return None
    return Sifted(place, tuple(others), var, pieces, condition)
