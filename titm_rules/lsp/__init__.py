"""The language server for rule files."""
