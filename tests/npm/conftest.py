"""The npm package from its tarball, under Node; where one is missing these tests are left out and say what to do."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.version import __version__
from titm_rules.web.site import CHECKOUT, read_manifest

HERE = Path(__file__).resolve().parent
TARBALL = CHECKOUT / f"titm-oracle-{__version__}.tgz"
INDEX = "node_modules/titm-oracle/index.js"


def built_package() -> Path:
    """Give the folder of the package; without one of these sources the test is left out."""
    try:
        read_manifest(CHECKOUT)
    except InputError as error:
        pytest.skip(f"{error.faults[0].what}: `make npm` builds it, with Node 20 or later")
    return CHECKOUT


class Node:
    """An oracle in Node, whose methods are called from here."""

    def __init__(self, folder: Path, **options: Any) -> None:
        command = ["node", str(HERE / "driver.mjs"), (folder / INDEX).as_uri(), json.dumps(options)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self.process: subprocess.Popen[str] = subprocess.Popen(command, **pipes)
        self.restarts: list[str] = []
        self.ms = 0.0

    def call(self, name: str, *given: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([name, *given]) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        self.restarts, self.ms = told["restarts"], told["ms"]
        return told.get("value")

    def line(self, text: str) -> str:
        return str(self.call("askLine", text))


@contextmanager
def node(folder: Path, **options: Any) -> Iterator[Node]:
    found = Node(folder, **options)
    yield found
    assert found.process.stdin is not None
    found.process.stdin.close()
    assert found.process.wait(timeout=60) == 0


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `node_modules` as npm makes it of the tarball."""
    if shutil.which("node") is None:
        pytest.skip("no Node: `apt-get install nodejs`, 20 or later")
    built_package()
    folder = tmp_path_factory.mktemp("npm")
    with tarfile.open(TARBALL) as packed:
        packed.extractall(folder, filter="data")
    (folder / "node_modules").mkdir()
    (folder / "package").rename(folder / "node_modules" / "titm-oracle")
    return folder


@pytest.fixture(scope="module")
def oracle(unpacked: Path) -> Iterator[Node]:
    with node(unpacked, seconds=60) as found:
        yield found
