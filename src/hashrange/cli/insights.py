"""`hashrange insights`: the most frequent keys of tables with contributor insights."""

from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.health import asked_server, server_options
from hashrange.cli.printable import printable
from hashrange.cli.refusals import Refusal
from hashrange.cli.top import snapshot_of
from hashrange.limits.tables import CONTRIBUTORS_MAX, INSIGHT_MINUTES_MAX

if TYPE_CHECKING:
    from hashrange.observe.snapshot import Contributors

_SPANS: Final = {"now": 0, "minute": 1, "quarter": INSIGHT_MINUTES_MAX}
_RULES: Final = {
    "PKC": "partition keys, accessed",
    "SKC": "whole keys, accessed",
    "PKT": "partition keys, throttled",
    "SKT": "whole keys, throttled",
}
_SPAN_TEXTS: Final = {
    0: "this minute",
    1: "the last minute",
    INSIGHT_MINUTES_MAX: f"the last {INSIGHT_MINUTES_MAX} minutes",
}


@click.command()
@click.argument("table", required=False)
@click.option("--index", metavar="NAME", help="A global index of the table.")
@click.option(
    "--span",
    type=click.Choice(list(_SPANS)),
    default="minute",
    show_default=True,
    help=f"The present minute, the last one, or the last {INSIGHT_MINUTES_MAX}.",
)
@server_options
def insights(*, table: str | None, index: str | None, span: str, **place: str | None) -> None:
    """Show the most frequent keys of a table.

    UpdateContributorInsights enables them for a table or a global index. The counts are those of
    one server, of all its processes.

    \b
    Examples:
      hashrange insights
      hashrange insights orders --span quarter
      hashrange insights orders --index by-state
    """  # noqa: D301 - click reads \b as an escape
    snapshot = snapshot_of(asked_server(**place))
    if snapshot.hot_keys is None:
        raise Refusal("keys are not shown: the server runs without --hot-keys on")
    found = [
        each
        for each in snapshot.contributors
        if each.minutes == _SPANS[span]
        and table in {None, each.table, each.table.rpartition(":")[2]}
        and (index is None or each.index == index)
    ]
    if not found:
        click.echo("No keys were counted.")
    for each in sorted(found, key=lambda one: (one.table, one.index, list(_RULES).index(one.rule))):
        click.echo("\n".join(_lines(each)))


def _lines(found: "Contributors") -> list[str]:
    place = f"{found.table}/{found.index}" if found.index else found.table
    span, error = _SPAN_TEXTS[found.minutes], f"{found.error:,.1f}"
    head = f"{printable(place)}: {_RULES[found.rule]} in {span} "
    head += f"({found.total:,.1f} in all; counts are too low by {error} at most)"
    keys = found.keys[:CONTRIBUTORS_MAX]
    return [head, *(f"  {each.count:>12,.1f}  {printable(each.key)}" for each in keys)]
