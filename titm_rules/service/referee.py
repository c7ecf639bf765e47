"""Another program that speaks the protocol over its standard input and output, asked with limits.

Whatever it does (says nothing, ends, writes what is no answer, writes without end) comes back as a message about it.
"""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from titm_rules.diagnostics import InputError, TitmError, cut
from titm_rules.files import MAX_BYTES
from titm_rules.formats.jsonin import bad, parse_json

SECONDS = 60.0
ENDING_SECONDS = 2.0
TOLD_LINES, TOLD_BYTES, SHOWN = 20, 2_000, 80


class NoAnswerError(Exception):
    """A program gave no answer that can be read; the text says what it did instead."""


def command_of(text: str) -> list[str]:
    """Split a command line into words, as shells do.

    Raises:
        InputError: for a text without words, or with a quotation mark that is not closed.
    """
    try:
        words = shlex.split(text, posix=sys.platform != "win32")
    except ValueError as error:
        raise bad(f"this is no command: {str(error).lower()}", "--against", "close the quotation mark") from None
    if not words:
        raise bad("no command is named", "--against", 'write it in quotes, as --against "python my_referee.py"')
    return words


class Referee:
    """A program that is asked one request after another; it is started when it is needed, and anew after trouble.

    Args:
        command: the program and its arguments; no shell is involved.
        seconds: how long one answer may take, the start of the program included.
        max_bytes: how long a line of its may be.
    """

    def __init__(self, command: Sequence[str], seconds: float = SECONDS, max_bytes: int = MAX_BYTES) -> None:
        self.command = list(command)
        self.seconds = seconds
        self.max_bytes = max_bytes
        self._running: _Running | None = None

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Put a request; give the answer, whose frame is checked: its `id`, `ok`, and `answer` or `error`.

        Raises:
            NoAnswerError: if there is none that can be read; the program is stopped then.
            InputError: if the program cannot be started.
        """
        if self._running is None:
            self._running = _start(self.command, self.max_bytes)
        try:
            line = self._running.exchange(json.dumps(request).encode() + b"\n", self.seconds)
            return checked_reply(line, request.get("id"))
        except NoAnswerError:
            self.stop(0)
            raise

    def stop(self, patience: float = ENDING_SECONDS) -> None:
        """Stop the program, if it runs: its input ends, and after so many seconds it is killed."""
        running, self._running = self._running, None
        if running is not None:
            running.stop(patience)


def _start(command: Sequence[str], max_bytes: int) -> _Running:
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )  # no shell: the words are the user's own
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be one of a program"
        fix = "name a program that can be run, with its arguments"
        raise bad(f"cannot start `{cut(command[0])}`: {reason}", "--against", fix, "no-file") from None
    return _Running(process, max_bytes)


class _Running:
    """A program that runs, with threads that read what it writes, so that no pipe fills up."""

    def __init__(self, process: subprocess.Popen[bytes], max_bytes: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process, self.stdin, self.max_bytes = process, process.stdin, max_bytes
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.told: deque[bytes] = deque(maxlen=TOLD_LINES)
        readers = ((self._read_answers, process.stdout), (self._read_errors, process.stderr))
        self.threads = [threading.Thread(target=target, args=(stream,), daemon=True) for target, stream in readers]
        for thread in self.threads:
            thread.start()

    def _read_answers(self, stream: IO[bytes]) -> None:
        """Queue the lines that it writes; the first that is too long is the last that is read."""
        line = b"\n"
        with suppress(OSError, ValueError):
            while line.endswith(b"\n"):
                line = stream.readline(self.max_bytes + 1)
                self.lines.put(line)

    def _read_errors(self, stream: IO[bytes]) -> None:
        """Keep the last lines that it writes on its standard error."""
        with suppress(OSError, ValueError):
            while line := stream.readline(TOLD_BYTES):
                self.told.append(line)

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a line and wait for the next that comes back.

        Raises:
            NoAnswerError: if none comes in time, the program has ended, or the line is too long or not whole.
        """
        threading.Thread(target=self._send, args=(line,), daemon=True).start()  # a full pipe would hold it up
        try:
            answer = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise NoAnswerError(f"no answer within {seconds:g} seconds") from None
        if answer.endswith(b"\n"):
            return answer
        if len(answer) > self.max_bytes:
            raise NoAnswerError(f"the answer is over {self.max_bytes} bytes")
        raise NoAnswerError(self._ended("in the middle of an answer" if answer else "without an answer"))

    def _send(self, line: bytes) -> None:
        with suppress(OSError, ValueError):
            self.stdin.write(line)
            self.stdin.flush()

    def _close(self) -> None:
        with suppress(OSError, ValueError):
            self.stdin.close()

    def _ended(self, when: str) -> str:
        """Say how the program has ended, with the last that it wrote on standard error."""
        try:
            code = self.process.wait(ENDING_SECONDS)
            self.threads[1].join(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return f"the program closed its output {when}"
        last = b"".join(self.told).decode("utf-8", "replace").strip().splitlines()
        return f"the program ended {when} (exit code {code})" + (f": {shown(last[-1])}" if last else "")

    def stop(self, patience: float) -> None:
        """End the program: by the end of its input, and if that does not help in time, by force."""
        threading.Thread(target=self._close, daemon=True).start()  # what is still being sent would hold it up
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self.threads:
            thread.join(ENDING_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None and not any(thread.is_alive() for thread in self.threads):
                stream.close()


# ---------------------------------------------------------------------- what comes back
def checked_reply(line: bytes, identity: object) -> dict[str, Any]:
    """Read an answer line and check its frame.

    Raises:
        NoAnswerError: for what is no JSON object, is the answer to another request, or has neither answer nor error.
    """
    try:
        reply = parse_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise NoAnswerError("the answer is not UTF-8") from None
    except TitmError as error:
        raise NoAnswerError(f"the answer is no JSON ({_first(error)}): {shown(line.decode('utf-8'))}") from None
    if not isinstance(reply, dict):
        raise NoAnswerError(f"the answer is no JSON object: {shown(line.decode('utf-8'))}")
    if "id" not in reply or reply["id"] != identity:
        given = shown(json.dumps(reply.get("id"))) if "id" in reply else "none"
        raise NoAnswerError(f"the answer has another `id` than the request: {given}")
    if reply.get("ok") is True and isinstance(reply.get("answer"), dict):
        return reply
    fault = reply.get("error")
    if reply.get("ok") is False and isinstance(fault, dict) and isinstance(fault.get("kind"), str):
        return reply
    raise NoAnswerError("the answer has neither `ok` true with an `answer`, nor `ok` false with an `error` of a `kind`")


def _first(error: TitmError) -> str:
    return error.faults[0].what if isinstance(error, InputError) and error.faults else str(error)


def shown(text: str) -> str:
    """Cut a text of a program for a message, on one line, what cannot be printed escaped."""
    plain = text.strip().encode("unicode_escape").decode("ascii")
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}..."
