"""JSON output of the command line: the answers of the protocol to the same questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from titm_rules.oracle.all_editions import Opinion
from titm_rules.oracle.case import Case
from titm_rules.oracle.choice_listing import questions_of_choices
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.protocol import by_edition, changes_between, error_record
from titm_rules.service.queries import POSITION, GameQuestion, answer

Json = dict[str, Any]


def legal_actions_told(case: Case, kinds: Sequence[str], actor: str, limit: int) -> Json:
    """Return the reply to `legal_actions` about the position of a case: its answer and the fields beside it.

    Raises:
        InputError: for a kind or an actor that does not exist.
    """
    more: Json = {**({"kinds": list(kinds)} if kinds else {}), **({"actor": actor} if actor else {})}
    call = GameQuestion(case.edition, {POSITION: case.data, "limit": limit, **more}, PositionCache())
    return answer(call, "legal_actions", False, False)


def choices_told(case: Case, words: Sequence[str]) -> Json:
    """Give the reply to the question of choices that words name; of several, each with its name and its input.

    Raises:
        InputError: if there is nothing to choose, or the words fit no such question.
    """
    told = []
    for question, given in questions_of_choices(case, words):
        inputs = case.full_input(question.name, given)
        asked = {name: value for name, value in inputs.items() if name != question.situation}
        reply = answer(GameQuestion(case.edition, inputs, PositionCache()), question.name, False, False)
        told.append({"query": question.name, "input": asked, **reply})
    return told[0] if len(told) == 1 else {"answer": {"questions": told}}


def opinions_told(opinions: Sequence[Opinion]) -> Json:
    """Return the answers of several editions as one reply: each field maps editions to values."""
    said = {one.edition: one.verdict.to_dict() for one in opinions if one.verdict is not None}
    errors = {one.edition: error_record(one.error) for one in opinions if one.error is not None}
    without = {one.edition: list(one.without) for one in opinions if one.without}
    told = {**by_edition(said), "changes": changes_between(said)}
    return told | ({"errors": errors} if errors else {}) | ({"without": without} if without else {})
