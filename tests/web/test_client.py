"""The client in JavaScript that the documentation shows plays through HTTP."""

import shutil
import subprocess
from pathlib import Path

import pytest

CLIENT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "random-game.mjs"
NODE = shutil.which("node")


def test_the_client_is_short():
    assert len(CLIENT.read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.skipif(NODE is None, reason="no Node: install it to run the client of the documentation")
def test_the_client_plays_and_tells_errors(address):
    command = [str(NODE), str(CLIENT), address, "two-bridges", "6"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "6 actions"
    assert len(lines) == 6
    assert all(line.split()[0] in ("German", "Allied") for line in lines)
    done = subprocess.run([str(NODE), str(CLIENT), address, "nowhere"], capture_output=True, text=True, timeout=240)
    assert done.returncode != 0
    assert "unknown-name" in done.stderr
