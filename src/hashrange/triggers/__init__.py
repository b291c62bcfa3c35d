"""Triggers: what the operator wants to be called with the changes of a table."""
