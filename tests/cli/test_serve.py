"""The protocol on standard input and output."""

import io
import json
import subprocess

from titm_rules.cli.serve import bounded_lines, encoded
from titm_rules.engines.query import BoundQuestion
from titm_rules.service.protocol import Oracle

from .conftest import SHIPPED_CASES, TITM

COMMAND = [*TITM, "oracle"]


def case_line():
    lines = (SHIPPED_CASES).read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if "example-move-direct-path-1999" in line)


def test_lines_are_cut_at_the_limit_and_half_a_character_comes_back_escaped():
    stream = io.BytesIO(b"abc\n" + b"x" * 200_000 + b"\n\nlast")
    lines = list(bounded_lines(stream, limit=10))
    assert [len(line) for line in lines] == [4, 12, 1, 4]
    assert (lines[0], lines[3]) == (b"abc\n", b"last")
    assert list(bounded_lines(io.BytesIO(b"0123456789\nx\n"), limit=10)) == [b"0123456789\n", b"x\n"]
    assert len(list(bounded_lines(io.BytesIO(b"y" * 1_000_000), limit=10))) == 1
    assert encoded('{"id": "\ud800"}') == b'{"id": "\\ud800"}'
    assert encoded('{"id": "ä"}') == '{"id": "ä"}'.encode()


def test_bug_is_an_error_answer_that_keeps_the_id(monkeypatch):
    def broken(*_):
        raise RecursionError("too deep")

    monkeypatch.setattr(BoundQuestion, "answer", broken)
    answer = json.loads(Oracle().answer_line(json.dumps({**json.loads(case_line()), "id": 7})))
    assert (answer["id"], answer["ok"], answer["error"]["kind"]) == (7, False, "bug")
    assert "too deep" in answer["error"]["message"]


def test_each_answer_comes_before_the_next_question():
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, ok in ((case_line(), True), ("no json", False), ('{"id": "\\ud800"}', False), (case_line(), True)):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["ok"] is ok
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_too_long_a_line_and_too_hard_a_question_are_errors():
    text = "x" * (9 * 1024 * 1024) + "\n" + case_line() + "\n"
    done = subprocess.run(COMMAND, input=text, capture_output=True, text=True, check=True)
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["error"]["kind"] == "too-large"
    assert second["answer"] == {"legal": True, "cost": 5}
    command = [*COMMAND, "--seconds", "0.001", "--memory", "100"]
    slow = json.loads(case_line()) | {"explain": True, "edition": "1997-03-01"}
    text = json.dumps(slow) + "\n" + "no json\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert [json.loads(line)["error"]["kind"] for line in done.stdout.splitlines()] == ["too-large", "bad-json"]


def test_listing_names_readings_with_their_defaults(titm):
    listed = json.loads(titm("oracle", "--list").stdout)
    assert listed["readings"]["R3"]["default"] == "as-if-absent"
    assert {"edition": "1999", "title": "The boxed rulebook"} in listed["editions"]
