"""Commands that are interrupted, or that lack a place to write: the right end, nothing broken, the same afterwards."""

import http.client
import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from titm_rules.cli.app import app
from titm_rules.editions.rule_files import write_skeleton
from typer.testing import CliRunner

from tests.cli.conftest import QUESTION, REQUEST, TITM
from tests.sampling import one_in
from tests.service.worst import worst

# A server that gives what it works on less time, as the tests wait for it.
SERVE = "from titm_rules.web import server; server.GRACE_SECONDS, server.END_SECONDS = 1, 2\n"
LONG_S = 240  # for a machine that is busy with other things
MARK = "TITM_TEST_WORK"
ENDED = [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
BROKEN_OFF = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")


def run(*arguments, **environment):
    """Run a command; what has no value is left out of its environment."""
    whole = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    return subprocess.run([*TITM, *arguments], capture_output=True, text=True, check=False, env=whole)


def run_with_little_room(blocks, *arguments, **environment):
    """Run a command that may write no file longer than so many blocks of 512 bytes, as if the disk were full."""
    shell = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *TITM, *arguments]
    whole = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}  # Python keeps byte code that was cut short
    return subprocess.run(shell, capture_output=True, text=True, check=False, env=whole)


def started(*arguments, mark="", before=""):
    """Start a command, with the folder that it works in as a mark that its processes bear."""
    _, _, work = " ".join(arguments).partition("--work ")
    return subprocess.Popen(
        [*TITM[:2], before + TITM[2], *arguments], text=True,
        # heed Ctrl+C: what a shell runs in the background lets what it starts ignore it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, MARK: mark or work.partition(" ")[0]},
    )  # fmt: skip


def wait_for(it, process):
    while not it():
        assert process.poll() is None
        time.sleep(0.02)


EDITIONS = """edition "2" "Second edition" dated 2027-01-01 follows "1" reads "2".
edition "3" "Third edition" dated 2028-01-01 follows "2" reads "3".
"""
SHEET = """add clause {number}.1 "Few points"
  "Nobody enters {terrain} with fewer points than the edition has."
  move may not step when the terrain of place-entered is {terrain} and the allowance of u is less than {number}.
"""


@pytest.fixture(scope="module")
def three_editions(tmp_path_factory):
    """A game of one's own whose editions take some seconds to compare."""
    game = tmp_path_factory.mktemp("own") / "skirmish"
    write_skeleton(game.name, game.parent)
    lines = (game / "game.rules").read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith("edition"))
    (game / "game.rules").write_text("".join([*lines[: at + 1], EDITIONS, *lines[at + 1 :]]))
    for number, terrain in (("2", "clear"), ("3", "woods")):
        (game / number).mkdir()
        (game / number / "sheet.rules").write_text(SHEET.format(number=number, terrain=terrain))
    return game


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """Run long work that nothing interrupts, the same command once; give what it prints."""

    @cache
    def done(*command):
        work = str(tmp_path_factory.mktemp("complete"))
        return CliRunner().invoke(app, [*command, "--backend", "sequential", "--work", work]).stdout

    return done


@pytest.fixture(scope="module")
def wanted():
    found = run(*QUESTION).stdout
    assert json.loads(found)["ok"]
    return found


# ---------------------------------------------------------------------- signals
@pytest.mark.parametrize(("number", "code"), one_in(2, ENDED))
@pytest.mark.parametrize("busy", [False, True], ids=["waits", "in the middle of a request"])
def test_an_oracle_ends_at_once(number, code, busy):
    process = started("oracle", "--seconds", "60")
    process.stdin.write(REQUEST + (json.dumps(worst()["targets"]) + "\n" + REQUEST) * busy)
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["ok"]
    time.sleep(0.5 * busy)
    assert broken_off(process, number) == (code, "", "")


@pytest.mark.parametrize(("number", "code"), one_in(2, BROKEN_OFF))
def test_a_game_that_is_broken_off_leaves_what_was_played(titm, tmp_path, number, code):
    record, whole = tmp_path / "game.txt", tmp_path / "whole.txt"
    process = started("play", "race-for-bastogne", "-o", str(record))
    wait_for(lambda: record.exists() and record.read_bytes().count(b"\n") > 4, process)
    _, _, told = broken_off(process, number)
    lines = record.read_text().splitlines()
    played = len(lines) - 3  # game, edition, start
    message = f"titm: interrupted; {record} holds the {played} actions that were played\n"
    assert (process.returncode, told) == (code, message)
    assert titm("replay", record).stdout.startswith(f"{played} actions, all legal")
    titm("play", "race-for-bastogne", "--limit", played + 1, "-o", whole)
    assert whole.read_text().splitlines()[:-1] == lines


