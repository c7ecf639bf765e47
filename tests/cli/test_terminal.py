"""What reaches the terminal is text, nothing in a stranger's file moves the cursor; how commands end on faults."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from titm_rules.cli.terminal import BUG, INTERRUPTED, _Shown, exit_code, strip_controls
from titm_rules.formats.safe_json import bad

from tests.builders import position
from tests.cli.conftest import TITM

EVIL = "x\r\x1b[2K\x1b[1ALegal\x07\u009b2J\u202egal"
HERE = position("B-s major; s-x minor", "m German foot 3 s; e Allied foot 2 x")


def shown(text):
    stream = io.StringIO()
    _Shown(stream).write(text)
    return stream.getvalue()


CONTROL = ("\x1b[2K", "\x1b[1A", "\x1b[8mhidden", "\x1b[30m", "\x1b[47m", "\x1b]0;x\x07", "\r", "\x9b2J", "\u202e")


def test_text_and_our_styles_pass_and_what_controls_a_terminal_does_not():
    for text in ("a\tb\n", "Öéß 中 ✔", "\x1b[31mred\x1b[0m", "\x1b[1;36mbold\x1b[22;39m", "\x1b[m"):
        assert shown(text) == text
    for text in CONTROL:
        assert not any(ord(letter) < 32 or ord(letter) in (0x9B, 0x202E) for letter in shown(text)), text


def test_escapes_are_those_of_json():
    assert json.loads(f'"{strip_controls(EVIL)}"') == EVIL
    assert json.loads(shown(json.dumps({"id": EVIL}, ensure_ascii=False))) == {"id": EVIL}


def run(tmp_path, *arguments):
    named = json.loads(json.dumps(HERE).replace('"m"', json.dumps(EVIL)))
    case = tmp_path / "case.json"
    asked = {"position": named, "units": [named["units"][0]["id"]], "path": ["s", "q"]}
    case.write_text(json.dumps({"query": "check_path", "input": asked}))
    return subprocess.run([*TITM, *arguments, str(case)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["check", "why", "legal"])
def test_an_id_cannot_write_over_the_verdict(tmp_path, command):
    done = run(tmp_path, command)
    for text in (done.stdout, done.stderr):
        assert not set(text) & {"\r", "\x1b", "\x07", "\u009b", "\u202e"}


def test_a_name_of_several_lines_looks_like_no_verdict_in_an_error(tmp_path):
    case, name = tmp_path / "case.json", "x\nLegal (1999): cost 3\n"
    named = json.loads(json.dumps(HERE).replace('"m"', json.dumps(name)))
    for units in (["none"], [name, f"{name}{name}"]):
        case.write_text(
            json.dumps({"query": "check_path", "input": {"position": named, "units": units, "path": ["s"]}})
        )
        done = subprocess.run([*TITM, "check", str(case)], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "Legal" in done.stderr
        assert not [line for line in done.stderr.splitlines() if line.startswith("Legal")]


# ---------------------------------------------------------------------- streams that are closed or full
@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(("command", "code", "says"), [
    ("clauses >&-", 74, "standard output is closed"),
    ("clauses >/dev/full", 74, "cannot write"),
    ("clauses --json >/dev/full", 74, "cannot write"),
    ("clauses 2>&- >/dev/null", 0, ""),
    ("oracle <&-", 2, ""),
    ("oracle </dev/null", 0, ""),
])  # fmt: skip
def test_streams_that_cannot_be_used(command, code, says):
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    shell = f"{sys.executable} -c 'from titm_rules.cli import main; main()' {command}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert says in done.stderr
    assert "bug" not in done.stderr
    assert "Exception" not in done.stderr


# ---------------------------------------------------------------------- how commands end when something is wrong
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


@pytest.mark.parametrize(("name", "text"), [
    ("a.json", "{"), ("a.json", "[" * 100 + "]" * 100), ("a.yaml", "a: &x [1]\nb: *x\n"),
    ("a.yaml", "{1: 2, 3: 4}"), ("a.yaml", "position: {day: .nan}"), ("a.yaml", "position: {1: 2}"),
    ("a.yaml", "changes: 3\nbase: b.yaml"), ("a.yaml", "\x00"), ("a.yaml", ""),
    ("a.json", '{"position": {"day": 1e999}}'), ("a.json", '{"query": "check_path", "input": {"position": null}}'),
])  # fmt: skip
@pytest.mark.parametrize("command", ["check", "why", "legal", "trace"])
def test_damaged_files_are_bad_input(titm, tmp_path, command, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    words = ["tank"] if command == "trace" else []
    done = titm(command, path, *words, "--json")
    assert done.exit_code == 2, done.output
    assert set(json.loads(done.stdout)["error"]) >= {"kind", "at", "message", "fix"}
