"""Condition, filter, key condition, projection and update expressions."""
