"""Texts about expressions, and about the parameters that preceded them.

Begin with `syntax`, for all kinds of expression; `updates` has what only an update expression can
meet, also while it is applied to an item.
"""
