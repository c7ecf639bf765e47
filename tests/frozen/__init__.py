"""What the package answers today, kept while it is rebuilt; `python -m tests.frozen` writes it again."""

from tests.frozen import command_line, protocol, python_interface

__all__ = ["command_line", "protocol", "python_interface"]  # they register their groups
