"""Texts about tags. Numbers: docs/messages.md.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""


def no_tags() -> str:
    """TagResource without tags. Catalogue 163, verified."""
    return "Atleast one Tag needs to be provided as Input."


def no_tag_keys() -> str:
    """UntagResource without keys. Catalogue 164, verified."""
    return "Atleast one Tag Key needs to be provided as Input."


def key_invalid(key: str | None) -> str:
    """A key that is absent, too short, too long or of other characters. 2026."""
    return f"The Tag Key provided is invalid, Key: {'null' if key is None else key}"


def value_invalid(value: str | None) -> str:
    """A value that is absent, too long or of other characters. 2026."""
    return f"The Tag Value provided is invalid, Value: {'null' if value is None else value}"


def key_reserved(key: str) -> str:
    """A key that begins with `aws:`, in any case. 2026."""
    return f"Tag Key cannot be prefixed with aws:, Key: {key}"


def key_repeated(key: str) -> str:
    """Two tags with the same key. 2026."""
    return f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"


def too_many() -> str:
    """More than 50 tags, or more than 50 keys to remove. 2026."""
    return "Number of Tags exceed the current limit for the provided ResourceArn"


def too_large(size: int, most: int) -> str:
    """All tags of a resource, in bytes. 2026; that keys and values are added up is a guess."""
    return f"Tag set size {size} bytes is above max size limit of {most} bytes"
