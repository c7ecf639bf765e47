"""Why an answer is what it is: findings, verdicts, what would be legal instead."""
