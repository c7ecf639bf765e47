"""An installed wheel works from any directory: its data folders are inside it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from titm_rules.catalog import game_folders
from titm_rules.editions.registry import list_editions

ROOT = Path(__file__).resolve().parents[2]
DATA = ("grammar", "rulesets", "scenarios")
FIND = """
import titm_rules, json
from titm_rules.files import data_folder
print(json.dumps([titm_rules.__file__, *(str(data_folder(name)) for name in {names})]))
"""


KEPT = ("titm_rules", "grammar", "rulesets", "scenarios", "tests", "benchmarks", "docs")
KINDS = {
    ".py", ".typed", ".rules", ".txt", ".yaml", ".json", ".jsonl", ".toml", ".lark", ".md", ".html", ".css", ".js",
    ".svg", ".model",
}  # fmt: skip


def files_of(folder):
    """Name the files of a folder, without what Python and tools leave there."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path for path in paths if not any(part.startswith((".", "__pycache__")) for part in path.parts)}


PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
# What lies in a folder that is removed keeps its byte code there.
SHORT_LIVED = {name: value for name, value in os.environ.items() if name != "PYTHONPYCACHEPREFIX"}


def once(factory, name, make):
    """Give a folder that one of the processes of a test run fills, and for which the others wait."""
    shared = factory.getbasetemp()
    folder = (shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared) / name
    try:
        folder.mkdir()
    except FileExistsError:
        end = time.monotonic() + 120
        while not (folder / "done").exists():
            assert time.monotonic() < end, f"the process that makes the {name} did not end"
            time.sleep(0.1)
    else:
        make(folder)
        (folder / "done").touch()
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a wheel of the checkout where packages are known by the path alone.

    So do pip and others build: with a Python that has none, and what the build asks for in folders beside it.
    """
    [wheel] = once(tmp_path_factory, "wheel", build_wheel).glob("*.whl")
    return wheel


def build_wheel(wheels):
    venv.create(wheels / "bare", with_pip=False)
    bare = wheels / "bare" / ("Scripts" if os.name == "nt" else "bin") / "python"
    command = [str(bare), "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_paths()["purelib"]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Install a wheel, alone, into an empty folder; Python compiles what is imported of it."""
    with short_lived(tmp_path_factory.mktemp("installed")) as target:
        install = [*PIP, "install", "--no-deps", "--no-index", "--no-compile", "--target", str(target), str(built)]
        subprocess.run(install, check=True)
        yield target


@pytest.fixture(scope="module")
def shared_copy(installed, tmp_path_factory):
    """Copy what is installed, for tests that change it and put it back."""
    with short_lived(tmp_path_factory.mktemp("copy")) as folder:
        yield Path(shutil.copytree(installed, folder / "installed"))


@contextmanager
def short_lived(folder):
    """Remove a folder of many files after its tests; pytest would do so at the end of a later run, one by one."""
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def changed_files(folder, paths, change):
    """Change the text of some files of a folder for a while."""
    before = {path: path.read_bytes() for path in paths}
    try:
        for path in before:
            path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        yield folder
    finally:
        for path, text in before.items():
            path.write_bytes(text)


def run_installed(installed, elsewhere, *arguments, stdin="", **named):
    """Run Python on the installed wheel and the dependencies, without the checkout; `named` is its environment."""
    search = os.pathsep.join([str(installed), sysconfig.get_paths()["purelib"]])
    environment = {**SHORT_LIVED, "PYTHONPATH": search, "TITM_RULES_CACHE": str(installed.with_name("cache")), **named}
    # -S keeps out site-packages and so the editable install, whose .pth file names the checkout.
    command = [sys.executable, "-S", *arguments]
    return subprocess.run(command, cwd=elsewhere, env=environment, input=stdin, capture_output=True, text=True)


def titm(installed, elsewhere, *arguments, stdin="", **named):
    run = "from titm_rules.cli import main; main()"
    return run_installed(installed, elsewhere, "-c", run, *arguments, stdin=stdin, **named)


def test_wheel_holds_every_data_file_of_the_checkout_and_texts_of_our_own_alone(installed):
    for name in DATA:
        shipped = {p.relative_to(ROOT / name) for p in (ROOT / name).rglob("*") if p.is_file()}
        if name == "grammar":  # its folders hold programs for the tests
            shipped = {path for path in shipped if len(path.parts) == 1}
        data = installed / "titm_rules" / "data" / name
        there = {p.relative_to(data) for p in data.rglob("*") if p.is_file()}
        assert shipped
        assert shipped == there
    # no scans, pictures, fonts or programs of others, whose licences would have to come with it
    found = {path.suffix for path in files_of(installed / "titm_rules")}
    assert found <= KINDS
    assert not (installed / "titm_rules" / "data" / "tests").exists()


