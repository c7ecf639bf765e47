"""Text to tree: the grammar and its spans; knows no rule."""
