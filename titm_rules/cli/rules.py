"""`titm lint` and `titm fmt`: rule files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from titm_rules.cli.guard import print_json
from titm_rules.editions.check import changed_layouts, check_files
from titm_rules.editions.games import files_of, scenario_files
from titm_rules.files import write_file


def lint_files(files: Sequence[Path], game: str, as_json: bool) -> int:
    """Check rule files together; by default every edition of the game.

    A file of an edition is checked with all that the edition consists of, house rules on top of the
    newest edition, and any other file with the vocabulary.

    Raises:
        RulesetError: with every fault.
    """
    models = check_files(files, game)
    if as_json:
        print_json({"ok": True, "checked": [{"edition": m.edition, "clauses": len(m.clauses)} for m in models]})
        return 0
    for model in models:
        typer.echo(f"{model.edition}: {len(model.clauses)} clauses, no fault")
    return 0


def format_files(files: Sequence[Path], check: bool, game: str, as_json: bool) -> int:
    """Write rule files in the one layout; with `check` only tell which would change."""
    paths = list(files) or list(dict.fromkeys([*files_of(game, "**/*.rules"), *scenario_files(game, "*/*.rules")]))
    texts = changed_layouts(paths)
    if not check:
        for path, text in texts.items():
            write_file(path, text, "rules", "let the file be written, or copy it")
    changed = list(texts)
    _report(changed, len(paths), check, as_json)
    return 1 if check and changed else 0


def _report(changed: Sequence[Path], total: int, check: bool, as_json: bool) -> None:
    if as_json:
        print_json({"changed": [str(path) for path in changed], "files": total})
        return
    for path in changed:
        typer.echo(f"{'would change' if check else 'changed'}: {path}")
    typer.echo(f"{total - len(changed)} of {total} files {'are' if check else 'were'} laid out already")
