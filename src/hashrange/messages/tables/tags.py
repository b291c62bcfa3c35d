"""Texts about tags. Numbers: docs/internals/messages.md.

Source of what is marked `2026`: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

# TagResource without tags. Verified.
no_tags = Text("Atleast one Tag needs to be provided as Input.", 163)
# UntagResource without keys. Verified.
no_tag_keys = Text("Atleast one Tag Key needs to be provided as Input.", 164)


def key_invalid(key: str | None) -> str:
    """A key that is absent, too short, too long or of other characters. 2026."""
    return f"The Tag Key provided is invalid, Key: {'null' if key is None else key}"


def value_invalid(value: str | None) -> str:
    """A value that is absent, too long or of other characters. 2026."""
    return f"The Tag Value provided is invalid, Value: {'null' if value is None else value}"


# A key that begins with `aws:`, in any case. 2026.
key_reserved = Text("Tag Key cannot be prefixed with aws:, Key: {key}")
# Two tags with the same key. 2026.
key_repeated = Text("Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
# More than 50 tags, or more than 50 keys to remove. 2026.
too_many = Text("Number of Tags exceed the current limit for the provided ResourceArn")
# All tags of a resource, in bytes. 2026; that keys and values are added up is a guess.
too_large = Text("Tag set size {size} bytes is above max size limit of {most} bytes")
