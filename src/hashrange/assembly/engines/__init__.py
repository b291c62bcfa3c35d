"""Engines by their places: opened, measured, tried, backed up, and given other keys.

The only package that imports a concrete engine.
"""
