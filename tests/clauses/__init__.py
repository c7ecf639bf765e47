"""A table of rows for each clause."""

import pytest

pytest.register_assert_rewrite("tests.clauses.rows")  # which has the assertion of all tables
