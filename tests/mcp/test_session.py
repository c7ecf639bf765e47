"""Sessions with the client of the SDK: in memory for every tool, and one over standard input and output."""

import json
import sys
from typing import Any

import pytest
from titm_rules.editions.coverage import clause_record
from titm_rules.editions.load import load_model
from titm_rules.mcp import Assistant, make_server
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle

from mcp import Client, MCPError, StdioServerParameters

pytestmark = pytest.mark.asyncio
GAME = "cold-ford"
ORACLE = Oracle(game=GAME)
TOOLS = "apply check compare_editions explain legal_actions look_up_clauses odds questions"


@pytest.fixture
def server():
    return make_server("compiled", Budget(60), GAME)


async def call(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool; its answer for programs, which is the one that it writes as text."""
    result = await client.call_tool(tool, arguments)
    reply = result.structured_content
    assert json.loads(result.content[0].text) == reply
    assert result.is_error == (not reply["ok"])
    return reply


def position() -> dict[str, Any]:
    hexes = [{"id": name, "goal": name == "C"} for name in "ABCD"]
    sides = [{"id": "a-b", "ends": ["A", "B"]}, {"id": "b-c", "ends": ["B", "C"], "river": True}]
    sides.append({"id": "c-d", "ends": ["C", "D"]})
    units = [
        {"id": "tank", "side": "Red", "place": "A", "strength": 4},
        {"id": "guard", "side": "Blue", "place": "D", "strength": 2},
    ]
    return {"hexes": hexes, "hexsides": sides, "units": units}


async def test_the_tools_are_told_with_their_schemas(server):
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert " ".join(sorted(tools)) == TOOLS
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
        assert set(tools["check"].input_schema["required"]) == {"query", "input"}
        outputs = {name: tool.output_schema for name, tool in tools.items()}
        assert all({"ok", "error"} <= schema["properties"].keys() for schema in outputs.values())
        assert {"headline", "clauses"} <= outputs["check"]["properties"].keys()
        told = await call(client, "questions")
        assert ("reachable" in told["queries"], [*told["ships"]["scenarios"]]) == (True, ["the-ford"])
        schema = await call(client, "questions", query="reachable")
        assert {"position", "unit"} <= set(schema["input"]["properties"])
        wrong = await call(client, "questions", query="reachabel")
        assert wrong["error"] == {
            "kind": "unknown-query", "at": "$.query", "message": "unknown query `reachabel`",
            "fix": "did you mean `reachable`?",
        }  # fmt: skip


async def test_an_answer_cites_its_clauses_actions_are_listed_and_clauses_looked_up(server):
    given = {"position": position(), "unit": "tank", "path": ["A", "B", "C"]}
    async with Client(server) as client:
        reply = await call(client, "check", query="check_path", input=given)
        assert (reply["answer"]["legal"], reply["headline"]) == (False, "May tank go from A by B to C? No.")
        assert "3.5" in [one["clause"] for one in reply["clauses"]]
        cited = next(one for one in reply["clauses"] if one["clause"] == "3.5")
        assert cited["says"] == load_model("1", GAME).clauses["3.5"].says
        explained = await call(client, "explain", query="check_path", input=given)
        asked = ORACLE.ask({"query": "check_path", "input": given, "edition": "1", "explain": True, "words": True})
        assert explained == {name: value for name, value in asked.items() if name != "id"}
        assert {"why", "witness", "nearest", "depends_on", "deciding"} <= set(explained)
        reply = await call(client, "legal_actions", position=position(), kinds=["go"], actor="tank", limit=1)
        assert reply["answer"]["to_act"] == ["Red"]
        [action] = reply["answer"]["actions"]
        assert (action["kind"], action["choices"]) == ("go", {"u": "tank", "h": "B"})
        again = await call(client, "legal_actions", position={"ref": reply["digest"]}, kinds=["halt"])
        assert [one["text"] for one in again["answer"]["actions"]] == ["Red halt"]
        after = await call(client, "apply", position={"ref": reply["digest"]}, action=action["text"])
        assert {unit["id"]: unit["place"] for unit in after["answer"]["position"]["units"]}["tank"] == "B"
        refused = await call(client, "apply", position=position(), action="Blue go guard C")
        assert refused["error"]["kind"] == "illegal-action"
        [told] = (await call(client, "look_up_clauses", numbers=["5.3"]))["clauses"]
        info = load_model("1", GAME).clauses["5.3"]
        assert (told["title"], told["says"], told["exceptions"]) == (info.title, info.says, ["5.4"])
        found = await call(client, "look_up_clauses", words="river FORD")
        assert [one["clause"] for one in found["clauses"]][:2] == ["2.1", "3.5"]
        wrong = await call(client, "look_up_clauses", numbers=["5.33"])
        assert wrong["error"]["fix"] == "did you mean `5.3`?"


async def test_an_error_has_the_shape_of_the_protocol(server):
    async with Client(server) as client:
        for request in (
            {"query": "check_path", "input": {"position": {}, "unit": "tank", "path": []}},
            {"query": "no_such", "input": {}},
            {"query": "reachable", "input": {}, "edition": "1066"},
        ):
            reply = await call(client, "check", **request)
            asked = ORACLE.ask({"edition": "1", "explain": True, **request})
            assert reply == {"ok": False, "error": asked["error"]}
        for game in ("chess", "../x"):
            assert (await call(client, "check", query="x", input={}, game=game))["error"]["kind"] == "unknown-game"
        for tool, given in (("check", {"query": "x"}), ("no_such", {})):
            assert (await client.call_tool(tool, given)).is_error


async def test_editions_are_compared_by_clauses_and_by_answers():
    async with Client(make_server("compiled", Budget(60), "")) as client:
        pages = [await call(client, "questions", offset=first) for first in (0, 10)]
        assert [len(page["readings"]) for page in pages] == [10, 10] != [pages[0]["readings_count"]] * 2
        assert not pages[0]["readings"].keys() & pages[1]["readings"].keys()
        assert ("queries" in pages[0], "queries" in pages[1]) == (True, False)
        assert max(len(json.dumps(page)) for page in pages) < 15_000
        told = await call(client, "compare_editions", first="1999", second="Oct 2016")
        assert told["editions"] == ["1999", "2016-10-01"]
        assert sum(told["counts"].values()) >= len(told["clauses"]) > 0
        added = next(one for one in told["clauses"] if one["how"] == "added")
        assert added["numbers"][0] is added["says"][0] is None
        assert added["says"][1]
        rest = await call(client, "compare_editions", first="1999", second="2016-10-01", offset=len(told["clauses"]))
        assert rest["clauses"] == [] or rest["clauses"][0] not in told["clauses"]
        asked = {"query": "campaign_victory_level", "input": {"points": 36}}
        both = await call(client, "compare_editions", first="1999", second="2002-07-25", **asked)
        assert both["answer"]["1999"] == {"level": "German Marginal"}
        assert [one["clause"] for one in both["clauses"]["1999"]] == ["S4.v4"]


async def test_clauses_are_resources(server):
    async with Client(server) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert {one.uri_template for one in templates} == {
            "titm://{game}/{edition}/clauses", "titm://{game}/{edition}/clause/{number}",
        }  # fmt: skip
        assert [str(one.uri) for one in (await client.list_resources()).resources] == ["titm://games"]
        games = await read(client, "titm://games")
        assert {"game": GAME, "editions": [{"edition": "1", "title": "Cold Ford"}], "usual": "1"} in games["games"]
        listed = await read(client, f"titm://{GAME}/1/clauses")
        assert listed["clauses"]["3.1"] == "Three points"
        [clause] = (await read(client, f"titm://{GAME}/1/clause/3.1"))["clauses"]
        assert clause["says"] == "A unit has 3 points for a march."
        [other] = (await read(client, "titm://titm/1994-11-01/clause/1994:9.51"))["clauses"]
        assert (other["clause"], other["number"]) == ("1994:9.51", "9.51")


@pytest.mark.parametrize(("uri", "why"), [
    (f"titm://{GAME}/1/clause/3.11", "did you mean `3.1`?"),
    (f"titm://{GAME}/1066/clauses", "no rules are in force on 1066"),
    ("titm://chess/1/clauses", "unknown game `chess`"),
    (f"titm://{GAME}/1/clause/..%2F..%2Fpasswd", "Unknown resource"),
])  # fmt: skip
async def test_a_resource_that_is_not_there_is_told_so(server, uri, why):
    async with Client(server) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        assert why in str(caught.value)


async def read(client: Client, uri: str) -> dict[str, Any]:
    [content] = (await client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return json.loads(content.text)


async def test_no_answer_has_the_formal_text_of_a_clause():
    """What stands in a rule file behind the restated words is for us."""
    assistant = Assistant(ORACLE)
    info = load_model("1", GAME).clauses["3.5"]
    formal = clause_record(info, None, True)["text"].split("\n")[-1].strip()
    assert "may not step" in formal
    given = {"position": position(), "unit": "tank", "path": ["A", "B", "C"]}
    answers = [judge("check_path", given) for judge in (assistant.check, assistant.explain)]
    for reply in (assistant.look_up_clauses(["3.5"]), *answers, assistant.contents()):
        assert (reply["ok"], "may not step" in json.dumps(reply)) == (True, False)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Python may swallow the interruption
async def test_the_limits_of_a_request_hold():
    reply = Assistant(Oracle(budget=Budget(seconds=0.001))).compare_editions("1994-11-01", "2016-10-01")
    assert reply["error"]["kind"] == "too-large"


async def test_over_standard_input_and_output():
    command = ["-c", "from titm_rules.cli import main; main()", "mcp", "--game", GAME]
    async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
        assert " ".join(sorted(tool.name for tool in (await client.list_tools()).tools)) == TOOLS
        reply = await call(client, "look_up_clauses", numbers=["3.1"])
        assert reply["clauses"][0]["title"] == "Three points"
