"""The worst requests end at the limit, and the next one is served as if nothing had happened."""

import json
import time

import pytest
from titm_rules.engines.query import BoundQuestion
from titm_rules.service.budget import Budget, held_memory
from titm_rules.service.protocol import Oracle

from tests.builders import position
from tests.service.worst import battle, request, worst

LIMIT_S, LATE_S = 0.2, 6.0  # the second for a machine that is busy with other things
GOOD = json.dumps(
    request("reachable", {"position": position("B-s major; s-x minor", "m German foot 3 s"), "units": ["m"]})
)
WORST = worst()


@pytest.mark.parametrize("engine", ["compiled", "library", "reference"])
@pytest.mark.parametrize("name", WORST)
def test_it_ends_at_the_limit(name, engine):
    oracle = Oracle(engine, Budget(LIMIT_S, 256))
    start = time.process_time()
    answer = json.loads(oracle.answer_line(json.dumps(WORST[name])))
    assert time.process_time() - start < LIMIT_S + LATE_S
    assert answer["id"] == WORST[name]["query"]
    if not answer["ok"]:
        assert (answer["error"]["kind"], answer["error"]["at"]) == ("too-large", "$")
    assert json.loads(Oracle(engine).answer_line(GOOD)) == json.loads(Oracle("compiled").answer_line(GOOD))


def test_what_takes_memory_ends_at_the_limit(monkeypatch):
    def greedy(*_):
        held = []
        while True:
            held.append({1: held, 2: b"x" * 2**20})
            time.sleep(0.002)  # so that the watch has its turn on a busy machine

    before = held_memory()
    with monkeypatch.context() as patched:
        patched.setattr(BoundQuestion, "answer", greedy)
        answer = json.loads(Oracle("compiled", Budget(60, 60)).answer_line(GOOD))
    assert "60 MiB of memory" in answer["error"]["message"]
    assert held_memory() - before < 60 * 2**20
    assert json.loads(Oracle().answer_line(GOOD))["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_nothing_stays_of_what_was_interrupted(name):
    """Each request is about other places, of which the last few are remembered."""
    oracle, held = Oracle("compiled", Budget(0.1, 256)), []
    for number in range(70):
        text = json.dumps(WORST[name])
        for old in ("z1", "a1", "p1", "!p1"):
            text = text.replace(f'"{old}"', f'"{old}x{number}"')
        oracle.answer_line(text)
        held.append(held_memory())
    assert held[-1] - held[-31] < 16 * 2**20


def test_too_many_to_list_are_counted_or_listed_up_to_a_limit():
    answer = json.loads(Oracle().answer_line(json.dumps(WORST["fire"])))["answer"]
    assert answer == {"count": answer["count"], "sha256": None, "limit": 200_000}
    assert answer["count"] > 10**9
    # No target twice while others have none: 2 counters on 24 targets come to 276 sets, 3 to 2,024.
    equal = [{"id": f"d{n:02}", "kind": "foot", "strength": 3} for n in range(24)]
    fight = {**battle(2, 1), "defenders": equal}
    for counters, sequences, sets in ((2, 24 * 23, 24 * 23 // 2), (3, 24 * 23 * 22, None)):
        asked = request("artillery_targetings", {"battle": fight, "who": "attacker", "n": counters})
        answer = json.loads(Oracle().answer_line(json.dumps(asked)))["answer"]
        assert answer["count"] == sequences
        assert answer["sha256"]
        assert (len(answer["multisets"]) if "multisets" in answer else None) == sets


@pytest.mark.parametrize("name", ["fire", "zones"])
def test_a_rule_program_that_was_broken_off_is_made_anew(name):
    """Rules are compiled when they are first asked; a limit may fall in the midst of it."""
    whole = Oracle().answer_line(GOOD)
    for hundredths in range(1, 12, 2):
        broken = Oracle("compiled", Budget(hundredths / 100, 0))
        broken.answer_line(json.dumps(WORST[name]))
        assert Oracle().answer_line(GOOD) == whole
