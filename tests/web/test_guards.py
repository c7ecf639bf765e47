"""What a hostile client sends: an error in the one shape each, and the next request is served."""

import json
import random

import pytest
from titm_rules.service.budget import Budget
from titm_rules.web.app import static_files

from tests.fuzz.mutate import as_bytes, changed, retyped, written
from tests.service.worst import worst

from .conftest import client_of

ROUTES = ("/api/ask", "/api/board", "/api/picture", "/api/ruling", "/api/verify")
JSON = {"Content-Type": "application/json"}


def kind_of(response):
    return response.json()["error"]["kind"]


def test_every_answer_tells_browsers_to_be_careful_and_only_the_page_is_stored(client):
    for path in ("/", "/main.js", "/api/games/titm/editions", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert ("default-src 'none'" in policy, "unsafe" in policy) == (True, False)
    for path in ("/api/games", "/api/games/titm/scenarios/nothing", "/api/health", "/nothing"):
        assert client.get(path).headers["cache-control"] == "no-store", path
    assert client.post("/api/ask", content=b"{", headers=JSON).headers["cache-control"] == "no-store"
    assert client.get("/", headers={"Host": "evil.example"}).headers["cache-control"] == "no-store"
    assert client.get("/main.js").headers["cache-control"] == "no-cache"


def test_the_page_keeps_to_its_policy():
    page = static_files()["index.html"][0].decode()
    assert " style=" not in page
    assert "onclick" not in page
    assert page.count("<script") == page.count('<script type="module" src=') == 1
    for name, (data, kind, _) in static_files().items():
        assert b"http://" not in data.replace(b"http://www.w3.org/", b""), name
        assert b"https://" not in data, name
        assert kind.startswith(("text/", "image/"))


def test_a_page_elsewhere_cannot_ask(client):
    asked = client.post("/api/ask", content="{}", headers={"Content-Type": "text/plain"})
    assert (asked.status_code, kind_of(asked)) == (415, "bad-type")
    renamed = client.get("/", headers={"Host": "evil.example"})
    assert (renamed.status_code, kind_of(renamed)) == (421, "bad-host")
    for host in ("127.0.0.1:8000", "LOCALHOST", "LocalHost:8000"):
        assert client.get("/", headers={"Host": host}).status_code == 200


def test_a_body_is_bounded_however_its_length_is_told():
    with client_of(most=1_000) as client:
        assert client.post("/api/ask", content=b" " * 1_001, headers=JSON).status_code == 413
        pieces = (b" " * 500 for _ in range(4))  # sent in parts: nobody says beforehand how long it is
        response = client.post("/api/ask", content=pieces, headers=JSON)
        assert (response.status_code, kind_of(response)) == (413, "too-large")
        assert client.post("/api/ask", content=b"[]", headers={**JSON, "Content-Length": "nine"}).status_code == 413
        assert client.post("/api/ask", content=b" " * 1_000, headers=JSON).status_code == 400


def test_a_request_over_its_budget_is_ended_and_the_next_is_served():
    with client_of(Budget(seconds=0.1)) as client:
        response = client.post("/api/ask", json=worst()["targets"])
        assert (response.status_code, kind_of(response)) == (413, "too-large")
        assert "0.1 s" in response.json()["error"]["message"]
        assert client.get("/api/games/titm/editions").status_code == 200


OTHERS = [[{"ref": "0"}, {"map": "/etc"}, "all", 1.5]]


def damaged(chance, body):
    """Damage a body: its text, or as often its values, so that it can still be read."""
    as_text = chance.random() < 0.5
    text = retyped(json.dumps(body), chance, 6) if as_text else written(changed(body, chance, OTHERS), chance)
    return as_bytes(text, chance)


def bodies(position):
    shown = {"game": "titm", "edition": "1999", "position": position}
    asked = [
        {"query": "check_path", "input": {"position": position, "units": ["tank"], "path": ["Mersch", "Saeul"]}},
        {"query": "legal_actions", "input": {"position": position, "limit": 3}},
        {"query": "judge", "input": {"position": position, "action": "German end-phase"}},
        {"query": "battle_of", "input": {"position": position, "place": "Saeul"}},
        {"query": "replay", "input": {"record": "edition 1999\nstart campaign 0123456789abcdef\n16-1 German ready\n"}},
        {"query": "supplied", "input": {"position": {"ref": "ab"}, "unit": "tank"}},
    ]
    return [shown, *({"edition": "1999", **one} for one in asked)]


def send_damaged(client, number, seed):
    chance = random.Random(seed)
    position = client.get("/api/games/titm/scenarios/road-to-rambrouch").json()["position"]
    whole = bodies(position)
    for _ in range(number):
        body = damaged(chance, chance.choice(whole))
        response = client.post(chance.choice(ROUTES), content=body, headers=JSON)
        if response.headers["content-type"] == "application/json":
            told = response.json()
            assert told.get("ok", True) is (response.status_code == 200), body
            assert "error" not in told or told["error"]["kind"] != "bug", (body, told)
            assert "Traceback" not in response.text
        else:
            assert response.status_code == 200
            assert response.headers["content-type"].partition(";")[0] in ("image/svg+xml", "application/yaml")


@pytest.mark.parametrize("path", ROUTES)
def test_half_a_character_is_told_back(client, path):
    response = client.post(path, content=b'{"\\ud800edition": "1999", "query": "x"}', headers=JSON)
    assert response.status_code == 400
    assert kind_of(response) in ("unknown-field", "missing-field", "bad-value")


@pytest.mark.parametrize(("number", "seed"), [(200, 1), pytest.param(10_000, 2, marks=pytest.mark.slow)])
def test_damaged_requests_are_answered(client, number, seed):
    send_damaged(client, number, seed)
    assert client.get("/api/games/titm/editions").status_code == 200


@pytest.mark.parametrize("seed", range(3))
def test_damaged_addresses_find_nothing(client, seed):
    chance = random.Random(seed)
    paths = ["/api/games/titm/scenarios/campaign", "/api/games/titm/clauses/8.22?edition=1999", "/main.js"]
    for _ in range(40):
        path = chance.choice(paths)
        at = chance.randrange(1, len(path))
        response = client.get(path[:at] + chance.choice(["%00", "..", "%2f", "\\", "%ff", "é", "'", "//"]) + path[at:])
        assert response.status_code in (200, 404, 400, 422)
        assert "Traceback" not in response.text
