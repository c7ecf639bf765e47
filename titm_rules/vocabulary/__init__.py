"""Where things are: the data folders that ship with the package."""
