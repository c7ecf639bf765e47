"""Programs that speak the protocol, more or less: run as `python strange_referee.py MODE`.

The first modes ask the oracle of the package and are right, or wrong in one way; the others do what programs do that
are not finished.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def honest(request: Json, right: Json) -> Json:
    """Answer as the package does."""
    return right


def forgets_the_river(request: Json, right: Json) -> Json:
    """Answer rightly, but shoot over a river as if there were none."""
    drms = right.get("answer", {}).get("drms", {})
    if "river" in drms:
        right["answer"]["highest"] += drms.pop("river")
    return right


def trusts_records(request: Json, right: Json) -> Json:
    """Answer rightly, but take every record for legal."""
    if request["query"] == "replay":
        right["answer"] |= {"legal": True, "refused": None}
    return right


def knows_one_question(request: Json, right: Json) -> Json:
    """Answer one question rightly, and say of the others that it does not know them."""
    if request["query"] == "check_path":
        return right
    return {"id": request["id"], "ok": False, "error": {"kind": "unknown-query", "message": "not yet"}}


def tell(reply: object) -> None:
    print(reply if isinstance(reply, str) else json.dumps(reply), flush=True)


def unfinished(mode: str, number: int, identity: object) -> object:
    """Do what a program does that is not finished, at some line; or give what it says."""
    good = {"id": identity, "ok": True, "answer": {"legal": True}}
    match mode:
        case "silent":
            time.sleep(60)
        case "crashes":
            print("Traceback\nIndexError: no such bridge", file=sys.stderr)
            sys.exit(3)
        case "crashes-later" if number:
            sys.exit(4)
        case "latin":
            sys.stdout.buffer.write(b'{"id": "\xe9"}\n')
            sys.stdout.flush()
            time.sleep(60)
        case "endless":
            while True:
                sys.stdout.write("x" * 4096)
        case "partial":
            sys.stdout.write(json.dumps(good)[:20])
            sys.exit(0)
        case "closes":
            os.close(1)
            time.sleep(60)
    said = {
        "babbles": "I think it is legal", "lists": "[]", "mixes-up": {**good, "id": "another"},
        "nameless": {"ok": True, "answer": {}}, "half": {"id": identity, "ok": True},
        "odd-error": {"id": identity, "ok": False, "error": "no"}, "one": {**good, "answer": {"legal": 1}},
    }  # fmt: skip
    return said.get(mode, good)


MODES = {
    function.__name__.replace("_", "-"): function
    for function in (honest, forgets_the_river, trusts_records, knows_one_question)
}

if __name__ == "__main__":
    chosen = sys.argv[1]
    if chosen == "deaf":
        time.sleep(60)
    if chosen in MODES:
        sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
        from titm_rules.service.protocol import Oracle

        oracle = Oracle()
    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        if chosen in MODES:
            tell(MODES[chosen](request, oracle.ask(request)))
        else:
            tell(unfinished(chosen, number, request["id"]))
