"""The document of the routes: it is valid, and what is sent is as it says."""

import re
from collections import Counter

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from titm_rules.diagnostics import InputError
from titm_rules.service.capabilities import listing, reply_schemas, schemas
from titm_rules.web.app import build_app
from titm_rules.web.messages import Settings
from titm_rules.web.pool import Pool
from titm_rules.web.server import Endpoint

from tests.frozen.cases import GAMES, ask, questions_asked, sample

DEFS, COMPONENTS = "#/$defs/", "#/components/schemas/"
TITM = "/api/games/titm"
SHOWN = {"game": "titm", "edition": "1999", "position": "two-bridges"}
ASKED = {"edition": "1999", "query": "campaign_victory_level", "input": {"points": 36}}


def closed(schema):
    """The same schema, by which an object has no fields that are not declared."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(one) for name, one in schema.items()}
    return {"additionalProperties": False, **found} if "properties" in schema else found


def faults(schema, definitions, value):
    where = {"$defs": definitions, "components": {"schemas": definitions}}
    return [one.message[:200] for one in Draft202012Validator({**schema, **where}).iter_errors(value)]


# ---------------------------------------------------------------------- replies of the protocol
@pytest.mark.parametrize("game", GAMES)
def test_every_reply_to_a_public_case_is_as_its_schema_says(game):
    found = reply_schemas(game)
    definitions = closed(found["$defs"])
    cases = [*questions_asked(game), *({**one, "words": True, "explain": True} for one in questions_asked(game)[::5])]
    for case in sample(game, 1):
        cases += [{**case, "edition": "all", "explain": True}, {**case, "readings": "all"}, {**case, "input": {}}]
    seen = Counter()
    for case, reply in zip(cases, ask(cases, game), strict=True):
        query = found["queries"][case["query"]]
        schema = query["reply"] if reply["ok"] else found["types"]["error"]
        assert faults(schema, definitions, reply) == [], case["id"]
        if reply["ok"]:
            assert faults(query["request"], found["$defs"], {**case, "game": game}) == [], case["id"]
        seen[case["query"], reply["ok"]] += 1
    assert {query for query, ok in seen if ok} >= {case["query"] for case in sample(game, 1)}


@pytest.mark.parametrize("game", GAMES)
def test_the_listing_and_every_query_have_a_schema(game):
    found = reply_schemas(game)
    assert set(found["queries"]) == set(schemas(game)) == set(listing(game)["queries"])
    assert faults(found["types"]["list"], closed(found["$defs"]), listing(game)) == []
    unknown = {"query": "reachable", "edition": "1999", "input": {"position": 1}}
    assert faults(found["queries"]["reachable"]["request"], found["$defs"], unknown)


# ---------------------------------------------------------------------- the document
@pytest.fixture(scope="module")
def document(client):
    return client.get("/api/openapi.json").json()


@pytest.mark.parametrize("game", GAMES)
def test_the_document_of_each_game_is_valid(client, game):
    told = client.get(f"/api/openapi.json?game={game}")
    validate(told.json())
    named = set(re.findall(rf'"{COMPONENTS}([^"]*)"', told.text))
    assert named <= set(told.json()["components"]["schemas"])
    assert DEFS not in told.text


def test_operations_have_names_of_their_own_and_the_statuses_that_are_sent(document):
    operations = [one for path in document["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names) == 16
    assert all(re.fullmatch("[a-z]+(_[a-z]+)?", name) for name in names)
    assert not any("422" in one["responses"] for one in operations)
    picture = document["paths"]["/api/picture"]["post"]["responses"]
    assert [*picture["200"]["content"]] == ["image/svg+xml"]
    asks = document["paths"]["/api/ask"]["post"]
    assert {"200", "400", "404", "409", "413", "415", "429", "503"} <= set(asks["responses"])
    assert "`too-many`" in asks["responses"]["429"]["description"]
    assert asks["requestBody"]["content"]["application/json"]["examples"]["record"]["value"]["query"] == "replay"


REQUESTS = [
    ("get", "/api/health", None), ("get", "/api/games", None), ("get", "/api/games/{game}", None),
    ("get", "/api/games/{game}/editions", None), ("get", "/api/games/{game}/questions", None),
    ("get", "/api/games/{game}/scenarios", None), ("get", "/api/games/{game}/forces", None),
    ("get", "/api/games/{game}/maps", None), ("get", "/api/games/{game}/clauses?word=bridge", None),
    *(("get", f"/api/games/{{game}}/scenarios/{{name}}={name}", None) for name in ("two-bridges", "sauer-crossing")),
    *(("get", f"/api/games/{{game}}/cases/{{name}}={one['id']}", None) for one in sample("titm", 1)),
    ("get", "/api/games/{game}/maps/{name}=attested", None), ("get", "/api/games/{game}/clauses/{number}=9.57", None),
    ("get", "/api/games/{game}/clauses/{number}=999", None),
    ("get", f"/api/games/{{game}}/maps/{{name}}={'x' * 999}", None),
    ("get", "/api/games/{game}/clauses?edition=1997", None), ("post", "/api/ask", ASKED), ("post", "/api/ask", {}),
    ("post", "/api/ask", {**ASKED, "query": "none"}), ("post", "/api/ask", {**ASKED, "edition": "all"}),
    ("post", "/api/board", SHOWN), ("post", "/api/board", {**SHOWN, "placed": False}), ("post", "/api/board", {}),
    ("post", "/api/picture", SHOWN), ("post", "/api/picture", None),
]  # fmt: skip


def test_what_routes_send_is_as_the_document_says(client, document):
    definitions = closed(document["components"]["schemas"])
    seen = set()
    for method, told, body in REQUESTS:
        path, _, name = told.partition("=") if "}=" in told else (told, "", "")
        url = re.sub(r"\{name\}|\{number\}", name, path).replace("{game}", "titm")
        response = client.request(method, url, **({} if body is None else {"json": body}))
        answers = document["paths"][path.partition("?")[0]][method]["responses"]
        [(media, content)] = answers[str(response.status_code)]["content"].items()
        assert response.headers["content-type"].partition(";")[0] == media
        value = response.json() if media == "application/json" else response.text
        assert faults(content["schema"], definitions, value) == [], url
        seen.add((path.partition("?")[0], method, response.status_code))
    assert {(path, method, 200) for path, one in document["paths"].items() for method in one} <= seen
    assert {400, 404, 413, 415} <= {status for _, _, status in seen}


# ---------------------------------------------------------------------- pages elsewhere
def test_only_pages_of_named_origins_may_ask():
    def allowed(origins, origin):
        page = {"Origin": origin}
        app = build_app(Pool(Settings()), origins=Endpoint(origins=origins).known_origins())
        client = TestClient(app, base_url="http://localhost")  # not entered: no process is started
        asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        replies = client.options("/api/ask", headers=asks | page), client.post("/api/ask", headers=page)
        assert replies[1].status_code == 415
        return [reply.headers.get("access-control-allow-origin") for reply in replies]

    page = "https://example.org"
    assert allowed([page], page) == [page, page]
    assert allowed([page], "https://example.com") == allowed([], page) == [None, None]


@pytest.mark.parametrize("origin", ["*", "null", "example.org", "https://example.org/", "https://*.example.org", ""])
def test_an_origin_has_to_be_named(origin):
    with pytest.raises(InputError) as caught:
        Endpoint(origins=[origin]).known_origins()
    assert (caught.value.faults[0].kind, "is not an origin" in caught.value.faults[0].what) == ("bad-value", True)
