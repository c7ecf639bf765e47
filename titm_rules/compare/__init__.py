"""Two editions side by side: their clauses, their answers, and which clauses make the difference."""
