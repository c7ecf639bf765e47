"""A situation after an interruption is made once while somebody uses it, and is gone with its last user."""

import gc
import json
import weakref

from titm_rules import Edition
from titm_rules.catalog import game_folder

NAME = "example-blown-no-crossing-1999"


def interrupted():
    """Give a situation, a route that can be interrupted there, and two connections on it."""
    lines = (game_folder() / "conformance" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(one for one in map(json.loads, lines) if one["id"] == NAME)
    asked = Edition(case["edition"]).ask(case["query"], case["input"])
    route, mover, _ = asked.route()
    links = [link for pairs in mover[0].place.links_.values() for link, _ in pairs]
    return asked.world, route, links


def changed(after, route, link):
    return getattr(after.twin(link), route.interruption_field) == route.interruption_value


def test_the_situation_is_shared_while_it_is_used_and_gone_when_nobody_uses_it():
    world, route, links = interrupted()
    after = world.interrupted(route, links[0])
    assert world.interrupted(route, links[0]) is after
    assert changed(after, route, links[0])
    other = world.interrupted(route, links[-1])
    assert links[0] is not links[-1]
    assert after is not other
    assert changed(other, route, links[-1])
    gone = weakref.ref(after)
    del after
    gc.collect()
    assert gone() is None
    assert world.interrupted(route, links[0]).origin is world
    later = world.copied(world.data, world.root)  # the situation after an action can be interrupted too
    assert changed(later.interrupted(route, links[0]), route, links[0])
