"""A file is written whole or not at all: what stood there stays, and what is no plain file is written where it is."""

import errno
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.diff import write_out
from titm_rules.cli.map_commands import export_map
from titm_rules.diagnostics import InputError
from titm_rules.files import replace_file, write_file
from titm_rules.oracle.batch import write_part
from titm_rules.render.pictures import write_picture

OLD, NEW = "what was found yesterday\n", "what was found today\n"
SHELL = 'ulimit -f 1; exec "$@"'  # blocks of 512 bytes
TITM = [sys.executable, "-c", "from titm_rules.cli import main; main()"]
posix = pytest.mark.skipif(os.name != "posix", reason="needs permissions, links and limits of files")
LONG = "x" * 4096
WRITERS = {
    "result": ("report.md", lambda path: write_out(path, LONG)),
    "picture": ("board.svg", lambda path: write_picture(path, LONG)),
    "part": ("part.jsonl", lambda path: write_part(path, [{}, {"long": LONG}])),
    "map": ("map.geojson", lambda path: export_map(SharedOptions(game="cold-ford"), "valley", path)),
}


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python keeps byte code that was cut short
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_the_older_file(tmp_path: Path, no_room: None, name: str, write) -> None:
    path = tmp_path / name
    path.write_text(OLD)
    with pytest.raises((InputError, OSError), match="File too large"):
        write(path)
    assert path.read_text() == OLD
    assert [*tmp_path.iterdir()] == [path]


@posix
@pytest.mark.parametrize("arguments", [("fmt", "{}.rules"), ("conform", "--game", "cold-ford", "--report", "{}.json")])
def test_a_command_on_a_full_disk_leaves_the_older_file(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / arguments[-1].format("older")
    path.write_text(old := f"#  {LONG}\n\n\n\n")
    command = [word.format(tmp_path / "older") for word in arguments]
    whole = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # Python keeps byte code that was cut short
    shell = ["sh", "-c", SHELL, "sh", *TITM, *command]
    done = subprocess.run(shell, capture_output=True, text=True, check=False, env=whole)
    assert done.returncode == 2
    assert f"{path}: cannot write the " in done.stderr
    assert path.read_text() == old
    assert [*tmp_path.iterdir()] == [path]


def test_an_interruption_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "report.md"
    path.write_text(OLD)
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, NEW)
    assert path.read_text() == OLD
    assert [*tmp_path.iterdir()] == [path]


@posix
def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path: Path) -> None:
    for mode in (0o600, 0o664, 0o755):
        (path := tmp_path / f"{mode}").write_text(OLD)
        path.chmod(mode)
        write_file(path, NEW)
        assert (path.read_text(), path.stat().st_mode & 0o7777) == (NEW, mode)
    (usual := tmp_path / "usual").write_text(NEW)
    write_file(tmp_path / "new", NEW)
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode


@posix
def test_links_go_on_leading_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    file, link, other = tmp_path / "far" / "report.md", tmp_path / "link.md", tmp_path / "other.md"
    link.symlink_to(file)
    for _ in range(2):  # it leads to nothing at first
        write_file(link, NEW)
        assert link.is_symlink()
        assert file.read_text() == NEW
    other.hardlink_to(file)
    write_file(other, OLD)
    assert file.read_text() == OLD


@posix
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=write_file, args=(pipe, NEW))
    writer.start()
    assert pipe.read_text() == NEW
    writer.join()
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs a name for what is open")
def test_what_is_open_as_standard_output_stays_open(tmp_path: Path) -> None:
    code = "from titm_rules.files import Path, write_file; write_file(Path('/dev/stdout'), 'one\\n')"
    shell = ["sh", "-c", '"$@"; echo two', "sh", sys.executable, "-c", code]
    with (tmp_path / "all").open("a") as out:
        subprocess.run(shell, stdout=out, check=True)
    assert (tmp_path / "all").read_text() == "one\ntwo\n"


@posix
def test_what_may_not_be_written_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.md"
    path.write_text(OLD)
    path.chmod(0o400)
    if os.access(path, os.W_OK):  # somebody who may all
        monkeypatch.setattr(os, "access", lambda *_: False)
        before = path.stat().st_ino
        write_file(path, NEW)
        assert path.stat().st_ino == before
        return
    with pytest.raises(InputError, match="cannot write the file: Permission denied"):
        write_file(path, NEW)


@pytest.mark.parametrize("why", [errno.EACCES, errno.EROFS, errno.EBUSY])
def test_a_file_that_nothing_can_be_put_in_place_of_is_written_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: int
) -> None:
    def refused(*_: object) -> None:
        raise OSError(why, os.strerror(why))

    path = tmp_path / "report.md"
    path.write_text(OLD)
    monkeypatch.setattr(Path, "replace", refused)
    replace_file(path, NEW.encode())
    assert path.read_text() == NEW
    assert [*tmp_path.iterdir()] == [path]
    with pytest.raises(OSError, match=re.escape(os.strerror(why))):
        replace_file(tmp_path / "new.md", NEW.encode())
    assert [*tmp_path.iterdir()] == [path]
