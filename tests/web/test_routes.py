"""The routes: what ships, the protocol, pictures; errors in one shape, with the status of their kind."""

import json

import pytest
from titm_rules import Edition, Position
from titm_rules.formats.safe_json import parse_yaml
from titm_rules.render.pictures import render_board
from titm_rules.service.protocol import Oracle
from titm_rules.web.routes import ROUTES, Routes

from tests.play.games import chained_game

GAMES = "/api/games"
TITM = f"{GAMES}/titm"


def asked(query, explain=False, **inputs):
    return {"id": 7, "game": "titm", "edition": "1999", "query": query, "input": inputs, "explain": explain}


@pytest.fixture(scope="module")
def rambrouch(client):
    return client.get(f"{TITM}/scenarios/road-to-rambrouch").json()


def error_of(response, status):
    assert response.status_code == status, response.text[:400]
    told = response.json()
    assert set(told) == {"id", "ok", "error"}
    assert told["ok"] is False
    return told["error"]


# ---------------------------------------------------------------------- what ships
def test_games_and_editions_have_titles_and_say_what_they_rest_on(client):
    games = client.get(GAMES).json()
    assert {"titm", "bitterwoods"} <= {game["game"] for game in games}
    assert all(game["title"] and "folder" not in game for game in games)
    assert [game["game"] for game in games if game["usual"]] == [Edition().game]
    found = {row["edition"]: row["basis"] == "book" for row in client.get(f"{TITM}/editions").json()}
    assert (found["1999"], found["1998-01-15"]) == (True, False)


def test_a_game_tells_what_a_board_needs(client):
    told = client.get(TITM).json()
    words = told["vocabulary"]
    assert words["records"]["unit"]["role"] == "piece"
    by_name = {field["name"]: field for field in words["records"]["unit"]["fields"]}
    assert "default" not in by_name["strength"]
    assert by_name["day_start"]["same_as"] == ["place"]
    assert by_name["moved"]["default"] is False
    assert words["style"]["symbols"][0]["when"] == {"kind": "armor"}
    assert "R1" in told["readings"]


def test_questions_tell_what_they_take_and_what_is_counted_in_parts(client):
    found = client.get(f"{TITM}/questions").json()
    assert found["check_path"]["asks"] == "path"
    assert [one["type"]["kind"] for one in found["check_path"]["inputs"]] == ["set", "flag", "path"]
    assert (found["supplied"]["traces"], found["reachable"]["traces"]) == ("supply", None)
    assert "position" in found["check_path"]["schema"]["properties"]
    assert found["reachable"]["parts"] == {}
    found = client.get(f"{GAMES}/bitterwoods/questions").json()
    assert found["reachable"]["parts"]["destinations"] == 12
    assert found["step_cost"]["parts"] == {"cost": 12}
    [points] = [one["type"] for one in found["landing_entry"]["inputs"] if one["name"] == "points"]
    assert (points["unit"], points["parts"], points["high"]) == ("mp", 12, 99_999)


def places_of(position):
    return {row["id"] for row in position["areas"] + position["zones"]}


def test_scenarios_and_maps_have_points_and_clauses_their_history(client, rambrouch):
    assert set(rambrouch["board"]["points"]) == places_of(rambrouch["position"])
    assert rambrouch["position"] == Position.from_file("road-to-rambrouch").to_dict()
    told = client.get(f"{TITM}/scenarios/sauer-crossing").json()
    assert (told["overlays"], told["scenario"]) == (["sauer-crossing"], True)
    assert "reconstructed" in told["board"]["notes"][0]
    [header] = [one for one in client.get(f"{TITM}/maps").json() if not one["fragment"]]
    told = client.get(f"{TITM}/maps/{header['name']}").json()
    assert told["reconstructed"]
    bastogne = next(row for row in told["places"] if row["id"] == "Bastogne")
    assert (bastogne["x"] > 0, bastogne["list"]) == (True, "areas")
    assert all(len(row["ends"]) == 2 for row in told["connections"])
    told = client.get(f"{TITM}/clauses/8.22?edition=1999").json()
    assert told["clauses"][0]["title"] == "Stop on entering enemies"
    assert {row["edition"] for row in told["history"]["8.22"]} >= {"1999", "2016-10-01"}
    found = {one["clause"] for one in client.get(f"{TITM}/clauses?word=unbridged").json()}
    assert ("8.33-unbridged" in found, len(found) < 20) == (True, True)


