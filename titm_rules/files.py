"""Read and write files safely, and find the data folders of a checkout or a wheel."""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from io import FileIO
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from titm_rules.diagnostics import Fault, InputError

_PACKAGE = Path(__file__).resolve().parent


@cache
def data_folder(name: str) -> Path:
    """Find `grammar`, `rulesets` or `scenarios`. Raises `FileNotFoundError` if the installation lacks it."""
    inside, beside = _PACKAGE / "data" / name, _PACKAGE.parent / name
    if inside.is_dir():
        return inside
    if (_PACKAGE.parent / "pyproject.toml").is_file() and beside.is_dir():  # a folder beside a wheel is not ours
        return beside
    raise FileNotFoundError(f"the installation has no folder {name}; reinstall titm_rules")


def grammar_text(name: str = "titm") -> str:
    return (data_folder("grammar") / f"{name}.lark").read_text(encoding="utf-8")


def find_files(folder: Path, pattern: str) -> list[Path]:
    """List the files whose path in a folder fits a pattern, in order; `**/` is any number of folders in it.

    A folder that does not exist has none; one that cannot be read raises an `OSError`: `Path.glob` passes over it, and
    rules that nobody reads would be rules that nobody has.
    """
    first, _, rest = pattern.partition("/")
    try:
        with os.scandir(folder) as entries:
            names = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    except (FileNotFoundError, NotADirectoryError):
        return []
    if first == "**":
        inside = (path for name, is_folder in names.items() if is_folder for path in find_files(folder / name, pattern))
        return sorted([*find_files(folder, rest), *inside])
    found = [folder / name for name in fnmatch.filter(names, first)]
    return sorted(path for one in found for path in find_files(one, rest)) if rest else sorted(found)


# ---------------------------------------------------------------------- reading
MAX_BYTES = 8 * 1024 * 1024
MAX_SEALED = 256 * 1024 * 1024
_unsaved: ContextVar[Mapping[Path, str]] = ContextVar("_unsaved", default=MappingProxyType({}))
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NO_ROOM_BESIDE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)  # of the folder, or the file is mounted
_DEVICES = ("/dev/", "/proc/")  # their links lead to open files, which cannot be replaced


@contextmanager
def unsaved(texts: Mapping[Path, str]) -> Iterator[None]:
    """Read texts of an editor, by resolved path and with line feeds, instead of files, whether those exist or not."""
    token = _unsaved.set(texts)
    try:
        yield
    finally:
        _unsaved.reset(token)


def unsaved_texts() -> Mapping[Path, str]:
    return _unsaved.get()


def open_file(path: Path, what: str = "file", fix: str = "name another file") -> BinaryIO:
    """Open a regular file, never a folder, device or pipe, which would block. Raises `InputError` if that fails."""
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        raise _unread(what, getattr(error, "strerror", None) or "no file can have this name", path, fix) from None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return open(handle, "rb")
    is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
    os.close(handle)
    raise _unread(what, "it is a folder" if is_folder else "it is not a regular file", path, fix)


def read_text(
    path: Path, what: str = "file", fix: str = "name another file", most: int = MAX_BYTES, encoding: str = "utf-8"
) -> str:
    """Read a text file of at most so many bytes; `what` is its kind and `fix` the remedy, for errors.

    The encoding is `utf-8`, or `utf-8-sig` for text that may begin with a byte order mark. Raises `InputError` if the
    file cannot be read, is too large or is not UTF-8 text.
    """
    texts = _unsaved.get()
    if texts and (text := texts.get(path.resolve())) is not None:
        return text
    with open_file(path, what, fix) as file:
        try:
            raw = file.read(most + 1)
        except OSError as error:
            raise _unread(what, error.strerror or "it cannot be read", path, fix) from None
    if len(raw) > most:
        limit = f"{most // (1024 * 1024)} MiB" if most >= 1024 * 1024 else f"{most} bytes"
        raise InputError([Fault(f"the {what} is over {limit}", str(path), kind="too-large")])
    try:
        return raw.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise _unread(what, "it is not UTF-8 text", path, fix) from None


