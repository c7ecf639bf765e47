"""Cache of checked rules between runs, in the user's cache folder; a wheel brings some entries.

INVARIANT: an entry is data. Reading it can make only the frozen dataclasses of the rules, and runs no code that it
names. Its digest is verified first. A fault of the folder or of an entry counts as a missing entry. No version of
Python is part of its name or of its format: a wheel serves all of them, also the one in a browser.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, TypeVar

from titm_rules.files import data_folder, find_files, read_sealed, sealed, unsaved_texts
from titm_rules.version import __version__

T = TypeVar("T")
READING = ("checker", "editions", "ir", "syntax")  # packages that turn rule files into a model
READY = Path(__file__).resolve().parent.parent / "data" / "ready"  # in a wheel, written by hatch_build.py
PROTOCOL = 5  # of pickle: every Python that runs this package reads it
MOST_ENTRIES = 256
LONGEST_UNUSED_S = 60 * 24 * 3600
PART_AGE_S = 3600
_VALUES = ("titm_rules.ir.", "titm_rules.diagnostics")  # packages whose dataclasses an entry may hold
_writes: ContextVar[bool] = ContextVar("_writes", default=True)
_used: ContextVar[list[str] | None] = ContextVar("_used", default=None)


def cached(
    folder: Path, what: str, overlays: Sequence[Path], kind: type[T], make: Callable[[], T],
    parts: Mapping[str, object] = MappingProxyType({}),
) -> T:  # fmt: skip
    """Read a value from the cache, or make and store it.

    `what` is its key among the values made of the rule set in `folder` and `overlays`. Objects that are known already,
    such as the parts of other rules that `what` names, are stored by their names. A value that depends on unsaved texts
    of an editor is not stored.
    """
    if unsaved_texts() or cache_folder() is None:
        return make()
    name = f"{digest(folder, what, overlays)}.model"
    if (used := _used.get()) is not None:
        used.append(name)
    if isinstance(shipped := _read_shipped(name, parts), kind):
        return shipped
    path = _entry(name)
    if path is not None and isinstance(entry := _read(path, parts), kind):
        return entry
    value = make()
    if path is not None and _writes.get():
        _write(path, value, parts)
    return value


@contextmanager
def read_only() -> Iterator[None]:
    """Store nothing within this context: requests of strangers are not worth a file."""
    token = _writes.set(False)
    try:
        yield
    finally:
        _writes.reset(token)


@contextmanager
def used_entries() -> Iterator[list[str]]:
    """List the names of the entries that are used within this context."""
    names: list[str] = []
    token = _used.set(names)
    try:
        yield names
    finally:
        _used.reset(token)


def cache_folder() -> Path | None:
    """Name the cache folder; None if the cache is switched off."""
    named = os.environ.get("TITM_RULES_CACHE")
    if named:
        return None if named == "off" else Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("titm_rules"))


# ---------------------------------------------------------------------- keys
def digest(folder: Path, what: str, overlays: Sequence[Path]) -> str:
    """Return the key of a value made of rule files; it changes with the files and with the code that reads them."""
    key = f"{__version__}\0{what}\0{_home(folder)}\0{PROTOCOL}"
    hashed = hashlib.sha256(key.encode("utf-8", "surrogatepass"))
    hashed.update(_code_digest())
    for part in _framed([*find_files(folder, "**/*.rules"), *find_files(folder, "*.txt"), *overlays]):
        hashed.update(part)
    return hashed.hexdigest()


@cache
def _code_digest() -> bytes:
    """Hash the reading code once in a process, which goes on with the code that it has loaded."""
    return hashlib.sha256(b"".join(_framed(reading_code()))).digest()


def _framed(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the bytes of files, each behind its name and its size."""
    for path in paths:
        if path.is_file():
            text = path.read_bytes()
            yield f"\0{path.name}\0{len(text)}\0".encode("utf-8", "surrogateescape")
            yield text


