"""What a shell is offered behind what stands on the line."""

import pytest
from titm_rules.cli.app import app
from typer.testing import CliRunner


def offered(line):
    """List what bash is told to offer for the last word of a line."""
    words = line.split(" ")
    shell = {"_TITM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return CliRunner().invoke(app, [], prog_name="titm", env=shell).output.split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("titm wh", ["why"]),
        ("titm check crossing", ["crossing-at-dasburg"]),
        ("titm check campaign check_", ["check_path"]),
        ("titm check campaign --edition 199", ["1994-11-01", "1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20",
                                               "1998-01-15", "1999"]),
        ("titm check campaign --game cold", ["cold-ford"]),
        ("titm check --game cold-ford the", ["the-ford"]),
        ("titm check campaign --overlay sk", ["skirmish"]),
        ("titm clauses 8.38", ["8.38"]),
        ("titm check --game nowhere camp", []),
    ],
)  # fmt: skip
def test_names_of_what_ships_are_offered(line, found):
    assert offered(line) == found
