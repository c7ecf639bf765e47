"""`titm lint` and `titm fmt`: rule files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from titm_rules.cli.guard import print_json
from titm_rules.diagnostics import Fault, RulesetError
from titm_rules.edges.jsonin import bad
from titm_rules.editions.load import (
    VOCABULARY_FILE,
    editions_in,
    game_folder,
    link_edition,
    list_editions,
    load_model,
    read_ledger,
)
from titm_rules.model.link import link_model
from titm_rules.model.model import Model
from titm_rules.syntax.parser import parse_rules

MAX_BYTES = 4_000_000


def lint_files(files: Sequence[Path], as_json: bool) -> int:
    """Check rule files together; by default every edition that ships.

    A file of an edition is checked with all that the edition consists of, house rules on top of the
    newest edition, and any other file with the vocabulary.

    Raises:
        RulesetError: with every fault.
    """
    models = [_linked(files)] if files else [load_model(info.name) for info in list_editions()]
    if as_json:
        print_json({"ok": True, "checked": [{"edition": m.edition, "clauses": len(m.clauses)} for m in models]})
        return 0
    for model in models:
        typer.echo(f"{model.edition}: {len(model.clauses)} clauses, no fault")
    return 0


def _linked(files: Sequence[Path]) -> Model:
    """Check files as what they are: of an edition, house rules on the newest one, or a rule set of their own."""
    home = files[0].resolve().parent
    if (home.parent / VOCABULARY_FILE).is_file():
        for info in editions_in(home.parent):
            if info.folder.resolve() == home:
                return link_edition(home.parent, info.name)
    sources = [parse_rules(read_rules(path), str(path)) for path in files]
    if any(source.amendments for source in sources):
        return link_edition(game_folder(), list_editions()[-1].name, files)
    if not any(decl.kind == "game" for source in sources for decl in source.decls):
        vocabulary = game_folder() / VOCABULARY_FILE
        sources.insert(0, parse_rules(read_rules(vocabulary), str(vocabulary)))
        return link_model(sources, home.name, known_clauses=read_ledger(game_folder()))
    return link_model(sources, files[0].stem)


def read_rules(path: Path) -> str:
    """Read a rule file.

    Raises:
        InputError: if it cannot be read, is too large or is no text.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise bad("the file is too large for rules", str(path), kind="too-large")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise bad(f"cannot read the file: {reason}", str(path), "name a rule file", "no-file") from None


def format_files(files: Sequence[Path], check: bool, as_json: bool) -> int:
    """Write rule files in the one layout; with `check` only tell which would change."""
    from titm_rules.syntax.format import format_rules

    paths = list(files) or sorted(game_folder().rglob("*.rules"))
    faults: list[Fault] = []
    formatted = {}
    for path in paths:
        try:
            formatted[path] = format_rules(read_rules(path), str(path))
        except RulesetError as error:
            faults.extend(error.faults)
    if faults:
        raise RulesetError(faults)
    changed = [path for path, text in formatted.items() if text != read_rules(path)]
    if not check:
        for path in changed:
            path.write_text(formatted[path], encoding="utf-8")
    _report(changed, len(paths), check, as_json)
    return 1 if check and changed else 0


def _report(changed: Sequence[Path], total: int, check: bool, as_json: bool) -> None:
    if as_json:
        print_json({"changed": [str(path) for path in changed], "files": total})
        return
    for path in changed:
        typer.echo(f"{'would change' if check else 'changed'}: {path}")
    typer.echo(f"{total - len(changed)} of {total} files {'are' if check else 'were'} laid out already")
