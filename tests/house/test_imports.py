"""Imports run down the tree, and each library is used in one place only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import titm_rules

PACKAGE = Path(titm_rules.__file__).parent

# From the top down; a module imports from its own folder and from rows below it.
LAYERS = (
    {"cli"},
    {"render"},
    {"service"},
    {"compare"},
    {"oracle"},
    {"play"},
    {"board"},
    {"compiler"},
    {"solving"},
    {"mapboard"},
    {"naive"},
    {"edges"},
    {"editions"},
    {"world"},
    {"model"},
    {"syntax"},
    {"diagnostics", "vocabulary"},
)
LEVEL = {folder: -number for number, row in enumerate(LAYERS) for folder in row}
HOMES = {
    "lark": {"syntax"},
    "networkx": {"board", "mapboard", "render"},
    "constraint": {"solving"},
    "pydantic": {"edges"},
    "typer": {"cli"},
    "rich": {"cli"},
    "drawsvg": {"render"},
    "resvg_py": {"render"},
}
# Imports that run up today, each with its reason.
KNOWN: dict[tuple[str, str], str] = {
    ("oracle", "render"): "notebooks ask a position itself for its picture; it is drawn by a lazy import",
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def folder(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the dotted names that a module imports, those inside functions too; not those for types only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {id(inner) for node in ast.walk(tree) if is_for_types(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports name the module in full"
            assert node.module is not None
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def inner_imports() -> set[tuple[str, str]]:
    """Collect the pairs of folders of which the first imports from the second."""
    return {
        (folder(path), name.split(".")[1])
        for path in modules()
        for name, _ in imports(path)
        if name.startswith("titm_rules.") and name.split(".")[1] in LEVEL
    }


def test_every_folder_has_its_level():
    assert {folder(path) for path in modules()} == set(LEVEL)


def test_imports_run_down():
    up = {(one, other) for one, other in inner_imports() if one != other and LEVEL[one] <= LEVEL[other]}
    assert up == set(KNOWN)


@pytest.mark.parametrize("library", HOMES)
def test_library_has_one_home(library):
    homes = {folder(path) for path in modules() for name, _ in imports(path) if name.split(".")[0] == library}
    assert homes <= HOMES[library]
    assert homes, f"{library} is used nowhere"


def test_packages_only_list_names():
    for path in PACKAGE.rglob("__init__.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        does = [node for node in body if isinstance(node, ast.For | ast.While | ast.With | ast.If)]
        assert does == [], path
