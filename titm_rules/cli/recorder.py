"""The record of a game as it is written: line by line, so that whatever breaks the game off leaves what was played."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from titm_rules.cli.broken_off import telling
from titm_rules.diagnostics import InputError
from titm_rules.formats.jsonin import bad
from titm_rules.syntax.record import GameRecord, RecordedAction


class RecordFile:
    """Counts the actions of a game, and writes each at once if there is a file."""

    def __init__(self, file: FileIO | None = None) -> None:
        self.count = 0
        self._file = file
        self._whole = 0  # bytes of whole lines

    def add(self, line: RecordedAction) -> None:
        """Take in an action.

        Raises:
            InputError: if it cannot be written.
        """
        self.write(f"{line}\n")
        self.count += 1

    def write(self, text: str) -> None:
        """Write whole lines, or none of them.

        Raises:
            InputError: if they cannot be written.
        """
        if self._file is None:
            return
        left = whole = text.encode("utf-8")
        try:
            while left:  # a disk that is nearly full takes a part
                left = left[self._file.write(left) :]
            self._whole += len(whole)
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(self._whole)
            raise _not_written(str(self._file.name), error) from None


@contextmanager
def record_file(path: Path | None, head: GameRecord) -> Iterator[RecordFile]:
    """Open a file for a record, if one is named, and write its head.

    Raises:
        InputError: if it cannot be written.
    """
    if path is None:
        yield RecordFile()
        return
    try:
        file = FileIO(str(path), "w")
    except OSError as error:
        raise _not_written(str(path), error) from None
    with file:
        record = RecordFile(file)
        record.write(head.write())
        with telling(lambda: f"{path} holds the {record.count} actions that were played"):
            yield record


def _not_written(path: str, error: OSError) -> InputError:
    return bad(f"cannot write the record: {error.strerror}", path, kind="no-file")
