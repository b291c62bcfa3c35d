"""`hashrange backfill TABLE`: updates all items of a table."""

from typing import Any

import click

from hashrange.cli.change_options import ChangeCommand, change_options
from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import never_asks
from hashrange.cli.scan_options import pace_options, read_options, table_argument


@click.command()
@table_argument
@click.option("--update", metavar="EXPRESSION", required=True, help="Update expression.")
@click.option("--condition", metavar="EXPRESSION", help="Condition of each update.")
@read_options
@pace_options
@click.option(
    "--once",
    metavar="ATTRIBUTE",
    help="Mark updated items in this attribute, so that none is updated twice.",
)
@change_options
@never_asks
@endpoint_options
def backfill(*, table: str, address: Address, **options: Any) -> None:
    """Update all items of TABLE that fulfil the filter.

    An update never creates an item: one that was deleted meanwhile, or no longer fulfils the filter
    and the condition, is skipped. --dry-run counts the items.

    After Ctrl-C or a kill, --resume continues; some items are then updated again. An update for
    which that would matter, such as ADD to a number, is not sent again and cannot continue, unless
    --once ATTRIBUTE marks the items that it has updated. --rate-limit holds for read units and for
    write units, each by itself.

    \b
    Examples:
      hashrange backfill orders --update 'SET version = :v' --values '{":v": 2}'
      hashrange backfill orders --update 'REMOVE old_total' --filter 'attribute_exists(old_total)'
      hashrange backfill orders --update 'SET status = :s' --values '{":s": "NEW"}' --dry-run
    """  # noqa: D301 - click reads \b as an escape
    ChangeCommand(
        "backfill", "UpdateItem", "updated", table=table, address=address, options=options
    ).run(lambda: None)
