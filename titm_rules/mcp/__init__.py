"""What an assistant asks of the rules, and the server that answers it."""
