"""Arguments that many commands have: small text files, amounts, and --non-interactive."""

import sys
from pathlib import Path
from typing import Any, Final

import click

from hashrange.cli.refusals import Misuse

FILE_BYTES_MAX: Final = 1024 * 1024
STANDARD: Final = Path("-")
AMOUNT_MAX: Final = 1e15
"""Larger numbers are mistakes, and their products would be infinite."""

never_asks: Final = click.option(
    "--non-interactive",
    is_flag=True,
    expose_value=False,
    help="Ask nothing, for scripts: this command never asks.",
)


class Amount(click.FloatRange):
    """A number from `least` to `most`, without `most` to AMOUNT_MAX."""

    def __init__(self, least: float = 0, most: float | None = None, *, above: bool = False) -> None:
        super().__init__(min=least, max=most, min_open=above)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; NaN, which compares with nothing, is refused too."""
        amount = super().convert(value, param, ctx)
        if not amount <= AMOUNT_MAX:
            self.fail(f"{value!r} is not a number up to {AMOUNT_MAX:g}", param, ctx)
        return amount


def text_of(path: Path) -> str:
    """The text of a file; `-` is standard input. Raises Misuse."""
    try:
        if path == STANDARD:
            data = sys.stdin.buffer.read(FILE_BYTES_MAX + 1)
        else:
            with path.open("rb") as file:
                data = file.read(FILE_BYTES_MAX + 1)
        if len(data) > FILE_BYTES_MAX:
            raise Misuse(f"{path}: larger than {FILE_BYTES_MAX} bytes")
        return data.decode()
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from error
