"""The oracle as a service: the JSON-lines protocol."""
