"""Parse conditions on a choice, such as `d1>a4 and picks of a2 is at most 1`, and what is best in one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from titm_rules.diagnostics import Fault, InputError, Span
from titm_rules.files import grammar_text

if TYPE_CHECKING:
    from lark import Lark

    from titm_rules.syntax.builder import TreeNode

MAX_CHARACTERS = 1_000  # which also bounds how deep a condition is nested
_OPERATORS = {"at_least": ">=", "at_most": "<=", "more_than": ">", "less_than": "<", "exactly": "==", "one_of": "=="}
_FORMS = (
    "write `A>B`, `A is picked`, `picks of A is at least 2` or `dice at A is at least 5`, joined by `and`, `or`, `not`"
)
_BEST = "write `most chance to destroy A`, `most expected loss` or `least expected loss of A`"


@dataclass(frozen=True, slots=True)
class PickCondition:
    """A chooser picks a target."""

    chooser: str
    target: str


@dataclass(frozen=True, slots=True)
class CountCondition:
    """How often a target is picked, or how many dice are thrown at it, compared (`op` as in Python) with a number."""

    what: Literal["picks", "dice"]
    target: str
    op: str
    number: int


@dataclass(frozen=True, slots=True)
class JoinedCondition:
    """Conditions joined: `op` is all, any or not."""

    op: Literal["all", "any", "not"]
    parts: tuple[ChoiceCondition, ...]


ChoiceCondition = PickCondition | CountCondition | JoinedCondition


@dataclass(frozen=True, slots=True)
class Best:
    """The choices to prefer: the most or the least of the chance that all targets are destroyed, or of what they lose.

    Without targets the losses of all count.
    """

    most: bool
    what: Literal["destroyed", "expected"]
    targets: tuple[str, ...]


def parse_condition(text: str, path: str) -> ChoiceCondition:
    """Parse a condition; raises `InputError` that shows where another text goes wrong."""
    return _condition(_tree(text, "condition", path, _FORMS))


def parse_best(text: str, path: str) -> Best:
    """Parse what is best; raises `InputError` that shows where another text goes wrong."""
    tree = _tree(text, "best", path, _BEST)
    degree, *names = tree.children
    return Best(degree.data == "most", str(tree.data), tuple(str(name) for name in names if name))  # type: ignore[arg-type]


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(
        grammar_text("conditions"), parser="lalr", lexer="contextual", start=["condition", "best"],
        maybe_placeholders=True,
    )  # fmt: skip


def _tree(text: str, start: str, path: str, forms: str) -> TreeNode:
    from lark.exceptions import UnexpectedInput

    if len(text) > MAX_CHARACTERS:
        why, fix = f"limit: {MAX_CHARACTERS} characters", "give several conditions"
        raise InputError([Fault("the condition is too long", path, why, fix, kind="too-large")])
    try:
        tree: TreeNode = _parser().parse(text, start=start)
        return tree
    except UnexpectedInput as error:
        at = error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream < len(text) else len(text)
        word = text[at:].split(maxsplit=1)[0] if text[at:].strip() else ""
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        what = f"`{word}` is not expected here" if word else "something is missing at the end"
        span = Span(path, line, column, column + max(1, len(word)))
        raise InputError([Fault(what, span, "", forms, text.split("\n")[line - 1], kind="syntax")]) from None


def _condition(tree: TreeNode) -> ChoiceCondition:
    kind, children = str(tree.data), tree.children
    match kind:
        case "any_of" | "all_of":
            return JoinedCondition("any" if kind == "any_of" else "all", tuple(map(_condition, children)))
        case "negation":
            return _not(_condition(children[0]))
        case "pick":
            return PickCondition(*map(str, children))
        case "picked_by" | "unpicked_by":
            pick = PickCondition(*map(str, children[::-1]))
            return pick if kind == "picked_by" else _not(pick)
        case "counted" | "uncounted":
            measure, target, bound = children
            counted = _counted("picks" if measure.data == "picks" else "dice", str(target), bound)
            return counted if kind == "counted" else _not(counted)
        case "picked":
            return _counted("picks", str(children[0]), children[1])
    return CountCondition("picks", str(children[0]), "<", 1)


def _not(condition: ChoiceCondition) -> JoinedCondition:
    return JoinedCondition("not", (condition,))


def _counted(what: Literal["picks", "dice"], target: str, bound: TreeNode | None) -> ChoiceCondition:
    """Make a comparison; without a bound the target is picked at all."""
    if bound is None:
        return CountCondition(what, target, ">=", 1)
    several = tuple([CountCondition(what, target, _OPERATORS[bound.data], int(one)) for one in bound.children])
    return several[0] if len(several) == 1 else JoinedCondition("any", several)
