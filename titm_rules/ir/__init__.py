"""The checked rules of an edition: terms, model and dependencies."""