def test_a_clause_names_its_exceptions_and_cases_that_can_be_opened(client):
    told = {one["clause"]: one for one in client.get(f"{TITM}/clauses/9.57?edition=1999").json()["clauses"]}
    assert "06-combat-foot-before-armor" in told["9.57b"]["cases"]
    shipped = {one["name"] for one in client.get(f"{TITM}/scenarios").json()}
    [name, *_] = [name for name in told["9.57f"]["cases"] if name not in shipped]
    case = client.get(f"{TITM}/cases/{name}").json()
    answer = client.post("/api/ask", json={key: case[key] for key in ("edition", "query", "input")}).json()["answer"]
    assert case["expected"].items() <= answer.items()
    [case] = clause_of(client, "8.22")["cases"][:1]
    opened = client.get(f"{TITM}/cases/{case}").json()
    assert opened["board"]["points"].keys() == places_of(opened["position"])
    bars = clause_of(client, "2.0c")["excepted_by"]
    assert bars
    assert all("2.0c" in clause_of(client, one)["excepts"] for one in bars)


def clause_of(client, number):
    return client.get(f"{TITM}/clauses/{number}").json()["clauses"][0]


def test_a_board_takes_forces_a_notation_and_hexes(client, rambrouch):
    found = client.get(f"{TITM}/forces").json()
    by_id = {one["row"]["id"]: one for one in found}
    assert len(by_id) == len(found) > 100
    assert by_id["2-pz-a"]["title"] == "2 Pz"
    rows = [{**one["row"], "place": "Mersch"} for one in found[:40]]
    position = {**rambrouch["position"], "units": rows}
    sent = {"game": "titm", "edition": "1999", "position": position, "placed": False}
    assert len(client.post("/api/board", json=sent).json()["position"]["units"]) == 40
    sent = {"game": "titm", "edition": "1999", "position": "two-bridges,g-tank@Clerf"}
    wrong = error_of(client.post("/api/board", json=sent), 400)
    assert (wrong["kind"], "Clerf" in wrong["message"]) == ("bad-notation", True)
    start = client.get(f"{TITM}/scenarios/two-bridges").json()
    told = client.post("/api/board", json={**sent, "position": "two-bridges"}).json()
    assert (told["position"], told["board"]) == (start["position"], start["board"])
    assert "board" not in client.post("/api/board", json={**sent, "position": "two-bridges", "placed": False}).json()
    told = client.get(f"{GAMES}/cold-ford/scenarios/the-ford").json()["board"]
    assert told["hex"]["flat"]
    (x1, y1), (x2, y2) = told["points"]["0101"], told["points"]["0102"]
    assert ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 == pytest.approx(3**0.5 * told["hex"]["radius"], abs=0.3)
    assert client.get(f"{TITM}/scenarios/two-bridges").json()["board"]["hex"] is None


