"""The embedded engine: one directory, or memory, behind SQLite with group commit."""
