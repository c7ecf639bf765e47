"""The reference interpreter: generates every candidate and tests every clause; slow, plain, independent."""