# ---------------------------------------------------------------------- without a server
BODY = {"game": "cold-ford", "edition": "1", "position": "the-ford"}
WOODS = """\
replace clause 3.3 "Woods"
  "A wood costs 3 points."
  march costs 3 when terrain of place-entered is wood.
"""
SHEET = {"game": "cold-ford", "edition": "1", "text": WOODS}
FORD, LONG = f"{GAMES}/cold-ford", "x" * 201
TARGETS = [
    *(one.path.format(game="cold-ford", name="the-ford", number="3.4") for one in ROUTES if one.method == "GET"),
    f"{FORD}/scenarios/the-ford?edition=1&edition=", f"{FORD}/clauses?word=ford&edition=1", f"{FORD}/clauses/999",
    f"{GAMES}/nothing", f"{GAMES}/", "/api/ask", "/api/%2e%2e/x", f"{FORD}/scenarios/{LONG}",
    f"{FORD}/clauses?word={LONG}", f"{FORD}/scenarios/%E4%BD", f"{FORD}/maps/a%2fb", f"{TITM}/scenarios/two-bridges",
]  # fmt: skip
ASKED = {"query": "supplied", "input": {"position": "the-ford", "unit": "r-first"}}
SUPPLIED = {"game": "cold-ford", "edition": "1", **ASKED}
BODIES = {
    "/api/ask": ['{"id": 1}', "[", "[" * 3000, '{"a":' * 2000, "\ud800", '{"query": "x", "edition": "1"}'],
    "/api/board": [json.dumps(BODY), json.dumps({**BODY, "overlays": ["no"]}), "7"],
    "/api/picture": [json.dumps(BODY), "{}"], "/api/nothing": ["{}"], GAMES: ["{}"],
    "/api/ruling": [json.dumps(SUPPLIED), "{}"], "/api/verify": ['{"text": "start the-ford"}', "{}"],
    "/api/plan": [json.dumps(SHEET), "{}"],
}  # fmt: skip


def test_the_table_answers_as_the_server_does(client):
    table = Routes(Oracle())
    for target in TARGETS:
        same(client.get(target, follow_redirects=False), table.answer("GET", target), target)
    for target, texts in BODIES.items():
        for text in texts:
            body = text.encode("utf-8", "surrogatepass")
            response = client.post(target, content=body, headers={"Content-Type": "application/json"})
            same(response, table.answer("POST", target, body), (target, text[:40]))


def test_a_sheet_is_planned(client):
    told = client.post("/api/plan", json=SHEET).json()
    assert (told["title"], told["exit_code"]) == ("1 with sheet: 1 clause differs", 4)
    sections = {one["title"]: one for one in told["sections"]}
    assert sections["Clauses"]["texts"] == ["changed: 3.3"]
    assert "play, by 3.3: 3 cases" in sections["What changes"]["texts"][0]
    assert ["check_path", "unknown", "no case changes; not searched", "3.3"] in sections["Questions"]["rows"]
    error = error_of(client.post("/api/plan", json={**SHEET, "text": "replace 3.3"}), 400)
    assert error["at"].startswith("sheet.rules:1:")


def same(response, answer, asked):
    told = response.status_code, response.headers["content-type"].partition(";")[0], response.content
    assert told == (answer.status, answer.media_type, answer.body), asked
    assert {name.title(): response.headers[name] for name in answer.headers} == answer.headers


# ---------------------------------------------------------------------- the protocol
def test_ask_answers_as_the_oracle_does_and_by_digest(client, rambrouch):
    request = asked("check_path", True, position=rambrouch["position"], units=["tank"], path=["Mersch", "Saeul"])
    response = client.post("/api/ask", json=request)
    assert response.status_code == 200
    assert response.json() == Oracle().ask(request)
    whole = client.post("/api/ask", json=asked("supplied", position=rambrouch["position"], unit="tank")).json()
    again = client.post("/api/ask", json=asked("supplied", position={"ref": whole["digest"]}, unit="tank")).json()
    assert again["answer"] == whole["answer"]
    unknown = client.post("/api/ask", json=asked("supplied", position={"ref": "0" * 16}, unit="tank"))
    assert error_of(unknown, 404)["kind"] == "unknown-position"
    assert unknown.json()["id"] == 7


@pytest.mark.parametrize(("request_", "status", "kind"), [
    ({"edition": "1999", "query": "check_path", "input": {}}, 400, "missing-field"),
    ({"edition": "1999", "query": "nonsense", "input": {}}, 404, "unknown-query"),
    ({"edition": "1850", "query": "check_path", "input": {}}, 404, "unknown-edition"),
    ({"edition": "1999", "game": "../titm", "query": "check_path", "input": {}}, 404, "unknown-game"),
    ([], 400, "bad-request"),
])  # fmt: skip
def test_errors_have_one_shape_and_the_status_of_their_kind(client, request_, status, kind):
    assert error_of(client.post("/api/ask", json=request_), status)["kind"] == kind