def test_a_game_whose_reader_is_gone_leaves_what_was_played(titm, tmp_path):
    record = tmp_path / "game.txt"
    process = started("play", "two-bridges", "--verbose", "-o", str(record))
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=LONG_S) == 141
    assert process.stderr.read() == ""
    assert titm("replay", record).exit_code == 0


PLAY = ("play", "two-bridges", "--games", "60", "--limit", "60")
ATLAS = ("atlas", "1998-01-15", "1999", "--max", "2x2")
DIFF = ("diff", "--find", "--all-questions", "--game", "{game}")


@pytest.mark.parametrize(
    ("command", "number", "code"),
    [(PLAY, *BROKEN_OFF[0]), pytest.param(ATLAS, *BROKEN_OFF[1], marks=pytest.mark.slow), (DIFF, *BROKEN_OFF[0])],
    ids=["play", "atlas", "diff"],
)
def test_long_work_that_is_broken_off_goes_on(titm, tmp_path, three_editions, complete, command, number, code):
    work = tmp_path / "work"
    command = tuple(word.format(game=three_editions) for word in command)
    process = started(*command, "--work", str(work), "--jobs", "2")
    wait_for(lambda: [*work.rglob("*.jsonl")], process)
    ended, out, told = broken_off(process, number)
    [folder] = work.iterdir()
    assert (ended, out) == (code, "")
    message = f"titm: interrupted; the same command goes on from what is done, which is kept in {folder}\n"
    assert told.startswith(message)  # joblib may have something to say besides
    assert "Traceback" not in told
    wait_until_gone(work)
    kept = times_of(folder)
    again = titm(*command, "--work", work, "--backend", "sequential")
    assert (again.exit_code, again.stderr) == (ENDS[command[0]], "")
    assert times_of(folder).items() >= kept.items()
    assert not [path for path in folder.iterdir() if path.suffix != ".jsonl"]
    assert again.stdout == complete(*command) != ""


ENDS = {"play": 0, "atlas": 0, "diff": 1}  # the editions differ


def times_of(folder):
    """Give when each part in a folder was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.jsonl")}


def broken_off(process, number):
    """Send a signal to what is still at work; give its exit code and the rest of what it says."""
    assert process.poll() is None
    process.send_signal(number)
    out, told = process.communicate(timeout=LONG_S)
    return process.returncode, out, told


def wait_until_gone(work):
    """Wait until no process is left of a command that works in a folder, by what stands in its environment."""
    end = time.monotonic() + LONG_S
    while processes_of(work):
        assert time.monotonic() < end
        time.sleep(0.1)


def processes_of(work):
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            found += [path.parent.name] if f"{MARK}={work}".encode() in path.read_bytes() else []
    return found


NOTED = """from pathlib import Path
from titm_rules.compare.counterexamples import PairRun
def result(self, question, real=PairRun.result):
    Path({!r}).touch()
    return real(self, question)
