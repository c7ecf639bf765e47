"""What every part may use: where the data folders are, and exact chances."""
