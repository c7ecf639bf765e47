"""A situation and a question in, an answer or a verdict out."""
