"""`titm check` and `titm why`: one question, one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from titm_rules.cli.case import Options, open_case, split_words
from titm_rules.cli.every import judge_every
from titm_rules.cli.guard import print_json
from titm_rules.cli.show import show_verdict

EVERY = "all"


def judge(file: Path, words: Sequence[str], options: Options, everything: bool = False) -> int:
    """Print the verdict on a case and return its exit code."""
    if options.edition == EVERY:
        return judge_every(file, words, options)
    case = open_case(file, options)
    query, words = split_words(case, words)
    verdict = case.edition.verdict(query, case.full_input(query, words), options.all_readings)
    if options.as_json:
        print_json(verdict.to_dict())
    else:
        show_verdict(verdict, everything)
    return verdict.exit_code
