"""The container gets what the build of the package names, and nothing of that is ignored."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import yaml
from titm_rules.web.guards import ANY_HOST
from titm_rules.web.server import Endpoint

from .conftest import client_of

ROOT = Path(__file__).resolve().parents[2]


def copied():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    return {name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]}


def test_the_image_has_what_it_needs_and_health_is_that_of_the_work():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = told["tool"]["hatch"]["build"]["targets"]["wheel"]
    hooks = {hook["path"] for hook in wheel.get("hooks", {}).values()}
    data = {name.split("/")[0] for name in wheel["force-include"]}
    needed = {told["project"]["readme"], *told["project"]["license-files"], *wheel["packages"], *hooks, *data}
    assert needed - copied() == set()
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert all((ROOT / name).exists() for name in copied())
    assert not copied() & set(ignored)
    health = re.search(r"http://127\.0\.0\.1:8000(/\S*)'", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert health is not None
    with client_of() as client:
        assert client.get(health[1]).json()["well"] == 1


def test_what_compose_starts_answers_to_its_name_alone():
    [service] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    command = service["command"]
    options = {name: value for name, value in pairwise(command) if name.startswith("--")}
    endpoint = Endpoint(options["--host"], names=[options["--name"]])
    assert (command[:2], ANY_HOST in endpoint.known_names()) == (["titm", "serve"], False)
    assert "localhost" in endpoint.known_names()
    shipped = re.findall(r'"(--\w+)", "([^"]+)"', (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert dict(shipped).items() <= options.items()
