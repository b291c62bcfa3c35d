"""Streams: what readers of the change log see."""
