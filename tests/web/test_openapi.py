"""The document of the routes: it is valid, what is sent is as it says, and clients can be generated from it."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from titm_rules.diagnostics import InputError
from titm_rules.service.capabilities import listing, reply_schemas, schemas
from titm_rules.service.protocol import Oracle
from titm_rules.service.queries import GAME_QUERIES
from titm_rules.web.app import build_app
from titm_rules.web.messages import Settings
from titm_rules.web.pool import Pool
from titm_rules.web.routes import Routes
from titm_rules.web.server import Endpoint

from tests.frozen.cases import GAMES, ROOT, ask, sample
from tests.sampling import one_in

SHOWN = {"game": "titm", "edition": "1999", "position": "two-bridges"}
ASKED = {"edition": "1999", "query": "campaign_victory_level", "input": {"points": 36}}
RULING = Routes(Oracle()).answer("POST", "/api/ruling", json.dumps({**ASKED, "game": "titm"}).encode()).body.decode()
RECORD = "edition 1999\nstart two-bridges\n16-1 German muster nobody\n"


def closed(schema):
    """The same schema, by which an object has no fields that are not declared."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(one) for name, one in schema.items()}
    return {"additionalProperties": False, **found} if "properties" in schema else found


class Checker:
    """Finds what is wrong with values by schemas that refer to some definitions, which it reads once."""

    def __init__(self, definitions):
        whole = {"$defs": definitions, "components": {"schemas": definitions}}
        self.validator = Draft202012Validator(whole)

    def faults(self, schema, value):
        return [one.message[:200] for one in self.validator.evolve(schema=schema).iter_errors(value)]


# ---------------------------------------------------------------------- replies of the protocol
@cache
def protocol(game):
    found = reply_schemas(game)
    return found, Checker(closed(found["$defs"])), Checker(found["$defs"])


@pytest.mark.parametrize("game", one_in(2, GAMES))
def test_replies_to_public_cases_are_as_their_schemas_say(game):
    found, replies, requests = protocol(game)
    cases, few = sample(game, 3), sample(game, 1)
    cases += [{**case, **more} for case in few for more in (
        {"words": True, "explain": True}, {"readings": "all"}, {"input": {}},
    )]  # fmt: skip
    cases += [{**case, "edition": "all", "explain": True} for case in few[::5]]
    answered = set()
    for case, reply in zip(cases, ask(cases, game), strict=True):
        query = found["queries"][case["query"]]
        assert replies.faults(query["reply"] if reply["ok"] else found["types"]["error"], reply) == [], case["id"]
        if reply["ok"]:
            assert requests.faults(query["request"], {**case, "game": game}) == [], case["id"]
            answered.add(case["query"])
    assert answered >= {case["query"] for case in few}


@pytest.mark.parametrize("game", GAMES)
def test_the_listing_and_every_query_have_a_schema(game):
    found, replies, requests = protocol(game)
    assert set(found["queries"]) == set(schemas(game)) == set(listing(game)["queries"]) > GAME_QUERIES.keys()
    assert replies.faults(found["types"]["list"], listing(game)) == []
    assert requests.faults(found["queries"]["judge"]["request"], {"query": "judge", "edition": "1", "input": {}})


# ---------------------------------------------------------------------- the document
@pytest.fixture(scope="module")
def document(client):
    return client.get("/api/openapi.json").json()


@pytest.mark.parametrize("game", [GAMES[-1], *(pytest.param(game, marks=pytest.mark.slow) for game in GAMES[:-1])])
def test_the_document_of_each_game_is_valid(client, game):
    told = client.get(f"/api/openapi.json?game={game}")
    validate(told.json())
    references = set(re.findall(r'"\$ref":"([^"]*)"', told.text))
    assert references <= {f"#/components/schemas/{name}" for name in told.json()["components"]["schemas"]}


