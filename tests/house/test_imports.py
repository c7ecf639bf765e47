"""Imports run down the tree, and each library is used in one place only."""

import ast
import re
from functools import cache
from pathlib import Path

import networkx as nx
import pytest
import titm_rules

PACKAGE = Path(titm_rules.__file__).parent
PAGE = PACKAGE / "web" / "static"
SCRIPT_IMPORT = re.compile(r"""(?:\bfrom|\bimport|\bimport\()\s*["']\./([^"']+)\.js["']""")

# From the top down; a module imports from its own folder and from rows below it.
LAYERS = (
    {"cli"}, {"web", "lsp", "mcp", "envs", "conformance"}, {"service"}, {"compare"}, {"render"}, {"oracle"},
    {"explain"}, {"maps"}, {"play"}, {"engines"}, {"world"}, {"formats"}, {"editions"}, {"checker"}, {"ir"}, {"syntax"},
    {"catalog"}, {"files"}, {"diagnostics", "version"},
)  # fmt: skip
LEVEL = {folder: -number for number, row in enumerate(LAYERS) for folder in row}
HOMES = {
    "fastapi": {"web"}, "starlette": {"web"}, "uvicorn": {"web"}, "lark": {"syntax"}, "pygls": {"lsp"},
    "lsprotocol": {"lsp"}, "mcp": {"mcp"}, "mcp_types": {"mcp"}, "networkx": {"engines", "maps"},
    "constraint": {"engines"}, "pydantic": {"formats", "service", "web"}, "typer": {"cli"}, "rich": {"cli"},
    "gymnasium": {"envs"}, "numpy": {"envs"}, "pettingzoo": {"envs"}, "drawsvg": {"render"}, "resvg_py": {"render"},
}  # fmt: skip


SOURCES = sorted(PACKAGE.rglob("*.py"))


def modules():
    return [path for path in SOURCES if path not in (PACKAGE / "__init__.py", PACKAGE / "__main__.py")]


def where(path):
    return path.relative_to(PACKAGE).as_posix()


def folder(path):
    """Name the part of the package that a module belongs to: its folder, or its own name beside the folders."""
    return where(path).removesuffix(".py").partition("/")[0]


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path):
    """List the dotted names that a module imports, those inside functions and those for types only too.

    Of a module imported as `ir` the names that are used are listed, as if they were imported one by one.
    """
    found = []
    attributes = (one for one in ast.walk(tree(path)) if isinstance(one, ast.Attribute))
    used = {one.attr for one in attributes if ast.unparse(one.value) == "ir"}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports name the module in full"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found += [f"{name}.{one}" for one in used] if alias.asname == "ir" else [name]
    return found


def module_graph():
    """Join each module of the package to those that it imports from, wherever in it the import stands."""
    paths = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in SOURCES}
    graph = nx.DiGraph()
    for module, path in paths.items():
        for name in imports(path):
            if name.startswith("titm_rules."):
                inner = name.removeprefix("titm_rules.")
                found = inner if inner in paths else inner.rpartition(".")[0] or "__init__"
                graph.add_edge(module, found if found in paths else f"{found}.__init__")
    return graph


def script_graph():
    """Join each script of the page to those that it imports from, at its head or inside a function."""
    graph = nx.DiGraph()
    for path in PAGE.glob("*.js"):
        graph.add_edges_from((path.stem, name) for name in SCRIPT_IMPORT.findall(path.read_text(encoding="utf-8")))
    return graph


def rings(graph):
    return [ring for ring in nx.strongly_connected_components(graph) if len(ring) > 1]


@pytest.mark.parametrize(("graph", "least"), [(module_graph, 100), (script_graph, 20)])
def test_no_modules_import_each_other_in_a_ring(graph, least):
    found = graph()
    assert found.number_of_nodes() > least
    assert rings(found) == []


@pytest.mark.parametrize(
    ("graph", "edges", "upward"),
    [
        # an import inside a function is seen, and one for types only
        (module_graph, [("oracle.position", f"oracle.{name}") for name in ("case", "odds")], ("ir.model", "cli.app")),
        (script_graph, [("main", "state")], ("state", "main")),
    ],
)
def test_a_ring_would_be_seen(graph, edges, upward):
    found = graph()
    assert [edge for edge in edges if not found.has_edge(*edge)] == []
    found.add_edge(*upward)
    assert any(set(upward) <= ring for ring in rings(found))


def test_folders_have_levels_scripts_are_seen_imports_run_down_and_packages_only_list_names():
    assert set(script_graph()) == {path.stem for path in PAGE.glob("*.js")} - {"sw"}, "each has a part in the page"
    assert SCRIPT_IMPORT.findall("""const { begin } = await import("./panels.js");""") == ["panels"]
    assert SCRIPT_IMPORT.findall("import { s } from './dom.js'; import './api.js'") == ["dom", "api"]
    assert {folder(path) for path in modules()} == set(LEVEL)
    inner = [
        (path, name.split(".")[1]) for path in modules() for name in imports(path) if name.startswith("titm_rules.")
    ]
    pairs = {(folder(path), other) for path, other in inner if other in LEVEL}
    assert {(one, other) for one, other in pairs if one != other and LEVEL[one] <= LEVEL[other]} == set()
    for path in PACKAGE.rglob("__init__.py"):
        does = [node for node in tree(path).body if isinstance(node, ast.For | ast.While | ast.With | ast.If)]
        assert does == [], path


@pytest.mark.parametrize("library", HOMES)
def test_library_has_one_home(library):
    homes = {folder(path) for path in modules() for name in imports(path) if name.split(".")[0] == library}
    assert homes <= HOMES[library]
    assert homes, f"{library} is used nowhere"
