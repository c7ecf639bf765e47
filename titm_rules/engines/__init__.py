"""Three engines behind one protocol: they answer the questions of one model."""
