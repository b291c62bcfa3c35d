"""Limits of expressions and of the parameters before them; sizes of their caches."""

from typing import Final

EXPRESSION_BYTES_MAX: Final = 4096
EXPRESSION_OPERATORS_MAX: Final = 300
FILTER_CONDITIONS_MAX: Final = 300
"""Our own: conditions of a QueryFilter or ScanFilter, which is applied to each item of a page."""
IN_OPERANDS_MAX: Final = 100
SCAN_FILTER_ARGUMENTS_MAX: Final = FILTER_CONDITIONS_MAX * IN_OPERANDS_MAX
"""Our own: arguments of a ScanFilter, in which the service does not bound IN."""
PATH_ELEMENTS_MAX: Final = 32
PLACEHOLDERS_BYTES_MAX: Final = 2 * 1024 * 1024
"""ExpressionAttributeNames and ExpressionAttributeValues together."""
PLACEHOLDER_BYTES_MAX: Final = 255
"""A key of ExpressionAttributeNames or ExpressionAttributeValues, with its # or colon."""
LIST_INDEX_MAX: Final = 2**32 - 2
EXPRESSION_SHAPES_MAX: Final = 4096
"""Our own: shapes of requests whose compiled expressions are cached, of each cache."""
EXPRESSION_SHAPE_CHARS_MAX: Final = 16 * 1024
"""Our own: of the texts of one cached shape; longer ones are compiled each time."""
EXPRESSION_SHAPES_CHARS_MAX: Final = 512 * 1024
"""Our own: of the texts of all cached shapes, which take about a hundred times as many bytes."""
LEGACY_SHAPES_MAX: Final = 512
"""Our own: cached shapes of conditions, and of updates, from before expressions."""
KEY_CONDITIONS_MAX: Final = 2
"""Entries of KeyConditions, except for an index whose key has several attributes."""
ATTRIBUTES_TO_GET_MAX: Final = 255
