"""Pydantic at the edges: what comes in is checked against what the rule set declares."""
