"""Commands that are interrupted, or that lack a place to write: the right end, nothing broken, the same afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import SCENARIOS

TITM = [sys.executable, "-c", "from titm_rules.cli import main; main()"]
CASE = str(SCENARIOS / "disputes" / "01-rambrouch-by-the-bridge.yaml")
REQUEST = '{"id": 1, "edition": "1999", "query": "campaign_victory_level", "input": {"points": 3}}\n'
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TITM, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.fixture(scope="module")
def wanted() -> str:
    return run("check", CASE, "--json").stdout


# ---------------------------------------------------------------------- signals
@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_oracle_that_waits_ends_at_once(number: signal.Signals, code: int) -> None:
    with subprocess.Popen(
        [*TITM, "oracle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(REQUEST)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["ok"]
        process.send_signal(number)
        assert process.wait(timeout=30) == code
        assert process.stderr.read() == ""


@posix
def test_a_long_game_ends_at_once(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    with subprocess.Popen(
        [*TITM, "play", "seventh-army", "--verbose", "-o", str(record)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        assert process.wait(timeout=30) in (130, 141)
        assert b"Traceback" not in process.stderr.read()
    assert not record.exists()


@posix
def test_an_oracle_whose_reader_is_gone_ends_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*TITM, "oracle"], input=REQUEST * 3, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


# ---------------------------------------------------------------------- nowhere to write
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments", [("play", "two-bridges", "--limit", "3", "-o", "/dev/full"), ("check", CASE)], ids=["record", "output"]
)
def test_a_full_disk_is_told(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        out = subprocess.PIPE if "-o" in arguments else full
        done = subprocess.run([*TITM, *arguments], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode in (2, 74)
    assert "No space left on device" in done.stderr
    assert "bug" not in done.stderr


def test_without_a_home_the_answer_is_the_same(tmp_path: Path, wanted: str) -> None:
    (tmp_path / "file").write_text("")
    home = str(tmp_path / "file" / "home")
    done = run("check", CASE, "--json", HOME=home, XDG_CACHE_HOME=f"{home}/cache", TITM_RULES_CACHE="")
    assert (done.stdout, done.stderr) == (wanted, "")


# ---------------------------------------------------------------------- first starts
def test_two_first_starts_at_once(tmp_path: Path, wanted: str) -> None:
    cache = tmp_path / "cache"
    started = [
        subprocess.Popen(
            [*TITM, "check", CASE, "--json"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TITM_RULES_CACHE": str(cache)},
        )
        for _ in range(2)
    ]  # fmt: skip
    assert {process.communicate(timeout=120)[0] for process in started} == {wanted}
    assert list(cache.glob("*.model"))
    assert not list(cache.glob("*.part"))
    for entry in cache.glob("*.model"):  # the disk was full, or the power went
        entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])
    done = run("check", CASE, "--json", TITM_RULES_CACHE=str(cache))
    assert (done.stdout, done.stderr) == (wanted, "")
