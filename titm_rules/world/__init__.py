"""Situations with every reference resolved."""
