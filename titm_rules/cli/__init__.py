"""The `titm` command: arguments in, text out; it decides nothing."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    from titm_rules.cli.commands import parse_plain
    from titm_rules.cli.terminal import guard_output

    plain = parse_plain(sys.argv[1:])
    guard_output()
    if plain is not None:
        command, values = plain
        sys.exit(command.run(values))
    from titm_rules.cli.app import app

    app(prog_name="titm")
