"""Texts of data, as keys and names of attributes, on a terminal."""


def printable(text: str) -> str:
    """A text without control characters, which could move the cursor."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