@pytest.mark.slow
def test_the_sources_hold_all_that_is_kept_and_make_the_same_wheel(built, tmp_path):
    with short_lived(tmp_path):
        made = tmp_path / "made"
        pack = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(made)]
        subprocess.run(pack, cwd=ROOT, check=True, capture_output=True)
        [sources] = made.glob("*.tar.gz")
        with tarfile.open(sources) as packed:
            packed.extractall(tmp_path, filter="data")
        [top] = [path for path in tmp_path.iterdir() if path != made]
        for name in KEPT:
            assert files_of(top / name) == files_of(ROOT / name)
        assert (top / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
        names = zipfile.ZipFile(built).namelist()
        again = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(made), str(top)]
        subprocess.run(again, check=True, capture_output=True, text=True, env=SHORT_LIVED)
        [wheel] = made.glob("*.whl")
        assert zipfile.ZipFile(wheel).namelist() == names
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


CASE = "01-rambrouch-by-the-bridge"
SMALL = ("the-ford", "reachable", "unit=r-guard", "--game", "cold-ford")  # of few rules, which are soon compiled
OLDEST = (CASE, "--edition", "1994-11-01")
MOST_MIB = 3.0


def compiled_there(installed, tmp_path, *asked):
    """Check with an installed wheel and an empty cache; count what had to be compiled."""
    cache = tmp_path / "cache"
    done = titm(installed, tmp_path, "check", *asked, TITM_RULES_CACHE=str(cache))
    assert done.stdout.startswith(("May ", "Where may ")), done.stderr
    return len(list(cache.glob("*.model")))


@pytest.mark.parametrize("asked", [(CASE,), SMALL, OLDEST])
def test_the_first_run_of_a_wheel_compiles_nothing(installed, tmp_path, asked):
    assert compiled_there(installed, tmp_path, *asked) == 0


def test_all_editions_are_in_a_wheel_of_bounded_size(built):
    assert built.stat().st_size < MOST_MIB * 1024 * 1024
    entries = [name for name in zipfile.ZipFile(built).namelist() if name.endswith(".model")]
    assert len(entries) > sum(len(list_editions(game)) for game in game_folders())


@pytest.mark.parametrize(
    "changed",
    ["ir/types.py", "editions/consolidate.py", "data/grammar/titm.lark", "data/rulesets/cold-ford/game.rules"],
)
def test_what_came_with_a_wheel_is_not_used_where_anything_has_changed(shared_copy, tmp_path, changed):
    with changed_files(shared_copy, [shared_copy / "titm_rules" / changed], lambda text: text + "\n"):
        assert compiled_there(shared_copy, tmp_path, *SMALL) > 0


def test_a_changed_rule_of_a_wheel_is_the_one_that_counts(shared_copy, tmp_path):
    def said():
        return titm(shared_copy, tmp_path, "why", CASE, TITM_RULES_CACHE=str(tmp_path / "cache")).stdout

    assert "Major road" in said()
    rules = (shared_copy / "titm_rules" / "data" / "rulesets" / "titm").rglob("*.rules")
    with changed_files(shared_copy, rules, lambda text: text.replace("Major road", "Changed road")):
        assert "Changed road" in said()


def test_package_and_data_come_from_the_wheel_and_not_from_what_lies_beside_it(installed, tmp_path):
    beside = [installed / name for name in DATA]
    for folder in beside:
        folder.mkdir()
    try:
        done = run_installed(installed, tmp_path, "-c", FIND.format(names=DATA))
    finally:
        for folder in beside:
            folder.rmdir()
    package, *folders = json.loads(done.stdout)
    assert Path(package).is_relative_to(installed)
    assert [Path(folder) for folder in folders] == [installed / "titm_rules" / "data" / name for name in DATA]


def test_conform_and_demo_run_from_another_directory(installed, tmp_path):
    done = titm(installed, tmp_path, "conform", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["cases"] > 200
    done = titm(installed, tmp_path, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "demo-out").glob("*.svg"))


def test_oracle_answers_from_another_directory(installed, tmp_path):
    listed = titm(installed, tmp_path, "oracle", "--list")
    assert "check_path" in json.loads(listed.stdout)["queries"]
    cases = (ROOT / "rulesets" / "titm" / "conformance" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    line = next(text for text in cases if "example-957-all-1999" in text)
    answered = json.loads(titm(installed, tmp_path, "oracle", stdin=line + "\n").stdout)
    assert answered["ok"]
    assert answered["answer"]["count"] == json.loads(line)["expected"]["count"]
