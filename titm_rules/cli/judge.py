"""`titm check` and `titm why`: one question, one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from titm_rules.cli.every import editions_meant, judge_every
from titm_rules.cli.guard import print_json
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import show_verdict
from titm_rules.oracle.case import open_case, settled


def judge(file: Path, words: Sequence[str], options: SharedOptions, everything: bool = False) -> int:
    """Print the verdict on a case and return its exit code."""
    editions = editions_meant(options.edition, settled(file, options.rules).game)
    if editions is not None:
        return judge_every(file, words, options, editions)
    case = open_case(file, options.rules)
    query, words = case.split_words(words)
    verdict = case.edition.verdict(query, case.full_input(query, words), options.all_readings)
    if options.as_json:
        print_json(verdict.to_dict())
    else:
        show_verdict(verdict, everything)
    return verdict.exit_code
