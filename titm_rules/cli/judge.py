"""`titm check` and `titm why`: one question, one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from titm_rules.cli.case import Case, Options, open_case
from titm_rules.cli.guard import print_json
from titm_rules.cli.show import show_verdict
from titm_rules.diagnostics import did_you_mean
from titm_rules.edges.jsonin import bad

EVERY = "all"


def judge(file: Path, words: Sequence[str], options: Options, everything: bool = False) -> int:
    """Print the verdict on a case and return its exit code."""
    if options.edition == EVERY:
        from titm_rules.cli.every import judge_every

        return judge_every(file, words, options)
    case = open_case(file, options)
    query, words = split_words(case, words)
    verdict = case.edition.verdict(query, case.full_input(query, words), options.all_readings)
    if options.as_json:
        print_json(verdict.to_dict())
    else:
        show_verdict(verdict, everything)
    return verdict.exit_code


def split_words(case: Case, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Tell the name of the question from the `name=value` words after it.

    Raises:
        InputError: if neither the words nor the file name a question.
    """
    if words and "=" not in words[0]:
        return words[0], words[1:]
    if not case.query:
        known = [name for name, q in case.edition.questions.items() if q.situation == case.situation]
        raise bad("no question is asked", "QUERY", did_you_mean("", known), "missing-field")
    return case.query, words
