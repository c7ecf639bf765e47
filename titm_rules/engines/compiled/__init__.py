"""Terms to Python code: the fast engine."""
