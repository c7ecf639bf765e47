"""The map as a networkx graph, and the reference search on it."""
