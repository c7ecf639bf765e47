"""How commands end when something is wrong."""

import json
import os
import subprocess
import sys

import pytest
from titm_rules.cli.terminal import BUG, INTERRUPTED, exit_code
from titm_rules.formats.safe_json import bad

TITM = [sys.executable, "-c", "from titm_rules.cli import main; main()"]


def raising(error):
    def work():
        raise error

    return work


def test_every_end_has_its_code_and_its_words(capsys):
    assert exit_code(lambda: 3) == 3
    assert exit_code(raising(KeyboardInterrupt())) == INTERRUPTED
    work = raising(bad("it is bad", "$.here", "mend it", "bad-value"))
    assert exit_code(work) == 2
    assert capsys.readouterr() == ("", "$.here: it is bad\nfix: mend it\n")
    assert exit_code(work, as_json=True) == 2
    fault = {"kind": "bad-value", "at": "$.here", "message": "it is bad", "fix": "mend it"}
    assert json.loads(capsys.readouterr().out) == {"ok": False, "error": fault}


def test_bugs_are_told_in_a_line_and_closed_pipes_end_quietly(capsys, monkeypatch):
    monkeypatch.delenv("TITM_RULES_DEBUG", raising=False)
    assert exit_code(raising(AssertionError("odd"))) == BUG
    assert "AssertionError: odd" in capsys.readouterr().err
    monkeypatch.setenv("TITM_RULES_DEBUG", "1")
    with pytest.raises(AssertionError, match="odd"):
        exit_code(raising(AssertionError("odd")))
    # The reader is gone before anything is written.
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*TITM, "clauses"], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", "[" * 100 + "]" * 100),
        ("a.yaml", "a: &x [1]\nb: *x\n"),
        ("a.yaml", "{1: 2, 3: 4}"),
        ("a.yaml", "position: {day: .nan}"),
        ("a.yaml", "position: {1: 2}"),
        ("a.yaml", "changes: 3\nbase: b.yaml"),
        ("a.yaml", "\x00"),
        ("a.yaml", ""),
        ("a.json", '{"position": {"day": 1e999}}'),
        ("a.json", '{"query": "check_path", "input": {"position": null}}'),
    ],
)
@pytest.mark.parametrize("command", ["check", "why", "legal", "trace"])
def test_damaged_files_are_bad_input(titm, tmp_path, command, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    words = ["tank"] if command == "trace" else []
    done = titm(command, path, *words, "--json")
    assert done.exit_code == 2, done.output
    assert set(json.loads(done.stdout)["error"]) >= {"kind", "at", "message", "fix"}
