"""Tables of rows that one test looks at: thousands of tests take longer than what they do.

For cheap rows without fixtures of their own. A row that fails is named in a note of its error.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def rows(
    names: str | tuple[str, ...], table: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `pytest.mark.parametrize`, with one test for all rows."""
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    given = [(row,) if len(wanted) == 1 else tuple(row) for row in table]
    assert given, "a table has rows"

    def over_rows(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tested(**others: Any) -> None:
            for row in given:
                values = dict(zip(wanted, row, strict=True))
                try:
                    test(**others, **values)
                except BaseException as error:
                    error.add_note(f"row: {values!r:.500}")
                    raise

        left = [
            parameter
            for parameter in inspect.signature(test).parameters.values()
            if parameter.name not in wanted
        ]
        tested.__signature__ = inspect.Signature(left)
        return tested

    return over_rows
