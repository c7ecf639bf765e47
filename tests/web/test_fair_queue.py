"""Lines of a queue: each address has its turn, and gives up places that others need."""

import pytest
from titm_rules.web.pool import FairQueue, Full


def filled(places, items):
    """A queue with items such as `a1`, whose letter is the address."""
    queue = FairQueue(places)
    for item in items.split():
        assert queue.put(item[0], item) is None
    return queue


def taken(queue):
    return " ".join(queue.take()[1] for _ in range(len(queue)))


def test_lines_are_served_in_turn():
    assert taken(filled(9, "a1 a2 a3 b1 c1 b2")) == "a1 b1 c1 a2 b2 a3"
    queue = filled(9, "a1 a2")
    assert queue.take()[1] == "a1"
    queue.put("b", "b1")
    assert taken(queue) == "b1 a2"
    queue = filled(3, "a1 a2 a3")
    with pytest.raises(Full) as caught:
        queue.put("a", "a4")
    assert not caught.value.is_own
    assert taken(queue) == "a1 a2 a3"


def test_it_gives_up_its_last_places_to_others():
    queue = filled(4, "a1 a2 a3 a4")
    assert [queue.put(item[0], item) for item in ("b1", "c1")] == ["a4", "a3"]
    with pytest.raises(Full) as caught:
        queue.put("a", "a5")
    assert caught.value.is_own
    assert queue.put("d", "d1") == "a2"
    with pytest.raises(Full) as caught:
        queue.put("e", "e1")
    assert not caught.value.is_own
    assert taken(queue) == "a1 b1 c1 d1"


def test_what_is_removed_is_not_served():
    queue = filled(9, "a1 a2 b1")
    for item in ("a1", "b1", "b1", "c1"):
        queue.remove(item[0], item)
    assert (len(queue), taken(queue)) == (1, "a2")
    with pytest.raises(LookupError):
        queue.take()
