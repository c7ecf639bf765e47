"""`titm check` and `titm why`: one question, one verdict."""

from __future__ import annotations

from collections.abc import Sequence

from titm_rules.cli.every import editions_meant, judge_every
from titm_rules.cli.guard import print_answer
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import show_verdict
from titm_rules.oracle.case import settled
from titm_rules.oracle.subject import Subject


def judge(subject: Subject, words: Sequence[str], options: SharedOptions, everything: bool = False) -> int:
    """Print the verdict on a case and return its exit code."""
    editions = editions_meant(options.edition, settled(subject.base, options.rules).game)
    if editions is not None:
        return judge_every(subject, words, options, editions)
    case = subject.open(options.rules)
    query, words = case.split_words(words)
    verdict = case.edition.verdict(query, case.full_input(query, words), options.all_readings)
    if options.as_json:
        print_answer(verdict.to_dict())
    else:
        show_verdict(verdict, everything)
    return verdict.exit_code
