"""Bitter Woods once more, written by hand: the second opinion on the rule set, which shares nothing with the engine."""
