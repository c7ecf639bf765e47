"""The rules in force on a date: consolidation, loading, cache and the clause index."""
