"""Types tell something: few parameters may be anything, a name has one meaning, and few values go by identity."""

import ast
import re
from collections import Counter, defaultdict

from tests.house.test_imports import SOURCES, tree, where

ANYTHING = ("Any", "Any | None", "Optional[Any]")
MOST_ANYTHING = 58
# Who calls `id`, and why equality would not do; what goes by identity has to live as long as the number is kept.
IDENTITY = {
    ("checker/consistency.py", "_check_cases"): "a sentence written twice is two sentences, each idle or not",
    ("checker/consistency.py", "_forget_overlaid"): "the same sentences",
    ("compare/all_pairs.py", "answer"): "models are large, and are shared by the editions that say the same",
    ("compare/counterexamples.py", "finish"): "the same models",
    ("compare/playout.py", "_held"): "sentences that another engine watches, of large models",
    ("compare/playout.py", "finish"): "the same models",
    ("compare/small_worlds.py", "__init__"): "slots of two groups may be equal, with other likely values",
    ("compare/small_worlds.py", "pick"): "the same slots",
    ("editions/cache.py", "__init__"): "parts that an entry has by their names, of which most have no hash",
    ("editions/cache.py", "persistent_id"): "the same parts",
    ("engines/compiled/provenance.py", "_decided"): "equal sentences of two clauses are judged apart, many times",
    ("engines/compiled/provenance.py", "decide"): "the same sentences",
    ("engines/reference/brute_force.py", "holds"): "the sentences that are watched; equality would compare whole terms",
    ("oracle/joint_moves.py", "_part"): "positions share rows and lists of rows, which have no hash; they are kept too",
}
MOST_IDENTITY = 19
CAPITALISED = re.compile(r"[A-Z]\w*[a-z]\w*")


def parameters(module):
    """Yield the parameters of all functions, those with stars too."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            args = node.args
            found = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            yield from (one for one in found if one is not None)


def test_few_parameters_may_be_anything_and_no_alias_is_another_name_for_it():
    found = [
        f"{where(path)}:{one.lineno} {one.arg}"
        for path in SOURCES
        for one in parameters(tree(path))
        if one.annotation is not None and ast.unparse(one.annotation) in ANYTHING
    ]
    assert len(found) <= MOST_ANYTHING, "\n".join(found)
    aliases = [
        f"{path}:{node.lineno}"
        for path in SOURCES
        for node in tree(path).body
        if isinstance(node, ast.Assign) and ast.unparse(node.value) in ANYTHING
    ]
    assert aliases == []


def meanings():
    """Give, for each name that a module gives to a class or to a type, what it means there."""
    found = defaultdict(set)
    for path in SOURCES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].add(f"class of {where(path)}")
            elif isinstance(node, ast.Assign) and CAPITALISED.fullmatch(name := ast.unparse(node.targets[0])):
                found[name].add(ast.unparse(node.value))
    return found


def test_a_name_of_a_class_or_a_type_means_one_thing():
    assert {name: told for name, told in meanings().items() if len(told) > 1} == {}


def callers(name):
    """Count the calls of a function, by module and the innermost named function around them."""
    found = Counter()

    def visit(node, module, around):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            around = node.name
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            found[module, around] += 1
        for inner in ast.iter_child_nodes(node):
            visit(inner, module, around)

    for path in SOURCES:
        visit(tree(path), where(path), "")
    return found


def test_few_values_go_by_identity_and_each_has_its_reason():
    found = callers("id")
    assert found.keys() == IDENTITY.keys()
    assert found.total() <= MOST_IDENTITY
