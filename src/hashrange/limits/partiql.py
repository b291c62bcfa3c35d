"""Limits of statements of PartiQL; sizes of their caches."""

from typing import Final

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
