"""What an answer rests on is worked out in one module; whoever else takes terms apart says what for."""

import pytest

from tests.house.test_imports import PACKAGE, SOURCES, imports, where

STEPS = {"children", "rebuild", "subterms"}  # what gives the parts of a term, or changes them
# Whoever takes terms apart, and what for; none of them but the first follows calls to see what rests on what.
TAKE_APART = {
    "ir/dependencies.py": "the walk itself", "checker/forms.py": "finds the forms that a form or a definition asks",
    "checker/preferences.py": "puts another target into the terms of a preference",
    "checker/events.py": "puts the value that an effect sets into the condition under which a field is kept",
    "checker/nullability.py": "marks the terms that may be null",
    "checker/consistency.py": "counts how far definitions unfold",
    "checker/questions.py": "sees whether a claim asks anything that clauses decide",
    "ir/applicability.py": "puts records in the place of the subject of an invariant",
    "checker/schema.py": "finds routes that are asked without a place to start from",
    "compare/counterexamples.py": "finds how numbers are used",
    "compare/monotone.py": "compares terms part by part, and looks for what of them may differ",
    "compare/smt.py": "puts arguments in the place of parameters",
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
    "explain/causes.py": "follows the values of one case, not the rules",
    "explain/answer_reasons.py": "finds the attempts that an answer is about",
}  # fmt: skip
# All that an engine may import of the package, besides its own modules. The reference engine repeats the evaluation of
# terms as well; the library engine shares it with the explanations, and nothing with the compiled engine but this list.
INTERFACE = {
    "titm_rules.diagnostics",  # what is not covered
    "titm_rules.engines.engine",  # the interface, and the records that pass through it
    "titm_rules.ir.model",
    "titm_rules.ir.terms",
    "titm_rules.world.world",
    "titm_rules.world.records",
}
MAY_SHARE = {
    "reference": INTERFACE | {"titm_rules.ir.types"},
    "library": INTERFACE | {"titm_rules.world.evaluate", "titm_rules.ir.dependencies"},
}


def test_nobody_else_takes_terms_apart():
    steps = {f"titm_rules.ir.terms.{step}" for step in STEPS}
    taking = {where(path) for path in SOURCES if steps & set(imports(path))}
    assert taking == set(TAKE_APART)


@pytest.mark.parametrize("engine", MAY_SHARE)
def test_an_engine_shares_nothing_but_the_model_and_nobody_builds_on_it(engine):
    own, users = f"titm_rules.engines.{engine}", (PACKAGE / "engines" / engine).glob("*.py")
    names = {name.rpartition(".")[0] for path in users for name in imports(path) if name.startswith("titm_rules.")}
    assert {name for name in names if not name.startswith(own)} == MAY_SHARE[engine]
    known = (f"engines/{engine}/", "engines/factory.py")
    for path in SOURCES:
        users = [name for name in imports(path) if name.startswith(f"titm_rules.engines.{engine}")]
        assert not users or where(path).startswith(known), path
