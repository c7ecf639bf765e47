"""How far definitions unfold: each may rest on others, but not so deep, nor so often, that no answer would come."""

from __future__ import annotations

from collections.abc import Mapping

from titm_rules.rules.model import Head
from titm_rules.rules.rests import head_terms
from titm_rules.rules.schema import Faults
from titm_rules.rules.terms import Call, subterms

MAX_LEVELS = 30
MAX_CALLS = 10_000


def check_unfolding(heads: Mapping[str, Head], faults: Faults) -> None:
    """Refuse definitions that rest on each other too deep, or that ask for others too often when all is written out.

    The first that goes too far is named; what leads back to itself is for another check.
    """
    levels: dict[str, int] = {}
    calls: dict[str, int] = {}
    for key in _innermost_first(heads):
        asked = [name for name in _asked(heads[key]) if name in levels]
        levels[key] = 1 + max((levels[name] for name in asked), default=0)
        calls[key] = sum(1 + calls[name] for name in asked)
        if levels[key] > MAX_LEVELS:
            _refuse(heads[key], f"rests on definitions over {MAX_LEVELS} levels deep", faults)
            return
        if calls[key] > MAX_CALLS:
            _refuse(heads[key], f"asks for definitions over {MAX_CALLS} times when all are written out", faults)
            return


def _asked(head: Head) -> list[str]:
    """List the definitions that a head asks for, each as often as it stands there."""
    return [part.head for term in head_terms(head) for part in subterms(term) if isinstance(part, Call)]


def _innermost_first(heads: Mapping[str, Head]) -> list[str]:
    """Order heads so that each comes after those that it asks for, circles apart; no recursion, for it may be deep."""
    order: list[str] = []
    seen: set[str] = set()
    for key in heads:
        stack = [(key, False)]
        while stack:
            name, is_done = stack.pop()
            if is_done:
                order.append(name)
            elif name not in seen:
                seen.add(name)
                stack.append((name, True))
                stack.extend((asked, False) for asked in _asked(heads[name]) if asked in heads)
    return order


def _refuse(head: Head, what: str, faults: Faults) -> None:
    sentence = next(iter(head.sentences))
    faults.add(f"`{head.key}` {what}", sentence.span, "no answer would come in time", "say it with fewer definitions")
