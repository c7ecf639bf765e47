"""The page and its server: the protocol over HTTP, and what ships."""
