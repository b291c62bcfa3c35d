"""Limits of requests to tables, their items and their expressions; sizes of caches of these."""

from typing import Final

# Requests: bodies, batches, transactions, pages of answers.
ENDPOINT_CACHE_MINUTES: Final = 1440
BATCH_GET_KEYS_MAX: Final = 100
BATCH_WRITE_ITEMS_MAX: Final = 25
BATCH_GET_BYTES_MAX: Final = 16 * 1024 * 1024
TRANSACTION_ACTIONS_MAX: Final = 100
TRANSACTION_BYTES_MAX: Final = 4 * 1024 * 1024
"""Items that TransactGetItems reads; items, keys and values of a TransactWriteItems request."""
CLIENT_TOKEN_CHARS_MAX: Final = 36
CLIENT_TOKEN_SECONDS: Final = 600
"""How long a token is remembered after its transaction is complete."""
PAGE_BYTES_MAX: Final = 1024 * 1024
"""Query and Scan: bytes of items evaluated before a page ends."""
LIMIT_MIN: Final = 1
"""Smallest Limit of Query and Scan."""
SEGMENTS_MAX: Final = 1_000_000
REQUEST_BODY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Also after decompression."""
JSON_DEPTH_MAX: Final = 300
"""Our own: levels of objects and arrays in a request; valid requests have less than 80."""
CBOR_REQUEST_ITEMS_MAX: Final = 20_000
"""Our own: CBOR items of a request; 500 records with their members are 3,500."""
VIOLATIONS_MAX: Final = 10
"""Violations of the model's constraints that one answer lists."""
ECHO_CHARS_MAX: Final = 64 * 1024
"""Our own: longer values are cut off where an error echoes them."""

# Items: sizes, nesting, keys and numbers.
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

# Expressions and the parameters before them; sizes of their caches.
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

# Statements of PartiQL; sizes of their caches.
STATEMENT_CHARS_MAX: Final = 8192
BATCH_STATEMENTS_MAX: Final = 25
TRANSACTION_STATEMENTS_MAX: Final = 100
STATEMENT_READS_MAX: Final = 50
"""Alternatives of the partition and sort key that one SELECT may name."""
STATEMENT_PAGE_READS_MAX: Final = 10
"""Alternatives that a page of a SELECT reads. Developer Guide, "PartiQL operators", IN, 2026-11."""
STATEMENT_NEXT_TOKEN_SECONDS: Final = 3600
"""How long a NextToken is good. An answer of AWS on re:Post, read 2026-11."""
STATEMENT_LIST_INDEX_MAX: Final = 2**31 - 1
"""Half of what a path of an expression may have."""
STATEMENT_LEVELS_MAX: Final = 40
"""Our own: parentheses, lists and documents within each other in a statement."""
STATEMENT_PARENTHESES_MAX: Final = 24
"""Our own: parentheses within each other, those of functions too."""
STATEMENT_CHAIN_MAX: Final = 24
"""Our own: operators of one precedence in a row, as in `a = b = c`, but for AND and OR."""
STATEMENT_CONDITION_OPERATORS_MAX: Final = 3000
"""Our own: operators of a condition once comparisons of conditions are written out."""
STATEMENTS_MAX: Final = 2048
"""Our own: prepared statements kept in memory."""
STATEMENTS_CHARS_MAX: Final = 512 * 1024
"""Our own: of the texts of all of them, which take about a hundred times as much."""
INT32_MAX: Final = 2**31 - 1
INT32_MIN: Final = -(2**31)
"""The exponent and the scale of a number literal fit 32 bits."""
VECTOR_NUMBER_BYTES: Final = 4
"""Of each number in a vector index."""
TOP_K_MAX: Final = 100
"""Results of a search in a vector index."""
SEARCH_ANSWER_BYTES_MAX: Final = 16 * 1024**2
"""Of the items that a search answers."""
VECTOR_GROUPS_BYTES_MAX: Final = 1024**3
"""Our own: of the vectors that a process keeps in memory for searches."""
VECTOR_REQUEST_BYTES_MIN: Final = 1024
"""The least charge of a search, and of a write to a vector index."""
