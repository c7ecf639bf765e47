"""Benchmarks: what the rules cost, beside other ways to compute the same answers."""
