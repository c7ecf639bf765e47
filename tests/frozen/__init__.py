"""What the package answers today, kept while it is rebuilt; `python -m tests.frozen` writes it again."""
