"""The `titm` command: arguments in, text out; it decides nothing."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    from titm_rules.cli.quick import quick_command
    from titm_rules.cli.terminal import guard_output

    work = quick_command(sys.argv[1:])
    guard_output()
    if work is not None:
        sys.exit(work())
    from titm_rules.cli.app import app

    app(prog_name="titm")
