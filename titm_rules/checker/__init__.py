"""From parsed files to the checked model: names, types, heads, clauses."""
