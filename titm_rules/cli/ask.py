"""`titm check` and `titm why`: one question put to one edition or to all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from titm_rules.cli.terminal import DEPENDS, ILLEGAL, LEGAL, echo, print_answer, styled
from titm_rules.cli.verdict_text import flat, print_table, show_verdict
from titm_rules.diagnostics import Fault, InputError
from titm_rules.editions.registry import edition_on
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.all_editions import Opinion, Subject, agreed, ask_every
from titm_rules.oracle.case import Case, Rules, with_default_rules
from titm_rules.oracle.edition import Edition
from titm_rules.service.budget import Budget

if TYPE_CHECKING:
    from titm_rules.oracle.event import EventBook


@dataclass(frozen=True)
class SharedOptions:
    """The options that commands share, as they were written; a command that lacks one has its default."""

    file: str = ""
    words: Sequence[str] = ()
    base: str = ""
    changes: Sequence[str] = ()
    at: str = ""
    game: str = ""
    edition: str | None = None
    readings: Sequence[str] = ()
    under: str | None = None
    overlays: Sequence[str] = ()
    event: str = ""
    engine: str = Edition.engine
    as_json: bool = False
    jobs: int = -1
    backend: str = "loky"
    folder: Path | None = None
    seconds: float = Budget.seconds
    memory: int = Budget.mebibytes

    @property
    def rules(self) -> Rules:
        """The rules that they name. Raises `InputError` for a reading that is not `NAME=CHOICE`."""
        chosen = {}
        for word in self.readings:
            name, equals, choice = word.partition("=")
            if not equals:
                raise bad(f"`{word}` is not a reading", "--reading", "write NAME=CHOICE", "bad-value")
            chosen[name] = choice
        rules = Rules(self.edition, chosen, self.engine, tuple(self.overlays), self.game)
        return self.book.rules(rules) if self.book is not None else rules

    @cached_property
    def book(self) -> EventBook | None:
        """The book of the event that is named; raises `InputError` if the folder has none."""
        if not self.event:
            return None
        from titm_rules.oracle.event import open_event

        return open_event(Path(self.event))

    @property
    def dated_edition(self) -> Edition:
        date = edition_on(self.edition, self.game) if self.edition else ""
        return Edition(date, game=self.game, overlays=tuple(self.overlays))

    @property
    def budget(self) -> Budget:
        return Budget(self.seconds, self.memory)

    @property
    def all_readings(self) -> bool:
        """Whether no reading is fixed. Raises `InputError` for a word other than `all`."""
        if self.under not in (None, "all"):
            raise bad(f"`{self.under}` is not `all`", "--readings", "fix one reading with --reading NAME=CHOICE")
        return self.under == "all"

    @property
    def subject(self) -> tuple[Subject, Sequence[str]]:
        """The subject and the words of the question: with `--from` all. Raises `InputError` if nothing is named."""
        if not (self.base or self.file):
            fix = "pass a file or a bundled name, or use --from NAME"
            raise bad("the position is missing", "FILE", fix, "missing-field")
        words = [self.file, *self.words] if self.base and self.file else self.words
        return Subject(Path(self.base or self.file), ", ".join(self.changes), self.at), words

    def open_case(self) -> tuple[Case, Sequence[str]]:
        """Open the subject, and give the words of the question. Raises `InputError` if that cannot be done."""
        subject, words = self.subject
        return subject.open(self.rules), words

    @property
    def start(self) -> str:
        """What play starts from, with what differs from it, as a notation."""
        return ",".join([self.file, *self.changes])


# ---------------------------------------------------------------------- several editions
SHOWN = 4
EVERY = "all"


def editions_meant(text: str | None, game: str) -> list[str] | None:
    """Name the editions of `A,B,C`, none for all; nothing if one is named. Raises `InputError` for a bad date."""
    if text == EVERY:
        return []
    names = [part.strip() for part in (text or "").split(",") if part.strip()]
    return list(dict.fromkeys(edition_on(name, game) for name in names)) if len(names) > 1 else None


def _print_json(lines: Sequence[Opinion]) -> None:
    from titm_rules.service.protocol import by_edition, changes_between, error_record

    said = {one.edition: one.verdict.to_dict() for one in lines if one.verdict is not None}
    errors = {one.edition: error_record(one.error) for one in lines if one.error is not None}
    without = {one.edition: list(one.without) for one in lines if one.without}
    more = {name: value for name, value in (("errors", errors), ("without", without)) if value}
    print_answer({**by_edition(said), "changes": changes_between(said), **more})


def _show(lines: Sequence[Opinion]) -> None:
    print_table(("", "edition", "verdict", "clauses", "assumed", "readings"), map(_row, lines))
    if any(line.without for line in lines):
        echo("(not NAME): the edition does not have this choice; its own reading holds")
    changes = [line.edition for line in lines if line.changed]
    echo(f"* changes in {', '.join(changes)}" if changes else "the same in every edition")


def _row(line: Opinion) -> Sequence[str]:
    mark, verdict = "*" if line.changed else "", line.verdict
    if verdict is None:
        return mark, line.edition, "no answer", line.error.faults[0].what if line.error else "", "", ""
    rest = {name: value for name, value in verdict.answer.items() if name not in ("legal", "sha256")}
    told = f"{verdict.label}: {flat(rest)}" if rest else verdict.label
    more = len(line.clauses) - SHOWN
    named = ", ".join(line.clauses[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    deciding = [f"{name}={'/'.join(choices)}" for name, choices in verdict.depends_on.items()]
    readings = ", ".join([*deciding, *(f"(not {name})" for name in line.without)])
    return mark, line.edition, told, named, str(len(verdict.assumed) or ""), readings


def _with_example(fault: Fault, query: str) -> Fault:
    """Say of an input that is missing how to give it as a word."""
    name = str(fault.where).removeprefix("$.input.")
    if fault.kind != "missing-field" or not name.isidentifier():
        return fault
    fix = f"add {name}=...; `titm questions {query}` shows an example"
    return replace(fault, what=f"`{query}` needs {name}", fix=fix)


def judge(options: SharedOptions, everything: bool = False, ruling: Path | None = None) -> int:
    subject, words = options.subject
    editions = editions_meant(options.edition, with_default_rules(subject.base, options.rules).game)
    if editions is not None and ruling is not None:
        raise bad("a ruling is of one edition", "--ruling", "name one with --edition", "bad-value")
    if editions is not None:
        lines = ask_every(subject, words, options.rules, options.all_readings, editions)
        if options.as_json:
            _print_json(lines)
        else:
            _show(lines)
        shared = agreed(lines)
        return DEPENDS if shared is None else shared.exit_code
    case = subject.open(options.rules)
    query, words = case.split_words(words)
    inputs = case.full_input(query, words)
    try:
        verdict = case.edition.verdict(query, inputs, options.all_readings)
    except InputError as error:
        raise InputError([_with_example(fault, query) for fault in error.faults]) from None
    if options.book is not None:
        verdict = replace(verdict, notes=(*verdict.notes, *options.book.notes))
    if ruling is not None:
        from titm_rules.oracle.rulings import make_ruling, write_ruling  # pydantic takes a fifth of a check

        write_ruling(ruling, make_ruling(case, query, inputs, verdict))
    if options.as_json:
        print_answer(verdict.to_dict())
    else:
        show_verdict(verdict, everything)
    return verdict.exit_code


def explain(options: SharedOptions) -> int:
    return judge(options, everything=True)


# ---------------------------------------------------------------------- rulings and records
def verify(options: SharedOptions, files: Sequence[Path], last: str) -> int:
    """Check rulings and records of games; 1 if one does not hold."""
    if not files:
        raise bad("no file is named", "FILE", "name a ruling or the record of a game", "missing-field")
    found = [_verified(options, path, last) for path in files]
    if options.as_json:
        told = [record for _, record in found]
        print_answer({"answer": told[0] if len(told) == 1 else {"files": told}})
    return max(code for code, _ in found)


def _verified(options: SharedOptions, path: Path, last: str) -> tuple[int, dict[str, Any]]:
    from titm_rules.oracle.rulings import check_ruling, is_ruling, read_ruling

    if not is_ruling(path):
        return _verified_record(options, path, last)
    check = check_ruling(read_ruling(path), options.rules)
    if not options.as_json:
        echo(styled(f"{path}: {check.ruling.question}", bold=True))
        for line in check.says:
            echo(f"  {line}")
    return LEGAL if check.holds else ILLEGAL, {"file": str(path), **check.to_dict()}


def _verified_record(options: SharedOptions, path: Path, last: str) -> tuple[int, dict[str, Any]]:
    from titm_rules.oracle.rulings import check_record

    found = check_record(path, options.rules, last)
    if not options.as_json:
        echo(styled(f"{path}: {found.says}", bold=True))
        if found.fault:
            echo(f"  line {found.line}: {found.fault}" if found.line else f"  {found.fault}")
        for name, value in found.result.items():
            echo(f"  {name}: {value}")
    return ILLEGAL if found.fault else LEGAL, {"file": str(path), **found.to_dict()}
