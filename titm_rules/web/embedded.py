"""The oracle for a host that runs Python in WebAssembly: texts go in and come out.

The package `titm-oracle` (`js/oracle`) is this host, in Node and in the worker of a page. It is a module of its own
because Python imports it there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable

from titm_rules.service.budget import Budget, HostLimit, watch_by_clock
from titm_rules.service.protocol import Oracle
from titm_rules.web.routes import Routes

LineAnswerer = Callable[[str], str]
PageAnswerer = Callable[[str, str, str], tuple[int, str, str]]


def start(limit: HostLimit, seconds: float) -> tuple[LineAnswerer, PageAnswerer]:
    """Give what answers a line of the protocol, and what answers a request of the page: method, target and body.

    `limit` asks the host to interrupt Python, as `watch_by_clock` says. What is answered is JSON,
    or a status, a type and a text.
    """
    watch_by_clock(limit)
    oracle = Oracle(budget=Budget(seconds))
    routes = Routes(oracle)

    def route(method: str, target: str, body: str) -> tuple[int, str, str]:
        answer = routes.answer(method, target, body.encode("utf-8", "surrogatepass"))
        return answer.status, answer.media_type, answer.body.decode("utf-8")

    return oracle.answer_line, route
