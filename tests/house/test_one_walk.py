"""What an answer rests on is worked out in one module; whoever else takes terms apart says what for."""

import ast
from pathlib import Path

import titm_rules

PACKAGE = Path(titm_rules.__file__).parent
STEPS = {"children", "rebuild", "subterms"}  # what gives the parts of a term, or changes them
# Whoever takes terms apart, and what for; none of them but the first follows calls to see what rests on what.
TAKE_APART = {
    "rules/rests.py": "the walk itself",
    "rules/form_checks.py": "finds what asks a form",
    "rules/nothing.py": "marks where nothing may come",
    "rules/always.py": "puts each record in place of the name of which something always holds",
    "rules/unfolding.py": "counts how far definitions unfold",
    "rules/roles.py": "finds routes that are asked without a place to start from",
    "compare/proof.py": "sees how numbers are used",
    "compare/reads.py": "finds the numbers that clauses name, and what is given to what they speak of",
    "compare/settled.py": "puts the truth in place of readings",
    "engines/compiled/aspects.py": "collects what clauses on a pick ask of one record alone, and of none",
    "engines/compiled/alike.py": "collects what is asked of one record alone",
    "engines/compiled/crossing.py": "finds the calls that look a place up among some that are the same for all steps",
    "engines/compiled/fixtures.py": "takes out what is known of a mover, and asks the walk what the rest rests on",
    "engines/compiled/fold.py": "folds constants and puts bodies in place of calls",
    "engines/compiled/guards.py": "weighs what bars an event",
    "engines/compiled/locality.py": "finds what looks at the pieces of given places alone",
    "engines/compiled/profiles.py": "finds the plain fields of a mover that are looked at",
    "engines/compiled/program.py": "decides how the function of a head is made",
    "engines/compiled/searches.py": "takes what does not speak of a member out of searches",
    "engines/compiled/sifted.py": "sees whether a condition on a piece has a value for any piece",
    "engines/compiled/slots.py": "parts what is asked of the mover from the rest",
    "engines/library/search.py": "collects what is asked of the mover of a trace",
    "explain/blame.py": "follows the values of one case, not the rules",
    "explain/terms.py": "finds the attempts that an answer is about",
}
# The engine that shares nothing with the others repeats what they share.
NAIVE = {
    "titm_rules.engines.engine",  # the interface, and the records that come and go through it
    "titm_rules.rules.model",
    "titm_rules.rules.terms",
    "titm_rules.rules.types",
    "titm_rules.world.world",
    "titm_rules.world.records",
    "titm_rules.world.written",
    "titm_rules.diagnostics",
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
        if imported(path).get("titm_rules.rules.terms", set()) & STEPS
    }
    assert taking == set(TAKE_APART)


def test_the_naive_engine_shares_nothing_but_the_model():
    for path in (PACKAGE / "engines" / "naive").glob("*.py"):
        ours = {name for name in imported(path) if name.startswith("titm_rules.")}
        assert {name for name in ours if not name.startswith("titm_rules.engines.naive")} <= NAIVE, path


def test_nobody_builds_on_the_naive_engine():
    for path in PACKAGE.rglob("*.py"):
        users = [name for name in imported(path) if name.startswith("titm_rules.engines.naive")]
        known = ("engines/naive/", "engines/make.py")
        assert not users or path.relative_to(PACKAGE).as_posix().startswith(known), path
