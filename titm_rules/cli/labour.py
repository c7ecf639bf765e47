"""Long work on the command line: by whom it is done, where its parts are kept, where its result goes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from titm_rules.cli.broken_off import telling
from titm_rules.editions.cache import cache_folder
from titm_rules.files import write_file
from titm_rules.formats.jsonin import bad

NOTHING_STAYS = "nothing is kept, as there is no cache folder; --work names a folder for what is done"


@dataclass(frozen=True)
class Labour:
    """How the work is done: where its parts are kept, by how many workers, and by whom."""

    folder: Path | None = None
    jobs: int = -1
    backend: str = "loky"

    @contextmanager
    def kept(self, name: str) -> Iterator[Path]:
        """Give the folder of the parts: one that is named, one of the user's cache, or one that goes when all is done.

        Raises:
            InputError: if it cannot be made.
        """
        kept = self.folder or cache_folder()
        if kept is None:
            with tempfile.TemporaryDirectory() as made, telling(lambda: NOTHING_STAYS):
                yield Path(made)
            return
        mine = kept / name
        try:
            mine.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise bad(
                f"cannot make the folder: {error.strerror}", str(mine), "name another with --work", "no-file"
            ) from None
        with telling(lambda: f"the same command goes on from what is done, which is kept in {mine}"):
            yield mine


def write_out(out: Path | None, text: str) -> None:
    """Write a result into a file, or on standard output if none is named.

    Raises:
        InputError: if the file cannot be written.
    """
    if out is None:
        typer.echo(text, nl=False)
        return
    write_file(out, text)
    typer.echo(f"written: {out}", err=True)
