"""Connections whose clients do not go on: each is closed in time, and none keeps others out.

All on 127.0.0.1; the connections are counted, and each wait has an end.
"""

import logging
import socket
import time
from contextlib import ExitStack
from http.client import HTTPResponse
from ipaddress import ip_network

import pytest
from titm_rules.service.budget import Budget
from titm_rules.web import guards
from titm_rules.web.server import Limits

from .conftest import LONG_S, server_of
from .test_pool import HARD, answered, health, sent, until

HALF = b"GET /api/health HTTP/1.1\r\nHost: local"
WHOLE = b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
QUICK = Limits(head_s=0.5, rest_s=0.5, write_s=0.5, most=8, most_each=4)


@pytest.fixture(scope="module")
def quick():
    with server_of(limits=QUICK) as (port, serving):
        until(lambda: not serving.server_state.connections)
        yield port, serving


def opened(port, data=b""):
    connection = socket.create_connection(("127.0.0.1", port), timeout=LONG_S)
    connection.sendall(data)
    return connection


def is_closed(connection, seconds=LONG_S):
    """Say whether the server closes a connection in time, whatever it sends before."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65_536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def is_closed_while(connection, data, seconds=5):
    """Say whether the server closes a connection in time that sends the same few bytes again and again."""
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            connection.sendall(data)
            time.sleep(0.05)
    except ConnectionError:
        return True
    return False


# ---------------------------------------------------------------------- time
def test_half_heads_keep_nobody_out():
    with server_of() as (port, serving), ExitStack() as stack:
        crowd = [stack.enter_context(opened(port, HALF)) for _ in range(280)]
        assert health(port)[0] == 200
        assert len(serving.server_state.connections) <= Limits().most_each
        assert not is_closed(crowd[-1], 1)  # it has time
    assert Limits().head_s == 10


@pytest.mark.parametrize("data", [b"", HALF, WHOLE + HALF], ids=["nothing", "half a head", "half a second head"])
def test_a_connection_without_a_whole_head_is_closed(quick, data):
    begun = time.monotonic()
    with opened(quick[0], data) as connection:
        assert is_closed(connection, 5)
    assert time.monotonic() - begun > 0.4


def test_bytes_that_come_one_by_one_gain_no_time(quick):
    with opened(quick[0], WHOLE) as connection:
        response = HTTPResponse(connection)
        response.begin()
        response.read()
        assert is_closed_while(connection, b"G")


def test_a_slow_body_is_refused_and_its_connection_closed(quick, monkeypatch):
    monkeypatch.setattr(guards, "BODY_SECONDS", 0.5)
    with opened(quick[0], POST + b"{") as connection:
        status, answer = answered(connection)
        assert (status, answer["error"]["kind"]) == (408, "too-slow")
        assert is_closed_while(connection, b" ")


def test_a_client_that_takes_nothing_of_its_answers_is_closed(quick):
    port, serving = quick
    until(lambda: not serving.server_state.connections, 5)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(LONG_S)
        connection.connect(("127.0.0.1", port))
        connection.sendall(WHOLE.replace(b"icon.svg", b"style.css") * 500)  # some MB of answers
        until(lambda: serving.server_state.connections, 5)
        until(lambda: not serving.server_state.connections, 10)


def test_an_answer_does_not_wait_for_the_client_to_acknowledge_its_head(quick):
    """Head and body are two writes: by Nagle's algorithm the second waits for an acknowledgement, some 40 ms."""
    port, serving = quick
    with opened(port):
        until(lambda: serving.server_state.connections)
        taken = [one.transport.get_extra_info("socket") for one in list(serving.server_state.connections)]
        assert all(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in taken)


# ---------------------------------------------------------------------- number
@pytest.mark.parametrize("data", [HALF, POST], ids=["half a head", "no body"])
def test_the_oldest_connection_without_a_whole_request_makes_room(quick, data):
    port, _ = quick
    with ExitStack() as stack:
        idle = [stack.enter_context(opened(port, data)) for _ in range(QUICK.most_each)]
        time.sleep(0.1)
        assert health(port)[0] == 200
        idle[-1].setblocking(False)
        with pytest.raises(BlockingIOError):  # it is open
            idle[-1].recv(1)
        assert is_closed(idle[0], 0.2)


@pytest.mark.parametrize("shared", [False, True], ids=["one client", "a proxy"])
def test_an_address_has_its_share_of_the_connections(shared):
    limits = Limits(most=8, most_each=3, shared=[ip_network("127.0.0.0/8")] if shared else [])
    with server_of(Budget(seconds=20), limits) as (port, serving), ExitStack() as stack:
        assert health(port)[0] == 200
        until(lambda: not serving.server_state.connections)
        for number in range(8 if shared else 3):
            stack.enter_context(sent(port, HARD))
            until(lambda count=number + 1: sum(c.has_whole_request for c in serving.server_state.connections) == count)
        with opened(port) as connection:
            response = HTTPResponse(connection)
            response.begin()
            assert (response.status, response.headers["Retry-After"]) == (503, "2")
            assert is_closed(connection, 5)


# ---------------------------------------------------------------------- what is not answered in kind
def test_an_upgrade_is_answered_as_a_request_and_writes_no_warnings(quick, caplog):
    log = logging.getLogger("uvicorn")
    log.addHandler(caplog.handler)
    try:
        head = b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        with opened(quick[0], head) as connection:
            response = HTTPResponse(connection)
            response.begin()
            assert response.status == 200
        with opened(quick[0], b"no request\r\n\r\n") as connection:
            assert is_closed(connection, 5)
    finally:
        log.removeHandler(caplog.handler)
    assert caplog.text == ""


def test_a_server_ends_though_requests_have_not_come_whole():
    with ExitStack() as stack:
        with server_of() as (port, _):
            assert health(port)[0] == 200
            for data in (HALF, POST, b"", WHOLE, b"no request\r\n\r\n"):
                stack.enter_context(opened(port, data))
            time.sleep(0.1)
            begun = time.monotonic()
        assert time.monotonic() - begun < 5
