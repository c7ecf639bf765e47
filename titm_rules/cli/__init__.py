"""The `titm` command: arguments in, text out; it decides nothing."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> None:
    """Run the command line."""
    try:
        _run()
    except (OSError, MemoryError, SystemError) as error:  # before a command begins, which reports them itself
        from titm_rules.cli.terminal import exit_code

        failed = error

        def fail() -> NoReturn:
            raise failed

        sys.exit(exit_code(fail))


def _run() -> None:
    from titm_rules.cli.commands import parse_plain
    from titm_rules.cli.terminal import guard_output

    plain = parse_plain(sys.argv[1:])
    guard_output()
    if plain is not None:
        command, values = plain
        sys.exit(command.run(values))
    from titm_rules.cli.app import app

    app(prog_name="titm")
