"""The tree to a checked model: names, types, heads, clauses."""