def test_operations_have_names_of_their_own_and_the_statuses_that_are_sent(document):
    operations = [one for path in document["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names) == 19
    assert all(re.fullmatch("[a-z]+(_[a-z]+)?", name) for name in names)
    statuses = {"200", "400", "404", "408", "409", "413", "415", "421", "429", "500", "503"}
    assert all(one["responses"].keys() == statuses for one in operations)
    asks = document["paths"]["/api/ask"]["post"]
    assert "`too-many`" in asks["responses"]["429"]["description"]
    assert asks["requestBody"]["content"]["application/json"]["examples"]["record"]["value"]["query"] == "replay"
    assert document["components"]["schemas"]["AskRequest"].keys() == {"oneOf", "discriminator"}


GAME = "/api/games/{game}"
REQUESTS = [  # a path and what fills it, and a body
    *((path, "", None) for path in ("/api/health", "/api/games", GAME, f"{GAME}/clauses?word=bridge")),
    *((f"{GAME}/{what}", "", None) for what in ("editions", "questions", "scenarios", "forces", "maps")),
    *((f"{GAME}/scenarios/{{name}}", name, None) for name in ("two-bridges", "sauer-crossing")),
    *((f"{GAME}/cases/{{name}}", case["id"], None) for case in sample("titm", 1)),
    *((f"{GAME}/maps/{{name}}", name, None) for name in ("attested", "x" * 999)),
    *((f"{GAME}/clauses/{{number}}", number, None) for number in ("9.57", "999")),
    (f"{GAME}/clauses?edition=1997", "", None),
    *(("/api/ask", "", body) for body in (ASKED, {}, {**ASKED, "query": "none"}, {**ASKED, "edition": "all"})),
    *(("/api/board", "", body) for body in (SHOWN, {**SHOWN, "placed": False}, {})),
    *(("/api/picture", "", body) for body in (SHOWN, "")),
    *(("/api/ruling", "", body) for body in (ASKED, {})),
    *(("/api/verify", "", {"text": text, "game": "titm"}) for text in (RULING, RECORD, "")),
    *(("/api/plan", "", {"game": "cold-ford", "edition": "1", "text": text}) for text in ("delete 5.5.", "?")),
]  # fmt: skip


def test_what_routes_send_is_as_the_document_says(client, document):
    checker = Checker(closed(document["components"]["schemas"]))
    seen = set()
    for template, name, body in REQUESTS:
        url = re.sub(r"\{(name|number)\}", name, template).replace("{game}", "titm")
        method, path = "get" if body is None else "post", template.partition("?")[0]
        response = client.request(method, url, **({"json": body} if body != "" else {}))
        answers = document["paths"][path][method]["responses"]
        [(media, content)] = answers[str(response.status_code)]["content"].items()
        assert response.headers["content-type"].partition(";")[0] == media
        value = response.json() if media == "application/json" else response.text
        assert checker.faults(content["schema"], value) == [], url
        seen.add((path, method, response.status_code))
    assert {(path, method, 200) for path, one in document["paths"].items() for method in one} <= seen
    assert {400, 404, 413, 415} <= {status for _, _, status in seen}


# ---------------------------------------------------------------------- generated clients
CLIENTS = ROOT / ".venv" / "clients"  # where `make clients` puts the generators
TOOLS = os.pathsep.join(map(str, (CLIENTS / "bin", CLIENTS / "node_modules" / ".bin", os.environ["PATH"])))
IN_PYTHON = """
import sys
from rules import Client
from rules.api.protocol import ask
from rules.models import CampaignVictoryLevelInput, CampaignVictoryLevelRequest
question = CampaignVictoryLevelInput(points=36)
asked = CampaignVictoryLevelRequest(edition="1999", query="campaign_victory_level", input_=question)
print(ask.sync(client=Client(base_url=sys.argv[1]), body=asked).answer.level.value)
"""
IN_TYPESCRIPT = """
import type { components, paths } from "./rules"
declare const process: { argv: string[] }
type Schemas = components["schemas"]
const asked: Schemas["CampaignVictoryLevelRequest"] =
  { edition: "1999", query: "campaign_victory_level", input: { points: 36 } }
const path: keyof paths = "/api/ask"
const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) }
const reply = await (await fetch(process.argv[2] + path, sent)).json() as Schemas["CampaignVictoryLevelReply"]
console.log(reply.answer.level)
"""
TYPESCRIPT = "openapi-typescript openapi.json --default-non-nullable=false -o rules.d.ts"
COMPILE = "tsc --strict --target es2022 --module esnext --moduleResolution bundler ask.mts"


@pytest.mark.parametrize(("file", "text", "commands"), [
    ("ask.py", IN_PYTHON, ["openapi-python-client generate --path openapi.json --meta none --output-path rules",
                           "PYTHON ask.py ADDRESS"]),
    ("ask.mts", IN_TYPESCRIPT, [TYPESCRIPT, COMPILE, "node ask.mjs ADDRESS"]),
])  # fmt: skip
def test_a_generated_client_asks_a_question(client, address, tmp_path, file, text, commands):
    Path(tmp_path, "openapi.json").write_bytes(client.get("/api/openapi.json").content)
    Path(tmp_path, file).write_text(text, encoding="utf-8")
    for command in commands:
        name, *words = command.replace("PYTHON", sys.executable).replace("ADDRESS", address).split()
        if shutil.which(name, path=TOOLS) is None:
            pytest.skip(f"no `{name}`: `make clients` installs the generators; one of them needs Node")
        done = subprocess.run([str(shutil.which(name, path=TOOLS)), *words], cwd=tmp_path, text=True, timeout=120,
                              env={**os.environ, "PATH": TOOLS}, capture_output=True)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split("\n")[0] == "German Marginal"


# ---------------------------------------------------------------------- pages elsewhere
@pytest.mark.parametrize(("origins", "origin", "allowed"), [
    (["https://example.org"], "https://example.org", "https://example.org"),
    (["https://example.org"], "https://example.com", None), ([], "https://example.org", None),
])  # fmt: skip
def test_only_pages_of_named_origins_may_ask(origins, origin, allowed):
    app = build_app(Pool(Settings()), origins=Endpoint(origins=origins).known_origins())
    client = TestClient(app, base_url="http://localhost")  # not entered: no process is started
    page = {"Origin": origin}
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    for reply in client.options("/api/ask", headers=asks | page), client.post("/api/ask", headers=page):
        assert reply.headers.get("access-control-allow-origin") == allowed


@pytest.mark.parametrize("origin", ["*", "null", "example.org", "https://example.org/", "https://*.example.org", ""])
def test_an_origin_has_to_be_named(origin):
    with pytest.raises(InputError, match="is not an origin"):
        Endpoint(origins=[origin]).known_origins()
