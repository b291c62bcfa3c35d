"""The engine on PostgreSQL: a version on every row, and one statement that compares."""
