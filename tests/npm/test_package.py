"""The npm package says what this package says, byte for byte, in time, and survives what ends it."""

import hashlib
import json
import re
import subprocess
from itertools import count, islice
from pathlib import Path
from statistics import median, quantiles

import pytest
from titm_rules.catalog import game_folders
from titm_rules.service.budget import Budget
from titm_rules.service.protocol import Oracle
from titm_rules.version import __version__
from titm_rules.web.site import CHECKOUT, MANIFEST

from tests.fuzz import lines
from tests.npm.conftest import built_package, node

ROOT = Path(__file__).resolve().parents[2]
CASES = {game: ROOT / "rulesets" / game / "conformance" / "cases.jsonl" for game in game_folders()}
COMPILED = """
import sys, zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
files = [one for one in list(sys.modules.values()) if (getattr(one, "__file__", None) or "").startswith("/lib/")]
sources = [one for one in files if isinstance(one.__loader__, SourceFileLoader) and not Path(one.__cached__).exists()]
sources += [one for one in zipfile.ZipFile("/lib/python314.zip").namelist() if one.endswith(".py")]
str((len(files) > 200, sources, list(Path("/").glob("cache/*"))))
"""


def test_every_game_answers_as_here_and_the_first_load_compiles_nothing(oracle):
    native = Oracle(budget=Budget(60, 0))
    for game, path in CASES.items():
        asked = path.read_text(encoding="utf-8").splitlines()
        here, there = (hashlib.sha256("\n".join(map(one, asked)).encode()) for one in (native.answer_line, oracle.line))
        assert there.hexdigest() == here.hexdigest(), game
    assert oracle.call("evaluate", COMPILED) == "(True, [], [])"


@pytest.mark.slow
def test_every_game_answers_under_all_editions_as_here(oracle):
    native = Oracle(budget=Budget(600, 0))
    for game, path in CASES.items():
        cases = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        asked = [json.dumps({**case, "game": game, "edition": "all", "overlays": []}) for case in cases]
        here, there = (hashlib.sha256("\n".join(map(one, asked)).encode()) for one in (native.answer_line, oracle.line))
        assert there.hexdigest() == here.hexdigest(), game


@pytest.mark.slow
def test_what_is_asked_again_is_answered_at_once(oracle, capsys):
    """Reported, not asserted: the milliseconds of all cases when they are asked a second time."""
    asked = [line for path in CASES.values() for line in path.read_text(encoding="utf-8").splitlines()]
    waits = [(oracle.line(line), oracle.ms)[1] for line in (*asked, *asked)][len(asked) :]
    with capsys.disabled():
        print(f"\nnext verdicts: median {median(waits):.1f} ms, 95 % within {quantiles(waits, n=20)[-1]:.0f} ms")


def test_what_would_end_the_interpreter_is_refused(oracle):
    for text in ("[" * 3000, '{"a":' * 2000, "", "[]"):
        assert oracle.line(text) == Oracle().answer_line(text)
    assert oracle.restarts == []


# ---------------------------------------------------------------------- limits
STANDBY_MS = 6_000  # of the answer, the first of its interpreter; without a standby the start comes on top
EASY = json.dumps({
    "id": 1, "game": "cold-ford", "edition": "1", "query": "reachable",
    "input": {"position": "the-ford", "unit": "r-guard"},
})  # fmt: skip
NESTED = "pqrtvwx"
ENDLESS = (
    'add clause house:8 "Endless" "All units are looked at, for each of all units, and so on."\n'
    "  move may not start when "
    + "".join(f"some {name} in units where (" for name in NESTED)
    + " + ".join(f"strength of {name}" for name in NESTED) + " is 9999" + ")" * len(NESTED) + ".\n"
)  # fmt: skip
HARD = json.dumps({
    "id": 2, "edition": "1999", "query": "reachable_cost", "overlays": [{"name": "endless", "text": ENDLESS}],
    "input": {"position": "campaign", "units": ["2-pz-a"], "to": "Prum"},
})  # fmt: skip


@pytest.mark.slow
def test_a_rule_that_never_ends_is_stopped_and_an_interpreter_that_ends_is_replaced(unpacked):
    with node(unpacked, seconds=8, standby=True) as oracle:
        assert json.loads(oracle.line(HARD)) == json.loads(Oracle(budget=Budget(8, 0)).answer_line(HARD))
        assert (json.loads(oracle.line(EASY))["ok"], oracle.restarts) == (True, [])
        assert oracle.call("evaluate", "while True: pass") is None  # nobody watches this inside
        assert (json.loads(oracle.line(EASY))["ok"], oracle.restarts) == (True, ["too-large"])
        assert oracle.ms < STANDBY_MS
        oracle.call("evaluate", "import json; json.loads('[' * 90_000)")
        assert (json.loads(oracle.line(EASY))["ok"], oracle.restarts) == (True, ["too-large", "lost"])


