"""What an answer rests on is worked out in one module; whoever else takes terms apart says what for."""

import ast
from pathlib import Path

import pytest
import titm_rules

PACKAGE = Path(titm_rules.__file__).parent
STEPS = {"children", "rebuild", "subterms"}  # what gives the parts of a term, or changes them
# Whoever takes terms apart, and what for; none of them but the first follows calls to see what rests on what.
TAKE_APART = {
    "ir/dependencies.py": "the walk itself",
    "checker/forms.py": "finds the forms that a form or a definition asks",
    "checker/nullability.py": "marks the terms that may be null",
    "checker/case_analysis.py": "replaces the subject of an invariant by each record that it holds of",
    "checker/consistency.py": "counts how far definitions unfold",
    "checker/schema.py": "finds routes that are asked without a place to start from",
    "compare/counterexamples.py": "finds how numbers are used",
    "compare/small_worlds.py": "finds the numbers that clauses name, and the arguments of what they ask",
    "compare/rule_pair.py": "replaces readings by their truth values",
    "engines/compiled/equivalence.py": "collects what is asked of one record alone, and the plain fields of a mover",
    "engines/compiled/step_kernel.py": "finds look-ups of a place that are the same for all steps",
    "engines/compiled/hoisting.py": "separates terms of the mover alone, and of the map alone, from the rest",
    "engines/compiled/partial_eval.py": "folds constants and inlines calls",
    "engines/compiled/events.py": "weighs the conditions that bar an event",
    "engines/compiled/incremental.py": "finds terms that look at the pieces of given places alone",
    "engines/compiled/program.py": "decides how the function of a head is made",
    "engines/compiled/codegen.py": "moves terms without the bound variable out of loops",
    "engines/compiled/place_index.py": "decides whether a condition on a piece can be inverted",
    "engines/library/graph.py": "collects what is asked of the mover of a trace",
    "explain/causes.py": "follows the values of one case, not the rules",
    "explain/answer_reasons.py": "finds the attempts that an answer is about",
}
# All that an engine may import of the package, besides its own modules. The reference engine repeats the evaluation of
# terms as well; the library engine shares it with the explanations, and nothing with the compiled engine but this list.
INTERFACE = {
    "titm_rules.engines.engine",  # the interface, and the records that pass through it
    "titm_rules.ir.model",
    "titm_rules.ir.terms",
    "titm_rules.world.world",
    "titm_rules.world.records",
}
MAY_SHARE = {
    "reference": INTERFACE | {"titm_rules.ir.types", "titm_rules.diagnostics"},
    "library": INTERFACE | {"titm_rules.world.evaluate", "titm_rules.ir.dependencies"},
}


def imported(path: Path) -> dict[str, set[str]]:
    """Map the modules that a module imports from to the names that it takes."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found.setdefault(node.module, set()).update(alias.name for alias in node.names)
    return found


def test_nobody_else_takes_terms_apart():
    taking = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if imported(path).get("titm_rules.ir.terms", set()) & STEPS
    }
    assert taking == set(TAKE_APART)


@pytest.mark.parametrize("engine", MAY_SHARE)
def test_an_engine_shares_nothing_but_the_model_and_the_interface(engine):
    shared = {
        name
        for path in (PACKAGE / "engines" / engine).glob("*.py")
        for name in imported(path)
        if name.startswith("titm_rules.") and not name.startswith(f"titm_rules.engines.{engine}")
    }
    assert shared == MAY_SHARE[engine]


@pytest.mark.parametrize("engine", MAY_SHARE)
def test_nobody_builds_on_an_engine_that_others_are_compared_with(engine):
    for path in PACKAGE.rglob("*.py"):
        users = [name for name in imported(path) if name.startswith(f"titm_rules.engines.{engine}")]
        known = (f"engines/{engine}/", "engines/factory.py")
        assert not users or path.relative_to(PACKAGE).as_posix().startswith(known), path
