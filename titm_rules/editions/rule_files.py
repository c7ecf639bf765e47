"""Check and format rule files on disk, and write the skeleton of a new game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from pathlib import Path

from titm_rules.catalog import RULESET_FOLDER, VOCABULARY_FILE, game_folder, game_folders, game_of_file, is_name
from titm_rules.checker.link import Sources, link
from titm_rules.diagnostics import Fault, InputError, RulesetError, cut
from titm_rules.editions.load import consolidated, edition_sources, load_model, refuse_lost_prices
from titm_rules.editions.registry import default_edition, editions_in, list_editions
from titm_rules.editions.sources import parse_files, read_ledger, vocabulary_files
from titm_rules.files import data_folder, read_text, unsaved_texts
from titm_rules.ir.model import Model
from titm_rules.syntax.ast import AddClause, AddKnown, GameDecl, SourceFile, clauses_named
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.parser import parse_rules

MAX_BYTES = 4_000_000


def check_files(files: Sequence[Path], game: str = "") -> list[Model]:
    """Check rule files together; without files, every edition of a game. Raises `RulesetError` with every fault."""
    if files:
        sources, amended, edition = _gather(files, game)
        refuse_empty_sheet(files)
        model = replace(link(sources), home=amended)
        if amended:
            refuse_lost_prices(game_folder(amended), edition, model, sources.overlays)
        return [model]
    return [load_model(info.name, game) for info in list_editions(game)]


def refuse_empty_sheet(files: Sequence[Path]) -> None:
    """Raise `InputError` for files that belong to no edition and say nothing, which no other fault would name."""
    if not edition_of(files[0])[1]:
        refuse_empty([parse_rules(read_rules(path), str(path)) for path in files], str(files[0]))


def refuse_empty(sources: Iterable[SourceFile], where: str) -> None:
    """Raise `InputError` if all files of a sheet are empty, or hold comments alone."""
    if not any(it.amendments or it.clauses or it.decls or it.courses for it in sources):
        fix = "write amendments into it"
        raise InputError([Fault("the sheet is empty", where, fix=fix, kind="missing-field")])


def lost_by(files: Sequence[Path], model: Model) -> list[Fault]:
    """List the clauses of house rules that decide less than those of the edition that they amend."""
    if not (files and model.home):
        return []
    before = load_model(amended_edition(parse_files(files), model.home), model.home).clauses
    own, found = {str(path) for path in files}, []
    for info in model.clauses.values():
        if info.span.path in own and info.id in before:
            said = dict.fromkeys((*before[info.id].heads, *before[info.id].excepts))
            lost = [f"`{one}`" for one in said if one not in (*info.heads, *info.excepts)]
            if lost:
                what = f"clause {info.id} says nothing about {', '.join(lost)} any more"
                why = "the clause that it replaces did, and a clause is replaced with all its sentences"
                fix = f"repeat the sentences that are to stay: `titm clauses {info.id}` shows them"
                found.append(Fault(what, str(info.span), why, fix))
    return found


def gather(files: Sequence[Path], game: str = "") -> Sources:
    """Gather the sources that rule files are checked with.

    A file of an edition is checked with the whole edition, a file that all editions share with the default edition,
    house rules (amendments, or declarations alone) with the edition that they amend, and any other file with the
    vocabulary.
    """
    return _gather(files, game)[0]


def amended_edition(sources: Sequence[SourceFile], game: str = "") -> str:
    """Name the newest edition in which all clauses are in force that a sheet amends, or the newest of all."""
    amendments = [one for source in sources for one in source.amendments]
    new = {ref.text for one in amendments if isinstance(one, AddClause | AddKnown) for ref in clauses_named(one)}
    old = {ref.text for one in amendments for ref in getattr(one, "refs", ())} - new
    names = [info.name for info in reversed(list_editions(game))] or [default_edition(game)]
    return next((name for name in names if old <= _standing(name, game)), names[0])


def _standing(edition: str, game: str) -> Set[str]:
    """Name the clauses of an edition; of files that are being edited without a check."""
    return (consolidated(edition, game).standing if unsaved_texts() else load_model(edition, game).clauses).keys()


def named_game(sources: Iterable[SourceFile]) -> str | None:
    """Give the game that some files name, if one does."""
    return next((one.name.text for source in sources for one in source.decls if isinstance(one, GameDecl)), None)


def _gather(files: Sequence[Path], game: str) -> tuple[Sources, str, str]:
    """Gather sources; say also the game and the edition that they amend, if they are house rules."""
    folder, edition = edition_of(files[0])
    if edition:
        game_of_file(files[0], None, game)
        return edition_sources(folder, edition)[0], "", ""
    sources = tuple(parse_rules(read_rules(path), str(path)) for path in files)
    named = named_game(sources)
    amends = any(source.amendments for source in sources)
    declares = any(source.decls for source in sources) and not named
    is_overlay = amends or (declares and not any(source.clauses or source.courses for source in sources))
    game = game_of_file(files[0], named if is_overlay else None, game)
    folder = game_folder(game)
    if is_overlay and list_editions(game):
        edition = amended_edition(sources, game)
        return edition_sources(folder, edition, files)[0], game, edition
    if named:
        return Sources(sources, files[0].stem), "", ""
    shared = tuple(parse_rules(read_rules(path), str(path)) for path in vocabulary_files(folder))
    return Sources((*shared, *sources), files[0].resolve().parent.name, known_clauses=read_ledger(folder)), "", ""


def edition_of(path: Path) -> tuple[Path, str]:
    """Name the rule set and the edition (or nothing) of a file. Raises `RulesetError` for an unreadable vocabulary."""
    home = path.resolve().parent
    if (home.parent / VOCABULARY_FILE).is_file():
        for info in editions_in(home.parent):
            if info.folder.resolve() == home:
                return home.parent, info.name
    if (home / VOCABULARY_FILE).is_file() and editions_in(home):
        return home, default_edition(str(home))
    return home, ""


def read_rules(path: Path) -> str:
    """Read a rule file. Raises `InputError` if it cannot be read, is too large or is not text."""
    return read_text(path, fix="name a rule file", most=MAX_BYTES)


def changed_layouts(paths: Sequence[Path]) -> dict[Path, str]:
    """Format rule files; return the texts that change. Raises `RulesetError` with every fault of syntax."""
    faults: list[Fault] = []
    changed: dict[Path, str] = {}
    for path in paths:
        text = read_rules(path)
        try:
            formatted = format_rules(text, str(path))
        except RulesetError as error:
            faults.extend(error.faults)
        else:
            changed |= {path: formatted} if formatted != text else {}
    if faults:
        raise RulesetError(faults)
    return changed


SKELETON = "new/skeleton"  # in the folder of the games that ship, one level too deep to be one of them
PLACEHOLDER = "NAME"


def write_skeleton(name: str, parent: Path) -> list[Path]:
    """Write the skeleton of a game; return its files. Raises `InputError` for a bad name, or one that is taken."""
    if not is_name(name):
        what, fix = f"`{cut(name)}` cannot be the name of a game", "use letters, digits, hyphens and underscores"
        raise InputError([Fault(what, "NAME", fix=fix, kind="bad-value")])
    taken = game_folders().get(name) or (parent / name if (parent / name).exists() else None)
    if taken is not None:
        what, fix = f"the name `{name}` is taken", "choose another name"
        raise InputError([Fault(what, str(taken), fix=fix, kind="file-exists")])
    source, written = data_folder(RULESET_FOLDER) / SKELETON, []
    try:
        for path in sorted(path for path in source.rglob("*") if path.is_file()):
            target = parent / name / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(path.read_text(encoding="utf-8").replace(PLACEHOLDER, name), encoding="utf-8")
            written.append(target)
    except OSError as error:
        what, fix = f"cannot write the game: {error.strerror}", "choose another folder with --in"
        raise InputError([Fault(what, str(parent / name), fix=fix, kind="no-file")]) from None
    return written
