"""Models for python-constraint, and plain checkers of witnesses."""
