"""The parts of an event: what it ranges over, and what it asks of routes, choices and rolls."""

from __future__ import annotations

from dataclasses import dataclass

from titm_rules.rules.terms import Call, Template, Term
from titm_rules.rules.types import Type

Bindings = tuple[tuple[str, Term], ...]


@dataclass(frozen=True, slots=True)
class RangePart:
    """`var` stands for the members of `base` that satisfy `where`, one at a time, or for the `first` of them."""

    var: str
    type: Type
    base: Term
    where: Term | None
    first: bool


@dataclass(frozen=True, slots=True)
class GivenPart:
    """`var` stands for any value of a type."""

    var: str
    type: Type


@dataclass(frozen=True, slots=True)
class ConditionPart:
    """A condition holds; `says` tells a refusal where it does not."""

    condition: Term
    says: Template


@dataclass(frozen=True, slots=True)
class LetPart:
    """`var` stands for what a term gives."""

    var: str
    value: Term


@dataclass(frozen=True, slots=True)
class AblePart:
    """The mover of a route can go somewhere from where it stands, or close the route there."""

    form: str
    bindings: Bindings


@dataclass(frozen=True, slots=True)
class GoingPart:
    """The mover of a route, which has come to `at` for `spent`, goes on: it steps, halts or closes (`kind`)."""

    kind: str
    form: str
    bindings: Bindings
    at: Term
    spent: Term


@dataclass(frozen=True, slots=True)
class SelectPart:
    """A selection is made."""

    form: str
    bindings: Bindings


@dataclass(frozen=True, slots=True)
class ViewPart:
    """The parts behind it are asked in a view of the situation."""

    view: str
    of: Term


@dataclass(frozen=True, slots=True)
class PickPart:
    """The next pick of an allocation is made.

    What was picked before is in the field `kept` of a record of type `keeper`: the `target` of a chooser,
    or, where choosers have no name, how often a target was picked.
    """

    form: str
    bindings: Bindings
    keeper: Type
    kept: str
    target: Type


@dataclass(frozen=True, slots=True)
class RollPart:
    """So many dice (none said: one) are thrown for a roll; clauses read the faces if they are `thrown` under a name."""

    roll: Call
    count: Term | None
    thrown: str = ""


@dataclass(frozen=True, slots=True)
class ThrowPart:
    """So many dice with faces `low` to `high` are thrown; clauses read the faces under the name `thrown`.

    `reads` is empty, or what may be given for a face, and that face.
    """

    count: Term
    thrown: str
    low: int
    high: int
    reads: tuple[int, ...] = ()


EventPart = (
    RangePart
    | GivenPart
    | ConditionPart
    | LetPart
    | AblePart
    | GoingPart
    | SelectPart
    | ViewPart
    | PickPart
    | RollPart
    | ThrowPart
)
