"""`titm check` and `titm why`: one question put to one edition or to all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.cli.terminal import DEPENDS, echo, print_answer
from titm_rules.cli.verdict_text import flat, print_table, show_verdict
from titm_rules.editions.registry import edition_on
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.all_editions import Opinion, Subject, agreed, ask_every
from titm_rules.oracle.case import Rules, with_default_rules
from titm_rules.oracle.edition import Edition


# ---------------------------------------------------------------------- options
@dataclass(frozen=True)
class SharedOptions:
    """The options that commands share, as they were written."""

    edition: str | None = None
    readings: Sequence[str] = ()
    engine: str = Edition.engine
    as_json: bool = False
    overlays: Sequence[str] = ()
    under: str | None = None
    game: str = ""

    @property
    def rules(self) -> Rules:
        """The rules that they name.

        Raises:
            InputError: for a reading that is not `NAME=CHOICE`.
        """
        chosen = {}
        for word in self.readings:
            name, equals, choice = word.partition("=")
            if not equals:
                raise bad(f"`{word}` is not a reading", "--reading", "write NAME=CHOICE", "bad-value")
            chosen[name] = choice
        return Rules(self.edition, chosen, self.engine, tuple(self.overlays), self.game)

    @property
    def all_readings(self) -> bool:
        """Whether no reading is fixed.

        Raises:
            InputError: for a word other than `all`.
        """
        if self.under not in (None, "all"):
            raise bad(f"`{self.under}` is not `all`", "--readings", "fix one reading with --reading NAME=CHOICE")
        return self.under == "all"


def subject_of(
    file: str, words: Sequence[str] | None, base: str, changes: Sequence[str] | None, at: str = ""
) -> tuple[Subject, Sequence[str]]:
    """Separate the subject from the words of the question; with `--from` all words belong to the question.

    Raises:
        InputError: if nothing is named.
    """
    given = list(words or ())
    if base and file:
        given, file = [file, *given], ""
    if not (base or file):
        fix = "pass a file or a bundled name, or use --from NAME"
        raise bad("the position is missing", "FILE", fix, "missing-field")
    return Subject(Path(base or file), ", ".join(changes or ()), at), given


def with_changes(start: str, changes: Sequence[str] | None) -> str:
    """Name what play starts from with what differs from it, as a notation."""
    return ",".join([start, *(changes or ())])


# ---------------------------------------------------------------------- every
NO_ANSWER = "no answer"
SHOWN = 4


EVERY = "all"


def editions_meant(text: str | None, game: str) -> list[str] | None:
    """Name the editions of `A,B,C`, none for all of them; nothing if the text names a single edition.

    Raises:
        InputError: for a date that names no edition.
    """
    if text == EVERY:
        return []
    names = [part.strip() for part in (text or "").split(",") if part.strip()]
    return list(dict.fromkeys(edition_on(name, game) for name in names)) if len(names) > 1 else None


def judge_every(subject: Subject, words: Sequence[str], options: SharedOptions, editions: Sequence[str]) -> int:
    """Print what some editions say, or every one if none is named; the exit code is theirs if they agree, else 3.

    Raises:
        InputError: if no edition can answer.
    """
    lines = ask_every(subject, words, options.rules, options.all_readings, editions)
    if options.as_json:
        from titm_rules.cli.json_output import opinions_told

        print_answer(opinions_told(lines))
    else:
        _show(lines)
    shared = agreed(lines)
    return DEPENDS if shared is None else shared.exit_code


def _show(lines: Sequence[Opinion]) -> None:
    from rich.table import Table

    table = Table("", "edition", "verdict", "clauses", "assumed", "readings", box=None)
    for line in lines:
        mark = "*" if line.changed else ""
        if line.verdict is None:
            table.add_row(mark, line.edition, NO_ANSWER, line.error.faults[0].what if line.error else "", "", "")
            continue
        rest = {name: value for name, value in line.verdict.answer.items() if name not in ("legal", "sha256")}
        told = f"{line.verdict.headline}: {flat(rest)}" if rest else line.verdict.headline
        more = len(line.clauses) - SHOWN
        named = ", ".join(line.clauses[:SHOWN]) + (f" and {more} more" if more > 0 else "")
        table.add_row(mark, line.edition, told, named, str(len(line.verdict.assumed) or ""), _readings(line))
    print_table(table)
    if any(line.without for line in lines):
        echo("(not NAME): the edition does not have this choice; its own reading holds")
    changes = [line.edition for line in lines if line.changed]
    echo(f"* changes in {', '.join(changes)}" if changes else "the same in every edition")


def _readings(line: Opinion) -> str:
    """Name the readings that would change the answer, and those that were chosen but are not to be had."""
    deciding = line.verdict.depends_on if line.verdict is not None else {}
    told = [f"{name}={'/'.join(choices)}" for name, choices in deciding.items()]
    return ", ".join([*told, *(f"(not {name})" for name in line.without)])


# ---------------------------------------------------------------------- judge
def judge(subject: Subject, words: Sequence[str], options: SharedOptions, everything: bool = False) -> int:
    """Print the verdict on a case and return its exit code."""
    editions = editions_meant(options.edition, with_default_rules(subject.base, options.rules).game)
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