def _home(folder: Path) -> str:
    """Return the part of a key for the location, since entries name their files; rules that ship have one anywhere."""
    whole = folder.resolve()
    return whole.name if whole.parent == data_folder("rulesets").resolve() else f"{folder}\0{whole}"


def reading_code() -> list[Path]:
    """List the files of the package that turn rule files into a model, which are a part of every key."""
    package = Path(__file__).resolve().parent.parent
    code = [path for name in READING for path in sorted((package / name).glob("*.py"))]
    return [package / "diagnostics.py", *code, *sorted(data_folder("grammar").glob("*.lark"))]


# ---------------------------------------------------------------------- entries
def _read_shipped(name: str, parts: Mapping[str, object]) -> object:
    """Read an entry that ships with the package, as trustworthy as its code; None if there is none."""
    try:
        with (READY / name).open("rb") as file:
            return _value(file, parts)
    except Exception:  # none, or a broken one
        return None


def _entry(name: str) -> Path | None:
    """Name the file of an entry; None if others than the user may write to the folder."""
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
    """Whether only this user may have written it; assumed on systems without user ids."""
    return not hasattr(os, "getuid") or (
        info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _read(path: Path, parts: Mapping[str, object]) -> object:
    """Read an entry; None if it is missing, broken, or writable by others."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode) or not _is_own(info):
                return None
            value = _value(file, parts)
        with suppress(OSError):
            os.utime(path)  # `_clear` removes the least recently used entries
        return value
    except Exception:  # a broken entry counts as a missing one
        return None


def _value(file: BinaryIO, parts: Mapping[str, object]) -> object:
    data = read_sealed(file)
    return None if data is None else _Values(data, parts).load()


def _write(path: Path, value: object, parts: Mapping[str, object]) -> None:
    """Write an entry, all or nothing; a folder that cannot be written is not a fault."""
    pickled = io.BytesIO()
    _Fields(pickled, parts).dump(value)
    text, part = sealed(pickled.getvalue()), ""
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


def _clear(folder: Path) -> None:
    """Remove entries that are too old or too many, and partial files of interrupted writers."""
    now = time.time()
    entries = sorted(((path.stat().st_mtime, path) for path in folder.glob("*.model")), reverse=True)
    old = [path for at, (used, path) in enumerate(entries) if at >= MOST_ENTRIES or now - used > LONGEST_UNUSED_S]
    parts = [path for path in folder.glob("*.part") if now - path.stat().st_mtime > PART_AGE_S]
    for path in (*old, *parts):
        path.unlink(missing_ok=True)


class _Fields(pickle.Pickler):
    """Writes dataclasses as class and compared fields in order, which reads a third faster than by name."""

    def __init__(self, file: BinaryIO, parts: Mapping[str, object]) -> None:
        super().__init__(file, protocol=PROTOCOL)
        self._names = {id(part): name for name, part in parts.items()}

    def persistent_id(self, obj: object) -> str | None:
        return self._names.get(id(obj))

    def reducer_override(self, obj: object) -> Any:
        if not dataclasses.is_dataclass(obj) or isinstance(obj, type):
            return NotImplemented
        return type(obj), tuple(getattr(obj, field.name) for field in dataclasses.fields(obj) if field.compare)


class _Values(pickle.Unpickler):
    """Reads the dataclasses of the rules; any other name in an entry is refused."""

    def __init__(self, data: bytes, parts: Mapping[str, object]) -> None:
        super().__init__(io.BytesIO(data))
        self._parts = parts

    def persistent_load(self, pid: str) -> object:
        """Return a part that is known already. Raises `KeyError` for any other."""
        return self._parts[pid]

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of values. Raises `UnpicklingError` for any other name."""
        node = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if module.startswith(_VALUES) and isinstance(node, type) and dataclasses.is_dataclass(node):
            return node
        raise pickle.UnpicklingError(f"{module}.{name} is not a value of the rules")
