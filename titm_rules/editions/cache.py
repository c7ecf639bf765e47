"""What is made of rule files, kept between runs in the user's cache folder; some of it comes in the wheel.

An entry is data: reading it can make the frozen values that rules consist of and nothing else, and runs
no code that it names. It is read only as it was written: its digest is checked first. Whatever is wrong with the folder
or with an entry, it is as good as no entry.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import io
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from titm_rules.files import data_folder, read_sealed, sealed, unsaved_texts
from titm_rules.version import __version__

T = TypeVar("T")
READING = ("checker", "editions", "ir", "syntax")  # packages that make a model of rule files
READY = Path(__file__).resolve().parent.parent / "data" / "ready"  # in a wheel: written there by hatch_build.py
MOST_ENTRIES = 256
LONGEST_UNUSED_S = 60 * 24 * 3600
PART_AGE_S = 3600
_VALUES = ("titm_rules.ir.", "titm_rules.diagnostics")  # packages whose dataclasses an entry may hold
_writes: ContextVar[bool] = ContextVar("_writes", default=True)


def cached(folder: Path, what: str, overlays: Sequence[Path], kind: type[T], make: Callable[[], T]) -> T:
    """Read something from the cache, or make it and put it there.

    Args:
        folder: the rule set that it is made of.
        what: tells it from other things made of the same files.
        overlays: further files that it is made of.
        kind: its type.
        make: makes it; what it makes of texts that an editor holds is not kept.
    """
    if unsaved_texts() or cache_folder() is None:
        return make()
    name = f"{digest(folder, what, overlays)}.model"
    if isinstance(shipped := _read_shipped(name), kind):
        return shipped
    path = _entry(name)
    if path is not None and isinstance(found := _read(path), kind):
        return found
    made = make()
    if path is not None and _writes.get():
        _write(path, made)
    return made


@contextmanager
def read_only() -> Iterator[None]:
    """Put nothing into the cache meanwhile: what strangers ask for is not worth a file."""
    token = _writes.set(False)
    try:
        yield
    finally:
        _writes.reset(token)


def cache_folder() -> Path | None:
    """Name the folder where results may be kept between runs; nothing if that is switched off."""
    named = os.environ.get("TITM_RULES_CACHE")
    if named:
        return None if named == "off" else Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("titm_rules"))


# ---------------------------------------------------------------------- what an entry is made of
def digest(folder: Path, what: str, overlays: Sequence[Path]) -> str:
    """Give a text that changes whenever something made of rule files, or what makes it, may have changed."""
    made = f"{__version__}\0{what}\0{_home(folder)}\0{sys.implementation.cache_tag}"
    found = hashlib.sha256(made.encode("utf-8", "surrogatepass"))
    found.update(importlib.util.MAGIC_NUMBER)
    for path in [*sorted(folder.rglob("*.rules")), *sorted(folder.glob("*.txt")), *reading_code(), *overlays]:
        if path.is_file():
            text = path.read_bytes()
            found.update(f"\0{path.name}\0{len(text)}\0".encode("utf-8", "surrogateescape"))
            found.update(text)
    return found.hexdigest()


def _home(folder: Path) -> str:
    """Tell where rules lie, since what is kept names its files: those that ship are shown alike wherever they lie."""
    whole = folder.resolve()
    return whole.name if whole.parent == data_folder("rulesets").resolve() else f"{folder}\0{whole}"


def reading_code() -> list[Path]:
    """List the files that make a model of rule files: what they hold changes what is kept."""
    package = Path(__file__).resolve().parent.parent
    code = [path for name in READING for path in sorted((package / name).glob("*.py"))]
    return [package / "diagnostics.py", *code, *sorted(data_folder("grammar").glob("*.lark"))]


# ---------------------------------------------------------------------- the folder
def _read_shipped(name: str) -> object:
    """Read an entry that came with the package, which is as much to be trusted as its code; nothing if none did."""
    try:
        with (READY / name).open("rb") as file:
            return _value(file)
    except Exception:  # none, or a broken one
        return None


def _entry(name: str) -> Path | None:
    """Name the file of an entry; nothing if the folder is not one that its user alone may write."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        info = folder.stat()
    except OSError:
        return None
    return folder / name if _is_own(info) else None


def _is_own(info: os.stat_result) -> bool:
    """Whether this user alone may have written it; where there are no users, it is taken to be so."""
    return not hasattr(os, "getuid") or (
        info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _read(path: Path) -> object:
    """Read an entry; nothing if there is none that can be trusted and read."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode) or not _is_own(info):
                return None
            found = _value(file)
        with suppress(OSError):
            os.utime(path)  # the entries that go first are those that were not used for longest
        return found
    except Exception:  # a broken entry is as good as none
        return None


def _value(file: BinaryIO) -> object:
    """Read what an entry holds; nothing if it is not as it was written."""
    data = read_sealed(file)
    return None if data is None else _Values(io.BytesIO(data)).load()


def _write(path: Path, made: object) -> None:
    """Write an entry, all or nothing; where it cannot be written, that is not a fault."""
    text, part = sealed(_pickled(made)), ""
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with open(handle, "wb") as file:
            file.write(text)
        os.replace(part, path)
        _clear(path.parent)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(part)
        if not isinstance(error, OSError):
            raise


def _pickled(made: object) -> bytes:
    written = io.BytesIO()
    _Fields(written, protocol=pickle.HIGHEST_PROTOCOL).dump(made)
    return written.getvalue()


def _clear(folder: Path) -> None:
    """Remove entries that were not used for long, or are too many, and parts of writers that were broken off."""
    now = time.time()
    entries = sorted(((path.stat().st_mtime, path) for path in folder.glob("*.model")), reverse=True)
    old = [path for at, (used, path) in enumerate(entries) if at >= MOST_ENTRIES or now - used > LONGEST_UNUSED_S]
    parts = [path for path in folder.glob("*.part") if now - path.stat().st_mtime > PART_AGE_S]
    for path in (*old, *parts):
        path.unlink(missing_ok=True)


class _Fields(pickle.Pickler):
    """Writes frozen values as their class and their fields in order, which are read a third faster than by name.

    Fields that are not compared are not part of the value.
    """

    def reducer_override(self, made: object) -> Any:
        """Give the class of a value and what it is to be called with."""
        if not dataclasses.is_dataclass(made) or isinstance(made, type):
            return NotImplemented
        return type(made), tuple(getattr(made, one.name) for one in dataclasses.fields(made) if one.compare)


class _Values(pickle.Unpickler):
    """Reads frozen values of the rules; any other thing that an entry names is refused."""

    def find_class(self, module: str, name: str) -> Any:
        """Give a class of values.

        Raises:
            UnpicklingError: for anything else.
        """
        found = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if module.startswith(_VALUES) and isinstance(found, type) and dataclasses.is_dataclass(found):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a value of the rules")
