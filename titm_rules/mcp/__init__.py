"""The server that answers an assistant's questions about the rules."""
