"""What the options of a command say about the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.subject import Subject


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
    """Tell what is asked about from the words behind it; with `--from` all of them are such words.

    Raises:
        InputError: if nothing is named.
    """
    given = list(words or ())
    if base and file:
        given, file = [file, *given], ""
    if not (base or file):
        fix = "name a file, or what ships, or write --from NAME"
        raise bad("nothing is named that could be asked about", "FILE", fix, "missing-field")
    return Subject(Path(base or file), ", ".join(changes or ()), at), given


def with_changes(start: str, changes: Sequence[str] | None) -> str:
    """Name what play starts from with what differs from it, as a notation."""
    return ",".join([start, *(changes or ())])
