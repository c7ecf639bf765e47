"""Editions on disk: which there are, and their checked models, kept between runs."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import stat
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from titm_rules import __version__
from titm_rules.diagnostics import Fault, InputError, RulesetError, did_you_mean
from titm_rules.model.model import Model
from titm_rules.syntax.tree import SourceFile
from titm_rules.vocabulary.data import data_folder

VOCABULARY_FILE = "game.rules"
LEDGER_FILE = "ledger.txt"
IDLE_KINDS = ("note", "component")


@dataclass(frozen=True, slots=True)
class EditionInfo:
    """An edition as the vocabulary declares it; `folder` holds its clauses."""

    name: str
    title: str
    dated: str
    folder: Path


def game_folder(game: str = "titm") -> Path:
    """Find the rule set of a game."""
    folder = data_folder("rulesets") / game
    if not (folder / VOCABULARY_FILE).is_file():
        known = [p.name for p in data_folder("rulesets").iterdir() if (p / VOCABULARY_FILE).is_file()]
        raise InputError(
            [Fault(f"unknown game `{game}`", str(folder), "", did_you_mean(game, known), kind="unknown-name")]
        )
    return folder


def list_editions(game: str = "titm") -> list[EditionInfo]:
    """List the editions of a game, oldest first."""
    model_files = _parse([game_folder(game) / VOCABULARY_FILE])
    infos = [
        EditionInfo(decl.name.text, decl.text, decl.texts[0], game_folder(game) / decl.texts[1])
        for decl in model_files[0].decls
        if decl.kind == "edition"
    ]
    return sorted(infos, key=lambda info: info.dated)


@lru_cache(maxsize=32)
def load_model(edition: str, game: str = "titm") -> Model:
    """Load the checked rules of an edition, from the cache if the files have not changed.

    Raises:
        InputError: for an edition that the game does not have.
        RulesetError: for rules that do not compile.
    """
    folder = game_folder(game)
    digest = _digest(folder, edition)
    cached = _read_cache(digest)
    if cached is not None:
        return cached
    model = _link(edition, game, folder)
    _write_cache(digest, model)
    return model


def _link(edition: str, game: str, folder: Path) -> Model:
    from titm_rules.model.link import link_model

    infos = {info.name: info for info in list_editions(game)}
    if edition not in infos:
        raise InputError(
            [
                Fault(
                    f"unknown edition `{edition}`",
                    "$.edition",
                    "the rule set has no edition of this date",
                    did_you_mean(edition, infos),
                    kind="unknown-edition",
                )
            ]
        )
    info = infos[edition]
    files = _parse([folder / VOCABULARY_FILE, *sorted(info.folder.glob("*.rules"))])
    return link_model(files, edition, info.title, read_ledger(folder))


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A clause of the printed rules: number, kind, title, and the editions that attest it."""

    number: str
    kind: str
    title: str
    history: str

    def is_in(self, edition: str) -> bool:
        """Whether the edition has the clause and it is more than a heading or a component."""
        editions = [part.split(" ")[0] for part in self.history.split("; ")]
        of_another = ":" in self.number and not edition.startswith(self.number.split(":")[0])
        return self.kind not in IDLE_KINDS and edition in editions and not of_another


def read_ledger(folder: Path) -> dict[str, LedgerEntry]:
    """Read the clauses that exist, by number; empty if the rule set keeps no list."""
    path = folder / LEDGER_FILE
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: LedgerEntry(*row[:4]) for row in rows if len(row) >= 4}


def _parse(paths: list[Path]) -> list[SourceFile]:
    from titm_rules.syntax.parser import parse_rules

    parsed: list[SourceFile] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            parsed.append(parse_rules(path.read_text(encoding="utf-8"), _shown(path)))
        except RulesetError as error:
            faults.extend(error.faults)
    if faults:
        raise RulesetError(faults)
    return parsed


def _shown(path: Path) -> str:
    """Show a path of a rule set from its folder `rulesets` on."""
    parts = path.parts
    return "/".join(parts[parts.index("rulesets") :]) if "rulesets" in parts else str(path)


# ---------------------------------------------------------------------- the cache
def _digest(folder: Path, edition: str) -> str:
    found = hashlib.sha256()
    found.update(f"{__version__}\0{edition}\0{sys.version}".encode())
    found.update(importlib.util.MAGIC_NUMBER)
    package = Path(__file__).resolve().parent.parent
    code = [package / "model", package / "syntax"]
    for path in sorted([*folder.rglob("*"), *(p for c in code for p in c.glob("*.py"))]):
        if path.is_file():
            found.update(path.name.encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def _cache_path(digest: str) -> Path | None:
    """Name the file of a cached model; nothing if the user's cache folder is not safe to read."""
    if os.environ.get("TITM_RULES_CACHE") == "off":
        return None
    import platformdirs

    folder = Path(os.environ.get("TITM_RULES_CACHE") or platformdirs.user_cache_dir("titm_rules"))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        info = folder.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return folder / f"{digest}.model"


def _read_cache(digest: str) -> Model | None:
    path = _cache_path(digest)
    if path is None or not path.is_file():
        return None
    try:
        found = pickle.loads(path.read_bytes())
    except Exception:  # a broken cache is as good as none
        return None
    return found if isinstance(found, Model) else None


def _write_cache(digest: str, model: Model) -> None:
    path = _cache_path(digest)
    if path is None:
        return
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(pickle.dumps(model, protocol=pickle.HIGHEST_PROTOCOL))
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
