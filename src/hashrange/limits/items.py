"""Limits of items: sizes, nesting, keys and numbers."""

from typing import Final

ITEM_BYTES_MAX: Final = 400 * 1024
"""Names and values together, as `model.sizes` counts them; inclusive."""
NESTING_LEVELS_MAX: Final = 32
"""A top-level value is level 1."""
ATTRIBUTE_NAME_BYTES_MAX: Final = 65_535
KEY_ATTRIBUTE_NAME_CHARS_MAX: Final = 255
PARTITION_KEY_BYTES_MAX: Final = 2048
SORT_KEY_BYTES_MAX: Final = 1024
NUMBER_DIGITS_MAX: Final = 38
NUMBER_EXPONENT_MAX: Final = 125
"""Exponent of the leading digit: magnitudes are below 1E+126."""
NUMBER_EXPONENT_MIN: Final = -130
