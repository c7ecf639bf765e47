"""Whole games: which events may happen in a situation, and what they make of it."""
