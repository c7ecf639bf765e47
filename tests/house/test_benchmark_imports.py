"""What the benchmarks import of this repository is there, also where they import it late."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("tests", "titm_rules", "benchmarks")
IMPORTS = [
    (path.name, node.module, alias.name)
    for path in sorted((ROOT / "benchmarks").glob("*.py"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS
    for alias in node.names
]


def module_of(name):
    """Import a module; the test is left out where a package of others is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name.split(".")[0] in OURS:
            raise
        pytest.skip(f"the package {error.name} is not installed")


@pytest.mark.parametrize(("file", "module", "name"), IMPORTS)
def test_it_is_there(file, module, name):
    assert hasattr(module_of(module), name) or module_of(f"{module}.{name}"), file
