"""Programs that speak the protocol, more or less: run as `python strange_referee.py MODE`.

The first modes ask the oracle of the package and are right, or wrong in one way; the others do what programs do that
are not finished.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def honest() -> Callable[[Json], Json]:
    """Answer as the package does."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from titm_rules.service.protocol import Oracle

    return Oracle().ask


def forgets_the_river() -> Callable[[Json], Json]:
    """Answer rightly, but shoot over a river as if there were none."""
    right = honest()

    def answer(request: Json) -> Json:
        reply = right(request)
        drms = reply.get("answer", {}).get("drms", {})
        if "river" in drms:
            reply["answer"]["highest"] += drms.pop("river")
        return reply

    return answer


def trusts_records() -> Callable[[Json], Json]:
    """Answer rightly, but take every record for legal."""
    right = honest()

    def answer(request: Json) -> Json:
        reply = right(request)
        if request["query"] == "replay":
            reply["answer"] |= {"legal": True, "refused": None}
        return reply

    return answer


def knows_one_question() -> Callable[[Json], Json]:
    """Answer one question rightly, and say of the others that it does not know them."""
    right = honest()

    def answer(request: Json) -> Json:
        if request["query"] == "check_path":
            return right(request)
        return {"id": request["id"], "ok": False, "error": {"kind": "unknown-query", "message": "not yet"}}

    return answer


def tell(reply: object) -> None:
    print(reply if isinstance(reply, str) else json.dumps(reply), flush=True)


def unfinished(mode: str) -> None:
    """Do what a program does that is not finished."""
    for number, line in enumerate(sys.stdin):
        identity = json.loads(line)["id"]
        good = {"id": identity, "ok": True, "answer": {"legal": True}}
        match mode:
            case "silent":
                time.sleep(60)
            case "crashes":
                print("Traceback\nIndexError: no such bridge", file=sys.stderr)
                sys.exit(3)
            case "crashes-later":
                if number:
                    sys.exit(4)
                tell(good)
            case "babbles":
                tell("I think it is legal")
            case "lists":
                tell("[]")
            case "latin":
                sys.stdout.buffer.write(b'{"id": "\xe9"}\n')
                sys.stdout.flush()
            case "endless":
                while True:
                    sys.stdout.write("x" * 4096)
            case "partial":
                sys.stdout.write(json.dumps(good)[:20])
                sys.exit(0)
            case "closes":
                os.close(1)
                time.sleep(60)
            case "mixes-up":
                tell({**good, "id": "another"})
            case "nameless":
                tell({"ok": True, "answer": {}})
            case "half":
                tell({"id": identity, "ok": True})
            case "odd-error":
                tell({"id": identity, "ok": False, "error": "no"})
            case "legal":
                tell(good)
            case "one":
                tell({**good, "answer": {"legal": 1}})


MODES = {
    "honest": honest,
    "forgets-the-river": forgets_the_river,
    "trusts-records": trusts_records,
    "knows-one-question": knows_one_question,
}

if __name__ == "__main__":
    chosen = sys.argv[1]
    if chosen == "deaf":
        time.sleep(60)
    elif chosen in MODES:
        ask = MODES[chosen]()
        for request in sys.stdin:
            tell(ask(json.loads(request)))
    else:
        unfinished(chosen)
