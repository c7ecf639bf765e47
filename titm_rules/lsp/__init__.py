"""What an editor asks of rule files while they are written, and the server that answers it."""
