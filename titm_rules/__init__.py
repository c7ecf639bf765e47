"""Tigers in the Mist: the rules as checked, citable, executable text."""

__version__ = "0.1.0"