EATS = """
from titm_rules.oracle.edition import BoundQuestion
def eat(*_):
    held = []
    while True:
        held.append(bytearray({0} * 2**20))
BoundQuestion.answer = eat
"""


@pytest.mark.slow
@pytest.mark.parametrize("mebibytes", [1, 900])
def test_a_question_that_eats_memory_is_stopped_and_the_next_is_answered(unpacked, mebibytes):
    """Little by little, and at once; an interpreter that has grown so far is replaced, as it never shrinks."""
    with node(unpacked, seconds=20) as oracle:
        oracle.call("evaluate", EATS.format(mebibytes))
        error = json.loads(oracle.line(EASY))["error"]
        assert (error["kind"], "512 MiB of memory" in error["message"]) == ("too-large", True)
        if mebibytes > 1:
            assert oracle.restarts == []
            oracle.call("evaluate", "while True: pass")
        assert (json.loads(oracle.line(EASY))["ok"], oracle.restarts) == (True, ["too-large"])


# ---------------------------------------------------------------------- many requests
MANY = 2_000


def texts():
    """Yield lines of the random requests, valid and damaged; those that are no text cannot come from JavaScript."""
    for seed in count():
        try:
            text = lines.line(seed).decode("utf-8")
        except UnicodeDecodeError:
            continue
        if "\n" not in text.rstrip("\r\n"):
            yield text


@pytest.mark.slow
def test_random_requests_get_the_same_reply(oracle):
    native = Oracle(budget=Budget(60, 0))
    for text in islice(texts(), MANY):
        assert oracle.line(text) == native.answer_line(text), text
    assert oracle.restarts == []


# ---------------------------------------------------------------------- what it consists of
def test_versions_are_those_of_the_package():
    for name in ("package.json", "package-lock.json"):
        assert json.loads((CHECKOUT / name).read_text(encoding="utf-8"))["version"] == __version__


ROW = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \| [^|]+ \| (\d+) \| (\d+) \|$", re.MULTILINE)
MOST_KB = 10_000


def test_parts_are_listed_with_their_licences_and_stay_within_their_budgets():
    built_package()
    parts = json.loads((CHECKOUT / MANIFEST).read_text(encoding="utf-8"))["parts"]
    page = (ROOT / "docs" / "reference" / "npm-parts.md").read_text(encoding="utf-8")
    listed = {name: (licence, int(most)) for name, licence, _, most in ROW.findall(page)}
    assert {part["name"]: part["licence"] for part in parts} == {name: licence for name, (licence, _) in listed.items()}
    too_large = [part for part in parts if part["bytes"] > 1000 * listed[part["name"]][1]]
    assert (too_large, sum(part["bytes"] for part in parts) < 1000 * MOST_KB) == ([], True)


README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_example_for_node_runs(unpacked):
    [example] = re.findall(r"```js\n(.*?)```", README, re.DOTALL)
    (unpacked / "example.mjs").write_text(example, encoding="utf-8")
    done = subprocess.run(["node", "example.mjs"], cwd=unpacked, capture_output=True, text=True, timeout=200)
    told = done.stdout.splitlines()
    asked = "May tank go to Rambrouch?"
    assert (told[0], told[-1]) == (f"{asked} Yes, for 5 of 8 MPs.", f"{asked} No."), done
    assert "8.33-major Major road" in told
    assert len(example.splitlines()) <= 25


TYPED = """
import {{ load }} from "titm-oracle";
const oracle = await load({{ game: "titm", edition: "1999" }});
const input = {{ position: "road-to-rambrouch", units: ["tank"], to: "Rambrouch" }};
const reply = await oracle.ask({{ query: "reachable_cost", input }});
const wrong: {wanted} = reply.ok;
"""


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "is_right"), [("boolean", True), ("string", False)])
def test_types_compile(unpacked, wanted, is_right):
    compiler = CHECKOUT / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        pytest.skip("no TypeScript: `make npm`")
    (unpacked / "typed.mts").write_text(TYPED.format(wanted=wanted), encoding="utf-8")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    done = subprocess.run(["node", str(compiler), *options, "typed.mts"], cwd=unpacked, capture_output=True, text=True)
    assert (done.returncode == 0) == is_right, done.stdout