# ---------------------------------------------------------------------- writing
def write_file(
    path: Path, data: str | bytes, what: str = "file", fix: str = "name another file", make_folder: bool = False
) -> None:
    """Write a file whole or not at all, as `replace_file` does; text is written as UTF-8.

    `what` is its kind and `fix` the remedy, for errors; `make_folder`: make its folder too. Raises `InputError` if it
    cannot be written; the older file stays.
    """
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data.encode("utf-8") if isinstance(data, str) else data)
    except OSError as error:
        fault = Fault(f"cannot write the {what}: {error.strerror}", str(path), "", fix, kind="no-file")
        raise InputError([fault]) from None


def replace_file(path: Path, data: bytes) -> None:
    """Write a new file and put it in the place of the older one, which survives a full disk or an interruption.

    A link is followed, and permissions stay. A file that cannot be replaced is written in place: a pipe or a device, a
    file of another user or with several names, a read-only file, and one in a read-only folder. Raises `OSError` if it
    cannot be written.
    """
    target, older = Path(os.path.realpath(path)), None
    with suppress(FileNotFoundError):
        older = path.stat()
    if os.path.abspath(path).startswith(_DEVICES) or (older and not _is_replaceable(target, older)):
        path.write_bytes(data)
        return
    beside = target.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with open(os.open(beside, _NEW, 0o666), "wb") as file:
            file.write(data)
        if older:
            beside.chmod(stat.S_IMODE(older.st_mode))
        beside.replace(target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if not (older and isinstance(error, OSError) and error.errno in _NO_ROOM_BESIDE):
            raise
        path.write_bytes(data)


def begin_file(path: Path, head: bytes) -> FileIO:
    """Open a file that begins with some bytes, to write more; an older file stays until they are written.

    Raises `OSError` if they cannot be written.
    """
    target, older = Path(os.path.realpath(path)), None
    with suppress(FileNotFoundError):
        older = path.stat()
    is_beside = older is not None and _is_replaceable(target, older) and os.access(target.parent, os.W_OK)
    beside = target.with_name(f".{secrets.token_hex(8)}.new") if is_beside else path
    file = FileIO(str(beside), "x" if is_beside else "w")
    try:
        write_whole(file, head)
        if older is not None and is_beside:
            beside.chmod(stat.S_IMODE(older.st_mode))
            beside.replace(target)
    except BaseException:
        file.close()
        if is_beside:
            beside.unlink(missing_ok=True)
        raise
    return file


def write_whole(file: FileIO, data: bytes) -> None:
    while data:  # a disk that is nearly full takes a part
        data = data[file.write(data) :]


def _is_replaceable(path: Path, older: os.stat_result) -> bool:
    is_own = not hasattr(os, "getuid") or older.st_uid == os.getuid()
    return stat.S_ISREG(older.st_mode) and is_own and older.st_nlink == 1 and os.access(path, os.W_OK)


def within(folder: Path, name: str | Path) -> Path | None:
    """Resolve a name in a folder; None if it leads out of the folder, also by a link."""
    try:
        target = (folder / name).resolve()
        return target if target.is_relative_to(folder.resolve()) else None
    except (OSError, ValueError, RuntimeError):
        return None


# ---------------------------------------------------------------------- data of the cache
def sealed(data: bytes) -> bytes:
    """Prepend a line of JSON with a digest to some data; `read_sealed` verifies it."""
    return _seal(data) + data


def read_sealed(file: BinaryIO) -> bytes | None:
    """Read sealed data; None if a single bit has changed, or they are over 256 MiB."""
    seal = file.read(len(_seal(b"")))
    data = file.read(MAX_SEALED + 1)
    return data if len(data) <= MAX_SEALED and seal == _seal(data) else None


def _seal(data: bytes) -> bytes:
    return b'{"blake2b": "%s"}\n' % hashlib.blake2b(data, digest_size=32).hexdigest().encode("ascii")


def _unread(what: str, why: str, path: Path, fix: str) -> InputError:
    return InputError([Fault(f"cannot read the {what}: {why}", str(path), "", fix, kind="no-file")])
