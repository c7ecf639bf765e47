"""What goes with a release agrees with what is released: version, citation, workflows, and the words on installing."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest
import yaml
from titm_rules.service.capabilities import VERSION
from titm_rules.version import __version__

from .pages import DOCS, README, ROOT, read

PROJECT = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STABILITY, INSTALL = read(DOCS / "reference" / "stability.md"), read(DOCS / "how-to" / "install.md")
CITED = {"cff-version", "message", "title", "authors"}  # what the Citation File Format asks for


def steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_every_place_names_the_same_version() -> None:
    assert PROJECT["version"] == __version__
    assert yaml.safe_load(read(ROOT / "CITATION.cff"))["version"] == __version__
    assert f"`{__version__}`, as MAJOR.MINOR.PATCH" in STABILITY
    assert f"## {__version__}" in read(ROOT / "CHANGELOG.md")
    assert f"a whole number, now {VERSION} " in STABILITY


def test_the_citation_names_the_project_and_nobody() -> None:
    cited = yaml.safe_load(read(ROOT / "CITATION.cff"))
    assert set(cited) >= CITED
    assert cited["authors"] == [{"name": f"The {PROJECT['name']} project"}]
    assert cited["license"] == PROJECT["license"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_there_is(path: Any) -> None:
    workflow = yaml.safe_load(read(path))
    runs = "\n".join(step["run"] for step in steps(workflow) if "run" in step)
    for target in re.findall(r"\bmake ([\w-]+)", runs):
        assert f"\n{target}:" in read(ROOT / "Makefile")
    assert [name for name in re.findall(r"^\.ci/\w+", runs, re.MULTILINE) if not (ROOT / name).is_file()] == []
    assert all(("run" in step) != ("uses" in step) for step in steps(workflow))
    assert workflow["permissions"] == {"contents": "read"}


def test_a_release_is_tried_before_it_is_published() -> None:
    jobs = yaml.safe_load(read(ROOT / ".github" / "workflows" / "release.yml"))["jobs"]
    assert (jobs["try"]["needs"], jobs["publish"]["needs"]) == ("build", "try")
    assert [name for name, job in jobs.items() if job.get("permissions")] == ["publish"]


def test_a_python_that_is_promised_is_tested() -> None:
    tested = yaml.safe_load(read(ROOT / ".github" / "workflows" / "test.yml"))["jobs"]["test"]["strategy"]["matrix"]
    assert PROJECT["requires-python"] == f">={tested['python'][0]}"


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "titm_rules", "--version"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == f"titm {__version__}\n"


def test_installing_names_extras_and_scripts_that_exist() -> None:
    extras = {name for found in re.findall(r"\[([\w,]+)\](?!\()", INSTALL) for name in found.split(",")}
    assert {"web", "png", "dev"} <= extras
    assert extras <= set(PROJECT["optional-dependencies"])
    assert PROJECT["scripts"] == {"titm": "titm_rules.cli:main"}
    assert "how-to/install.md" in read(README)


def test_what_is_promised_can_be_imported() -> None:
    import titm_rules

    listed = set(re.findall(r"^::: titm_rules\.(\w+)$", read(DOCS / "reference" / "api.md"), re.MULTILINE))
    assert listed == set(titm_rules.__all__) - {"__version__"}
