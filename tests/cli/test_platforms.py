"""What only some systems have is asked for before it is used; first starts are the same, alone or two at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from .conftest import QUESTION, REQUEST, SCENARIOS, TITM

CASE = str(SCENARIOS / "disputes" / "01-rambrouch-by-the-bridge.yaml")
START = TITM[-1]
# What Windows lacks, as far as Python can be made to forget it here; the folder of the cache is found before.
WITHOUT = """
import os, platformdirs, signal, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in ("O_NONBLOCK", "fork", "geteuid", "getppid", "getuid", "kill", "killpg", "mkfifo", "setsid", "uname"):
    vars(os).pop(name, None)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "alarm", "setitimer"):
    vars(signal).pop(name, None)
"""


def run(code, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, input=REQUEST, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [("check", CASE, "--json"), ("oracle",)])
def test_without_what_windows_lacks_the_answer_is_the_same(arguments):
    usual = run(START, *arguments)
    assert usual[0] == 0
    assert run(WITHOUT + START, *arguments) == usual


def test_without_it_a_game_is_recorded_all_the_same(tmp_path):
    for name, code in (("usual", START), ("without", WITHOUT + START)):
        found = run(code, "play", "two-bridges", "--limit", "3", "-o", str(tmp_path / name))
        assert (found[0], found[2].strip()) == (0, "")  # old rich ends a hidden bar with a new line
    assert (tmp_path / "without").read_bytes() == (tmp_path / "usual").read_bytes()


def test_two_first_starts_at_once(tmp_path, monkeypatch):
    wanted = run(START, *QUESTION)
    assert wanted[0] == 0
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path))
    with ThreadPoolExecutor() as both:
        assert [*both.map(lambda _: run(START, *QUESTION), range(2))] == [wanted] * 2
    assert list(tmp_path.glob("*.model"))
    assert not list(tmp_path.glob("*.part"))
    for entry in tmp_path.glob("*.model"):  # the disk was full, or the power went
        entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])
    assert run(START, *QUESTION) == wanted
