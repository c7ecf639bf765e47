"""What goes with a release agrees with what is released: version, citation, workflows, README, words on installing."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from titm_rules.service.capabilities import VERSION
from titm_rules.version import __version__

from .pages import CONTRIBUTING, DOCS, README, ROOT, read
from .test_imports import LEVEL

PROJECT = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STABILITY, INSTALL = read(DOCS / "reference" / "stability.md"), read(DOCS / "how-to" / "install.md")
RUN = read(ROOT / ".ci" / "run")
CITED = {"cff-version", "message", "title", "authors"}  # what the Citation File Format asks for


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_version_is_the_same_everywhere():
    assert PROJECT["version"] == __version__
    assert yaml.safe_load(read(ROOT / "CITATION.cff"))["version"] == __version__
    assert f"`{__version__}`, as MAJOR.MINOR.PATCH" in STABILITY
    assert f"## {__version__}" in read(ROOT / "CHANGELOG.md")
    assert f"a whole number, now {VERSION} " in STABILITY
    done = subprocess.run(
        [sys.executable, "-m", "titm_rules", "--version"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == f"titm {__version__}\n"


def test_the_citation_names_the_project_and_nobody():
    cited = yaml.safe_load(read(ROOT / "CITATION.cff"))
    assert set(cited) >= CITED
    assert cited["authors"] == [{"name": f"The {PROJECT['name']} project"}]
    assert cited["license"] == PROJECT["license"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_what_there_is(path):
    workflow = yaml.safe_load(read(path))
    runs = "\n".join(step["run"] for step in steps(workflow) if "run" in step)
    for target in re.findall(r"\bmake ([\w-]+)", runs):
        assert f"\n{target}:" in read(ROOT / "Makefile")
    assert [name for name in re.findall(r"^\.ci/\w+", runs, re.MULTILINE) if not (ROOT / name).is_file()] == []
    assert all(("run" in step) != ("uses" in step) for step in steps(workflow))
    assert workflow["permissions"] == {"contents": "read"}


def test_a_release_is_tried_before_it_is_published_and_every_python_is_tested():
    jobs = yaml.safe_load(read(ROOT / ".github" / "workflows" / "release.yml"))["jobs"]
    assert (jobs["try"]["needs"], jobs["publish"]["needs"]) == ("build", "try")
    assert [name for name, job in jobs.items() if job.get("permissions")] == ["publish"]
    tested = yaml.safe_load(read(ROOT / ".github" / "workflows" / "test.yml"))["jobs"]["test"]["strategy"]["matrix"]
    assert PROJECT["requires-python"] == f">={tested['python'][0]}"


def test_what_is_installed_and_promised_exists():
    extras = {name for found in re.findall(r"\[([\w,]+)\](?!\()", INSTALL) for name in found.split(",")}
    assert {"web", "png", "dev"} <= extras
    assert extras <= set(PROJECT["optional-dependencies"])
    assert PROJECT["scripts"] == {"titm": "titm_rules.cli:main"}
    assert "how-to/install.md" in read(README)
    import titm_rules

    listed = set(re.findall(r"^::: titm_rules\.(\w+)$", read(DOCS / "reference" / "api.md"), re.MULTILINE))
    assert listed == set(titm_rules.__all__) - {"__version__"}


# ---------------------------------------------------------------------- README and CONTRIBUTING
def test_commands_of_the_readme_exist_and_the_build_server_runs_its_tests():
    assert "\nmake test" in read(README)
    assert [line for line in RUN.splitlines() if line.startswith("make")] == ["make test"]
    assert "set -euo pipefail" in RUN
    makefile = read(ROOT / "Makefile")
    for target in re.findall(r"^make ([\w-]+)", read(README), re.MULTILINE):
        assert f"\n{target}:" in makefile


def test_contributing_names_what_exists_and_packages_in_the_order_of_imports():
    text = read(CONTRIBUTING)
    targets = set(re.findall(r"^([\w-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    assert {*re.findall(r"`make ([\w-]+)", text)} - targets == set()
    rows = re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)
    packages = sorted(path.parent.name for path in (ROOT / "titm_rules").glob("*/__init__.py"))
    assert sorted(rows) == packages
    for path in re.findall(r"`((?:tests|grammar|rulesets|docs|titm_rules|explain|cli|rules)/[\w/.]+)`", text):
        assert (ROOT / path).exists() or (ROOT / "titm_rules" / path).exists(), path
    levels = [LEVEL[row] for row in rows]
    assert levels == sorted(levels, reverse=True)
