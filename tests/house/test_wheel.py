"""An installed wheel works from any directory: its data folders are inside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ("grammar", "rulesets", "scenarios")
FIND = """
import titm_rules, json
from titm_rules.shipped import data_folder
print(json.dumps([titm_rules.__file__, *(str(data_folder(name)) for name in {names})]))
"""


KEPT = ("titm_rules", "grammar", "rulesets", "scenarios", "tests", "benchmarks", "docs")
ENDS = {"sdist": "*.tar.gz", "wheel": "*.whl"}
KINDS = {
    ".py", ".typed", ".rules", ".txt", ".yaml", ".json", ".jsonl", ".toml", ".lark", ".md", ".html", ".css", ".js",
    ".svg", ".model",
}  # fmt: skip


def hatch(folder: Path, made: Path, target: str) -> Path:
    """Build a folder as `python -m build` does."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(made)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return next(made.glob(ENDS[target]))


def files_of(folder: Path) -> set[Path]:
    """Name the files of a folder, without what Python and tools leave there."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path for path in paths if not any(part.startswith((".", "__pycache__")) for part in path.parts)}


PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel of the checkout."""
    wheels = tmp_path_factory.mktemp("wheels")
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    [wheel] = wheels.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install a wheel, alone, into an empty folder."""
    target = tmp_path_factory.mktemp("installed")
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", str(target), str(built)], check=True)
    return target


def run_installed(
    installed: Path, elsewhere: Path, *arguments: str, stdin: str = "", **named: str
) -> subprocess.CompletedProcess[str]:
    """Run Python on the installed wheel and the dependencies, without the checkout; `named` is its environment."""
    search = os.pathsep.join([str(installed), sysconfig.get_paths()["purelib"]])
    environment = {**os.environ, "PYTHONPATH": search, "TITM_RULES_CACHE": str(installed.with_name("cache")), **named}
    # -S keeps out site-packages and so the editable install, whose .pth file names the checkout.
    command = [sys.executable, "-S", *arguments]
    return subprocess.run(command, cwd=elsewhere, env=environment, input=stdin, capture_output=True, text=True)


def titm(
    installed: Path, elsewhere: Path, *arguments: str, stdin: str = "", **named: str
) -> subprocess.CompletedProcess[str]:
    run = "from titm_rules.cli import main; main()"
    return run_installed(installed, elsewhere, "-c", run, *arguments, stdin=stdin, **named)


def test_package_and_data_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = run_installed(installed, tmp_path, "-c", FIND.format(names=DATA))
    package, *folders = json.loads(done.stdout)
    assert Path(package).is_relative_to(installed)
    assert [Path(folder) for folder in folders] == [installed / "titm_rules" / "data" / name for name in DATA]


def test_wheel_holds_every_data_file_of_the_checkout(installed: Path) -> None:
    for name in DATA:
        shipped = {p.relative_to(ROOT / name) for p in (ROOT / name).rglob("*") if p.is_file()}
        if name == "grammar":  # its folders hold programs for the tests
            shipped = {path for path in shipped if len(path.parts) == 1}
        there = {
            p.relative_to(installed / "titm_rules" / "data" / name)
            for p in (installed / "titm_rules" / "data" / name).rglob("*")
            if p.is_file()
        }
        assert shipped
        assert shipped == there


def test_a_wheel_is_built_where_packages_are_known_by_the_path_alone(tmp_path: Path) -> None:
    """So do pip and others build: with a Python that has none, and what the build asks for in folders beside it."""
    venv.create(tmp_path / "bare", with_pip=False)
    bare = tmp_path / "bare" / ("Scripts" if os.name == "nt" else "bin") / "python"
    command = [str(bare), "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_paths()["purelib"]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    assert [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".model")]


def test_the_sources_hold_all_that_is_kept_and_make_the_same_wheel(built: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    with tarfile.open(hatch(ROOT, made, "sdist")) as packed:
        packed.extractall(tmp_path, filter="data")
    [top] = [path for path in tmp_path.iterdir() if path != made]
    for name in KEPT:
        assert files_of(top / name) == files_of(ROOT / name)
    assert (top / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    names = zipfile.ZipFile(built).namelist()
    assert zipfile.ZipFile(hatch(top, made, "wheel")).namelist() == names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_holds_texts_of_our_own_and_nothing_else(installed: Path) -> None:
    """No scans, pictures, fonts or programs of others, whose licences would have to come with it."""
    found = {path.suffix for path in files_of(installed / "titm_rules")}
    assert found <= KINDS
    assert not (installed / "titm_rules" / "data" / "tests").exists()


CHECK = ("check", "01-rambrouch-by-the-bridge")


def compiled_there(installed: Path, tmp_path: Path) -> int:
    """Check a case with an installed wheel and an empty cache; count what had to be compiled."""
    cache = tmp_path / "cache"
    environment = {"TITM_RULES_CACHE": str(cache)}
    done = titm(installed, tmp_path, *CHECK, **environment)
    assert done.stdout.startswith("Legal (1999): cost 5"), done.stderr
    return len(list(cache.glob("*.model")))


def test_the_first_run_of_a_wheel_compiles_nothing(installed: Path, tmp_path: Path) -> None:
    assert compiled_there(installed, tmp_path) == 0


@pytest.mark.parametrize(
    "changed", ["rules/types.py", "editions/consolidate.py", "data/grammar/titm.lark", "data/rulesets/titm/game.rules"]
)
def test_what_came_with_a_wheel_is_not_used_where_anything_has_changed(
    installed: Path, tmp_path: Path, changed: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy)
    path = copy / "titm_rules" / changed
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert compiled_there(copy, tmp_path) > 0


def test_a_changed_rule_of_a_wheel_is_the_one_that_counts(installed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy)
    for path in (copy / "titm_rules" / "data" / "rulesets" / "titm").rglob("*.rules"):
        path.write_text(path.read_text(encoding="utf-8").replace("Major road", "Changed road"), encoding="utf-8")
    said = [
        titm(one, tmp_path, "why", CHECK[1], TITM_RULES_CACHE=str(tmp_path / "cache")).stdout
        for one in (installed, copy)
    ]
    assert "Major road" in said[0]
    assert "Changed road" in said[1]


def test_what_lies_beside_the_wheel_is_not_read(installed: Path, tmp_path: Path) -> None:
    beside = [installed / name for name in DATA]
    for folder in beside:
        folder.mkdir()
    try:
        done = run_installed(installed, tmp_path, "-c", FIND.format(names=DATA))
    finally:
        for folder in beside:
            folder.rmdir()
    assert all(Path(folder).is_relative_to(installed / "titm_rules") for folder in json.loads(done.stdout)[1:])


def test_conform_passes_from_another_directory(installed: Path, tmp_path: Path) -> None:
    done = titm(installed, tmp_path, "conform", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["cases"] > 200


def test_oracle_answers_from_another_directory(installed: Path, tmp_path: Path) -> None:
    listed = titm(installed, tmp_path, "oracle", "--list")
    assert "check_path" in json.loads(listed.stdout)["queries"]
    cases = (ROOT / "rulesets" / "titm" / "conformance" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    line = next(text for text in cases if "example-957-all-1999" in text)
    answered = json.loads(titm(installed, tmp_path, "oracle", stdin=line + "\n").stdout)
    assert answered["ok"]
    assert answered["answer"]["count"] == json.loads(line)["expected"]["count"]


def test_demo_writes_its_pictures_where_it_is_run(installed: Path, tmp_path: Path) -> None:
    done = titm(installed, tmp_path, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "demo-out").glob("*.svg"))