PairRun.result = result
"""


@pytest.mark.parametrize(("number", "code"), one_in(2, ENDED))
def test_a_search_that_is_broken_off_ends_quietly(tmp_path, number, code):
    searches = tmp_path / "searches"
    process = started("diff", "1994-11-01", "2016-10-01", "--find", before=NOTED.format(str(searches)))
    wait_for(searches.exists, process)
    assert broken_off(process, number) == (code, "", "")


def test_a_comparison_whose_reader_is_gone_is_kept(titm, tmp_path, three_editions):
    command = [word.format(game=three_editions) for word in (*DIFF, "--work", str(tmp_path / "work"))]
    process = started(*command, "--jobs", "2")
    process.stdout.close()
    assert process.wait(timeout=LONG_S) == 141
    assert process.stderr.read() == ""
    wait_until_gone(tmp_path / "work")
    kept = times_of(tmp_path)
    page = tmp_path / "page.md"
    assert titm(*command, "-o", page).exit_code == 1
    assert times_of(tmp_path) == kept
    assert page.read_text().startswith("# Differences between editions")


@pytest.mark.parametrize(("number", "code"), one_in(2, ENDED))
def test_a_server_answers_what_it_was_asked_and_ends(number, code):
    pytest.importorskip("uvicorn")
    process = started("serve", "--port", "0", "--seconds", "1")
    address = urlsplit(process.stdout.readline().split()[0])
    asking, looking = (http.client.HTTPConnection(address.netloc, timeout=LONG_S) for _ in range(2))
    asking.request("POST", "/api/ask", json.dumps(worst()["targets"]), {"Content-Type": "application/json"})
    looking.request("GET", "/")
    assert looking.getresponse().status == 200  # so what was sent before has come in
    process.send_signal(number)
    assert json.loads(asking.getresponse().read())["error"]["kind"] == "too-large"
    asking.close()
    looking.close()
    _, told = process.communicate(timeout=LONG_S)
    assert (process.returncode, told) == (code, "")


HARD = json.dumps({**worst()["bridges"], "edition": "all"})  # takes some 40 s
ENDS_S = 10


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_ends_in_time_whatever_waits(tmp_path, number):
    pytest.importorskip("uvicorn")
    process = started("serve", "--port", "0", "--seconds", "60", "--workers", "2", mark=str(tmp_path), before=SERVE)
    address = urlsplit(process.stdout.readline().split()[0])
    crowd = [http.client.HTTPConnection(address.netloc, timeout=LONG_S) for _ in range(20)]
    for asking in crowd:
        asking.request("POST", "/api/ask", HARD, {"Content-Type": "application/json"})
    looking = http.client.HTTPConnection(address.netloc, timeout=LONG_S)
    looking.request("GET", "/api/health")
    assert looking.getresponse().status == 200
    assert len(processes_of(tmp_path)) == 3
    begun = time.monotonic()
    process.send_signal(number)
    if number == signal.SIGTERM:
        replies = [asking.getresponse() for asking in crowd]
        assert {(reply.status, reply.headers["Retry-After"]) for reply in replies} == {(503, "2")}
    _, told = process.communicate(timeout=LONG_S)
    assert time.monotonic() - begun < ENDS_S
    assert (process.returncode, told) == (-number, "")
    wait_until_gone(tmp_path)
    for asking in crowd:
        asking.close()


def test_an_oracle_whose_reader_is_gone_ends_quietly():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*TITM, "oracle"], input=REQUEST * 3, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


# ---------------------------------------------------------------------- nowhere to write
def test_a_full_disk_takes_nothing_from_an_answer(titm, tmp_path):
    done = run_with_little_room(1, *QUESTION, TITM_RULES_CACHE=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, titm(*QUESTION).stdout, "")
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".model" or path.stat().st_size >= 512]


def test_a_record_on_a_full_disk_holds_whole_lines(titm, tmp_path):
    record = tmp_path / "game.txt"
    done = run_with_little_room(2, "play", "two-bridges", "-o", str(record))
    assert (done.returncode, done.stderr) == (2, f"{record}: cannot write the record: File too large\n")
    assert record.stat().st_size > 900
    assert titm("replay", record).exit_code == 0


FULL = "a file cannot be read or written: File too large"


def test_a_comparison_that_found_the_disk_full_is_taken_up_again(titm, tmp_path, three_editions, complete):
    diff = [word.format(game=three_editions) for word in DIFF]
    command = [*diff, "--backend", "sequential", "--work"]
    done = run_with_little_room(3, *command, str(tmp_path / "work"))
    assert (done.returncode, done.stdout, FULL in done.stderr) == (71, "", True)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert {path.suffix for path in kept} == {".jsonl"}
    again = titm(*command, tmp_path / "work")
    assert (again.exit_code, again.stdout) == (1, complete(*diff))
    assert times_of(tmp_path).items() >= kept.items()
    full = titm(*command, tmp_path / "work", "-o", "/dev/full")
    assert (full.exit_code, full.stdout) == (2, "")
    assert "/dev/full: cannot write the file: No space left on device" in full.stderr


def test_games_that_found_the_disk_full_are_taken_up_again(titm, tmp_path):
    command = ("play", "two-bridges", "--games", "10", "--limit", "20", "--backend", "sequential", "--work")
    done = run_with_little_room(1, *command, str(tmp_path / "work"))
    assert (done.returncode, done.stdout, FULL in done.stderr) == (71, "", True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert titm(*command, tmp_path / "work").stdout == titm(*command, tmp_path / "other").stdout != ""


NO_HOMES = {
    "is a file": "{0}/file/home", "may not be written": "{0}/read-only", "takes none": "/proc", "is not named": None,
}  # fmt: skip


@pytest.mark.parametrize("home", NO_HOMES.values(), ids=NO_HOMES)
def test_without_a_home_the_answer_is_the_same(tmp_path, wanted, home):
    (tmp_path / "file").write_text("")
    (tmp_path / "read-only").mkdir(0o500)
    home = home and home.format(tmp_path)
    done = run(*QUESTION, HOME=home, XDG_CACHE_HOME=None, TITM_RULES_CACHE=None)
    assert (done.returncode, done.stdout, done.stderr) == (0, wanted, "")


def test_long_work_without_a_home_says_where_it_could_be_kept(titm, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.write_text("")
    for name in ("XDG_CACHE_HOME", "TITM_RULES_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    done = titm("play", "two-bridges", "--games", "2", "--limit", "3", "--backend", "sequential")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cannot make the folder: Not a directory" in done.stderr
    assert "name another with --work" in done.stderr
