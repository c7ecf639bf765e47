"""Maps and what is built on them: names, tables in other formats, lint, differences, and scenarios."""