def test_a_position_is_checked_given_its_board_and_drawn_under_rules_that_ship(client, rambrouch, tmp_path):
    body = {"game": "titm", "edition": "1999", "position": rambrouch["position"]}
    told = client.post("/api/board", json=body).json()
    assert (told["position"], told["board"]) == (rambrouch["position"], rambrouch["board"])
    response = client.post("/api/picture", json=body)
    assert response.headers["content-type"] == "image/svg+xml"
    assert response.text == render_board(Position.from_dict(rambrouch["position"], Edition("1999")))
    rules = tmp_path / "own.rules"
    rules.write_text("", encoding="utf-8")
    error = error_of(client.post("/api/board", json={**body, "overlays": [str(rules)]}), 404)
    assert (error["kind"], error["at"]) == ("unknown-name", "$.overlays[0]")


@pytest.mark.parametrize("path", [
    f"{TITM}/scenarios/.%2e%2fx", f"{TITM}/scenarios/x.yaml", f"{TITM}/maps/attested.yaml", f"{GAMES}/%2e%2e",
    f"{GAMES}/rulesets%2ftitm", f"{TITM}/clauses/999", "/static/main.js", "/%2e%2e/app.py",
])  # fmt: skip
def test_only_names_that_ship_are_found(client, path):
    assert error_of(client.get(path), 404)["message"]


# ---------------------------------------------------------------------- rulings and records
def verified(client, text, **more):
    return client.post("/api/verify", json={"text": text, **more}).json()


def test_a_ruling_that_was_kept_holds_until_it_is_changed(client):
    kept = client.post("/api/ruling", json=SUPPLIED)
    assert kept.headers["content-type"].startswith("application/yaml")
    told = verified(client, kept.text)
    assert (told["kind"], told["holds"], told["query"], told["situation"]) == ("ruling", True, "supplied", "position")
    assert told["position"]["units"]
    assert verified(client, json.dumps(parse_yaml(kept.text)))["holds"]
    changed = verified(client, kept.text.replace("outcome: legal", "outcome: illegal"))
    assert (changed["holds"], [one["part"] for one in changed["causes"]]) == (False, ["by hand"])
    assert changed["says"][1] == "outcome: illegal, now legal"


@pytest.mark.parametrize(("old", "new", "kind"), [  # nothing in a ruling is the name of a file
    ("game: cold-ford", "game: rulesets/cold-ford", "bad-value"),
    ("overlays: []", "overlays: [rulesets/titm/house/house.rules]", "unknown-name"),
    ("edition: '1'", "edition: '../1'", "unknown-edition"), ("query: supplied", "query: supplies", "unknown-query"),
    ("position: the-ford", "position: /etc/passwd", "bad-notation"),
])  # fmt: skip
def test_a_ruling_from_a_stranger_opens_no_file(client, old, new, kind):
    text = client.post("/api/ruling", json=SUPPLIED).text
    assert old in text
    assert verified(client, text.replace(old, new))["error"]["kind"] == kind


def test_the_first_line_of_a_record_that_fails_is_named(client):
    text, last = chained_game("two-bridges", 7, limit=6)
    told = verified(client, text, game="titm")
    assert (told["holds"], told["chained"], told["actions"], told["last"]) == (True, True, 6, last)
    assert verified(client, text, game="titm", last="0" * 16)["fault"].startswith("the last link is")
    line = text.splitlines()[6]
    broken = verified(client, text.replace(line, line[:-1] + ("0" if line[-1] != "0" else "1")), game="titm")
    assert (broken["holds"], broken["line"]) == (False, 7)
    assert broken["fault"].startswith("the chain breaks here")
