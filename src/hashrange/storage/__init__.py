"""Ordered bytes that survive: the engine protocol and its engines."""
