"""The options of `hashrange design` that shape a table, and what they choose."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.tools.design.choices import Choices

MODES: Final = ("PAY_PER_REQUEST", "PROVISIONED")
VIEWS: Final = ("NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY")
CLASSES: Final = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
_OPTIONS: Final = (
    click.option("--partition-key", metavar="NAME:TYPE", help="Such as pk:S; S, N or B."),
    click.option("--sort-key", metavar="NAME:TYPE", help="Such as sk:S."),
    click.option(
        "--billing-mode",
        metavar="MODE",
        help=f"{' or '.join(MODES)}  [default: PROVISIONED with units or scaling]",
    ),
    click.option("--read-units", metavar="N", type=int, help="Of the table and of each index."),
    click.option("--write-units", metavar="N", type=int, help="Of the table and of each index."),
    click.option(
        "--gsi",
        metavar="INDEX",
        multiple=True,
        help="Global index NAME:KEY:TYPE[:KEY:TYPE][:ALL|:KEYS_ONLY|:INCLUDE:A,B]; repeatable.",
    ),
    click.option(
        "--lsi",
        metavar="INDEX",
        multiple=True,
        help="Local index NAME:SORT-KEY:TYPE[:ALL|:KEYS_ONLY|:INCLUDE:A,B]; repeatable.",
    ),
    click.option("--ttl", metavar="ATTRIBUTE", help="Items expire at the second in it."),
    click.option(
        "--stream",
        metavar="VIEW",
        is_flag=False,
        flag_value=VIEWS[0],
        help=f"{', '.join(VIEWS)}  [default: {VIEWS[0]}]",
    ),
    click.option(
        "--pitr",
        metavar="[DAYS]",
        type=int,
        is_flag=False,
        flag_value=35,
        help="Point-in-time recovery, 1 to 35 days  [default: 35]",
    ),
    click.option("--table-class", metavar="CLASS", help=" or ".join(CLASSES)),
    click.option("--deletion-protection", is_flag=True, help="The table cannot be deleted."),
    click.option("--insights", is_flag=True, help="Contributor insights of table and indexes."),
    click.option("--alarms", is_flag=True, help="CloudWatch alarms on throttling and errors."),
    click.option(
        "--auto-scaling", metavar="MIN:MAX:TARGET", help="Units and percentage, such as 5:500:70."
    ),
    click.option("--tags", metavar="KEY=VALUE", multiple=True, help="A tag; repeatable."),
)


def shape_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command receives them as one mapping, named `shape`."""

    @functools.wraps(command)
    def with_shape(*args: Any, **options: Any) -> Any:
        shape = {name: options.pop(name) for name in NAMES}
        return command(*args, shape=shape, **options)

    for option in reversed(_OPTIONS):
        with_shape = option(with_shape)
    return with_shape


NAMES: Final = (
    *("partition_key", "sort_key", "billing_mode", "read_units", "write_units", "gsi", "lsi"),
    *("ttl", "stream", "pitr", "table_class", "deletion_protection", "insights", "alarms"),
    *("auto_scaling", "tags"),
)
"""The names of the parameters of `_OPTIONS`, which are those of `Choices`."""


def choices_of(name: str | None, shape: Mapping[str, Any], *, production: bool) -> "Choices":
    """The choices of the options."""
    from hashrange.tools.design.choices import Choices

    return Choices(table_name=name, production=production, **shape)


def refuse_shape(shape: Mapping[str, Any]) -> None:
    """Raise Misuse if an option shapes a table that a file describes."""
    for name, value in shape.items():
        if value not in {None, False, ()}:
            option = name.replace("_", "-")
            raise Misuse(f"--{option} cannot be combined with FILE: change the file")


def counts_of(texts: tuple[str, ...]) -> dict[str, int]:
    """Numbers of values of attributes, of `ATTRIBUTE=N`. Raises Misuse."""
    counts = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals or not name or not (number.isascii() and number.isdecimal()):
            raise Misuse(f"--cardinality: {text!r} is not ATTRIBUTE=N")
        counts[name] = int(number[:18])
    return counts
