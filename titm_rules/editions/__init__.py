"""What is in force on a date."""
