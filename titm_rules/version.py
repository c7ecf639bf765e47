"""The version of the package; editions of rules have dates of their own."""

__version__ = "0.1.0"
