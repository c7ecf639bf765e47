"""The queue of a server and its processes: clients that leave, clients that crowd, processes that end or do not answer.

All on 127.0.0.1; each crowd is counted, and each wait has an end.
"""

import json
import os
import signal
import socket
import threading
import time
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPResponse

import pytest
from titm_rules.service.budget import Budget
from titm_rules.web import pool
from titm_rules.web.pool import FairQueue, Full

from tests.service.worst import worst

from .conftest import LONG_S, server_of

EASY = {"id": 1, "edition": "1999", "query": "campaign_victory_level", "input": {"points": 3}}
HARD = {**worst()["bridges"], "edition": "all"}  # takes some 40 s
SOON_S = 15.0  # for a machine that is busy: a process that answers nothing hard takes some milliseconds
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")


def sent(port, request, address=""):
    """Send a request and give the connection; a proxy says for whom it is."""
    body = json.dumps(request).encode()
    forwarded = f"X-Forwarded-For: {address}\r\n" if address else ""
    head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{forwarded}"
    connection = socket.create_connection(("127.0.0.1", port), timeout=LONG_S)
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return connection


def got(port, path, request=None, address=""):
    connection = HTTPConnection("127.0.0.1", port, timeout=LONG_S)
    headers = {"Content-Type": "application/json", **({"X-Forwarded-For": address} if address else {})}
    connection.request("GET" if request is None else "POST", path, request and json.dumps(request), headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


def answered(connection):
    response = HTTPResponse(connection)
    response.begin()
    assert (response.status in (429, 503)) == (response.headers["Retry-After"] == "2")
    return response.status, json.loads(response.read())


def health(port):
    return got(port, "/api/health")


def until(it, seconds=LONG_S):
    end = time.monotonic() + seconds
    while not it():
        assert time.monotonic() < end
        time.sleep(0.05)


def timed_easy(port, address=""):
    """Ask something easy; give the seconds that the answer took."""
    begun = time.monotonic()
    status, answer = got(port, "/api/ask", EASY, address)
    assert (status, answer["ok"]) == (200, True)
    return time.monotonic() - begun


@pytest.fixture(scope="module")
def port():
    with server_of(proxies=("127.0.0.1",)) as (port, _):
        timed_easy(port)
        yield port


# ---------------------------------------------------------------------- clients
def test_the_work_of_clients_that_have_left_is_dropped(port):
    crowd = [sent(port, HARD) for _ in range(60)]
    until(lambda: health(port)[1]["waiting"] == 59)
    for connection in crowd:
        connection.close()
    assert timed_easy(port) < SOON_S
    assert health(port)[1]["waiting"] == 0


def test_an_address_leaves_places_and_turns_to_others(port):
    crowd = [sent(port, HARD, "10.0.0.1") for _ in range(pool.MOST_WAITING + 1)]
    until(lambda: health(port)[1]["waiting"] == pool.MOST_WAITING)
    assert got(port, "/api/ask", EASY, "10.0.0.1")[1]["error"]["kind"] == "busy"
    other = sent(port, EASY, "10.0.0.2")
    status, refused = answered(crowd[-1])  # the last one gives its place up
    assert (status, refused["error"]["kind"]) == (429, "too-many")
    assert got(port, "/api/ask", EASY, "10.0.0.1")[1]["error"]["kind"] == "too-many"
    crowd[0].close()  # what is worked on: the turn of the other comes
    assert answered(other)[0] == 200
    assert health(port)[1]["waiting"] == pool.MOST_WAITING - 2
    for connection in crowd:
        connection.close()
    until(lambda: health(port)[1]["waiting"] == 0)


def test_half_a_body_of_a_client_that_has_left_is_no_work(client, monkeypatch):
    asked = []
    monkeypatch.setattr(pool.Pool, "put", lambda self, address, name, *arguments: asked.append(name))
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/ask", "headers": headers, "query_string": b""}
    sent = []

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    client.portal.call(client.app, scope, receive, send)
    assert asked == sent == []


# ---------------------------------------------------------------------- processes
@posix
def test_a_process_that_is_killed_is_replaced_and_takes_no_position_with_it():
    with server_of() as (port, serving):
        position = got(port, "/api/games/titm/scenarios/two-bridges")[1]["position"]
        asked = {"edition": "1999", "query": "notation", "input": {"position": position}}
        _, known = got(port, "/api/ask", asked)
        again = {**asked, "input": {"position": {"ref": known["digest"]}}}
        waiting = sent(port, HARD)
        until(lambda: health(port)[1] == {"ok": True, "workers": 1, "well": 1, "waiting": 0})
        time.sleep(0.5)
        [process] = serving.pool.processes
        os.kill(process, signal.SIGKILL)
        status, answer = answered(waiting)
        assert (status, answer["error"]["kind"]) == (503, "lost")
        assert got(port, "/api/ask", again) == (200, known)
        assert serving.pool.processes != [process]


@posix
def test_health_says_whether_a_process_makes_progress(monkeypatch):
    monkeypatch.setattr(pool, "TICK_S", 0.2)
    monkeypatch.setattr(pool, "LATE_S", 1.5)
    with server_of(Budget(seconds=0.5)) as (port, serving):
        assert health(port)[0] == 200
        waiting = sent(port, HARD)
        assert health(port)[0] == 200  # it works
        assert answered(waiting)[1]["error"]["kind"] == "too-large"
        [process] = serving.pool.processes
        os.kill(process, signal.SIGSTOP)
        begun = time.monotonic()
        until(lambda: health(port)[0] == 503)
        assert time.monotonic() - begun > 0.5
        assert health(port)[1]["error"]["kind"] == "stuck"
        until(lambda: health(port)[0] == 200)  # another has taken its place
        assert timed_easy(port) < LONG_S
        assert serving.pool.processes != [process]


def test_several_processes_work_side_by_side_and_know_the_same_positions():
    with server_of(workers=2) as (port, serving), ExitStack() as stack:
        until(lambda: health(port)[1].get("well") == 2)
        position = got(port, "/api/games/titm/scenarios/two-bridges")[1]["position"]
        asked = {"edition": "1999", "query": "notation", "input": {"position": position}}
        _, known = got(port, "/api/ask", asked)
        again = {**asked, "input": {"position": {"ref": known["digest"]}}}
        assert len(set(serving.pool.processes)) == 2
        stack.enter_context(sent(port, HARD))  # keeps the process that has seen the position
        time.sleep(0.2)
        assert got(port, "/api/ask", again) == (200, known)
        stack.enter_context(sent(port, HARD))  # now both have work
        until(lambda: health(port)[1]["waiting"] == 0)
        late = threading.Thread(target=timed_easy, args=(port,))
        late.start()
        until(lambda: health(port)[1]["waiting"] == 1)
        stack.close()
        late.join(LONG_S)
        assert not late.is_alive()


# ---------------------------------------------------------------------- lines, one for each address
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
