"""`hashrange design`: a table from answers, flags or a model, written in many forms or made."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.design_options import choices_of, counts_of, refuse_shape, shape_options
from hashrange.cli.design_writing import OUTPUTS, PARTLY, refusals, text_of, write
from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.model_files import model_at
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.tools.design.applying import Applied
    from hashrange.tools.design.designs import Design
    from hashrange.tools.rules import Facts, Finding

KB: Final = 1024


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--non-interactive", is_flag=True, help="Ask nothing; flags say everything.")
@click.option("--table-name", metavar="NAME", help="Name of the table; of those in FILE, which.")
@shape_options
@click.option(
    "--production",
    is_flag=True,
    help="Two overloaded indexes, scaling, recovery, stream, insights, TTL, alarms, protection.",
)
@click.option("--entity", "entities", metavar="NAME", multiple=True, help="A kind of items.")
@click.option("--item-size", metavar="KB", type=click.FloatRange(0, 1e9), help="For warnings.")
@click.option(
    "--cardinality", metavar="ATTRIBUTE=N", multiple=True, help="Values of a key, for warnings."
)
@click.option("--output", metavar="FORM", type=click.Choice(OUTPUTS), help=", ".join(OUTPUTS))
@click.option("--json", "as_json", is_flag=True, help="As --output json; of --apply, the result.")
@click.option("--apply", "applies", is_flag=True, help="Make the table on the endpoint.")
@endpoint_options
def design(
    *, file: Path | None, shape: Mapping[str, Any], address: Address, **options: Any
) -> None:
    """Design a table, and write it as a template or program.

    With --apply it makes the table. On a terminal it asks for everything that no flag says. FILE is
    a model, in any form that docs/models.md lists. What DynamoDB would refuse is refused in its
    words, with exit code 2; what will hurt later is a warning on standard error. Exit code 3:
    --apply made the table, but the endpoint has no alarms, or lacks another API.

    \b
    Examples:
      hashrange design
      hashrange design --table-name orders --partition-key pk:S --sort-key sk:S
      hashrange design --table-name shop --production --output terraform
      hashrange design shop.toml --output cdk-typescript
      hashrange design --table-name orders --partition-key id:S --pitr 7 --apply
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.tools.rules import findings

    counts = counts_of(options["cardinality"])
    if math.isnan(options["item_size"] or 0):
        raise Misuse("--item-size: nan is not a number of KB")
    is_json = options["as_json"]
    if is_json and options["output"] not in {None, "json"}:
        raise Misuse("--json cannot be combined with another --output")
    with refusals():
        made = _designed(file, shape, options)
        facts = _facts(made, options["item_size"], counts)
    warnings = findings(facts)
    for each in warnings:
        click.echo(f"hashrange: {each.line}", err=True)
    if not options["applies"]:
        write(made, "json" if is_json else options["output"] or OUTPUTS[0])
        return
    text = None
    if options["output"] is not None and not is_json:
        text = text_of(made, options["output"])
    applied = _applied(made, address)
    if text is not None:
        click.echo(text, nl=False)
    if is_json:
        click.echo(_result(applied, warnings))
    _report(applied, made.definition.name)


def _designed(file: Path | None, shape: Mapping[str, Any], options: Mapping[str, Any]) -> "Design":
    """The design of the file, the flags or the answers. Raises DesignError."""
    from hashrange.cli.design_questions import completed
    from hashrange.clock import SystemClock
    from hashrange.server.loop import run
    from hashrange.tools.design.choices import definition_of
    from hashrange.tools.design.designs import design_in, design_of
    from hashrange.tools.design.refusals import refuse

    name, production, entities = (
        options[each] for each in ("table_name", "production", "entities")
    )
    if file is not None:
        refuse_shape({**shape, "entity": entities})
        made = design_in(model_at(file), name, production=production)
    else:
        choices = choices_of(name, shape, production=production)
        is_complete = name is not None and (production or choices.partition_key is not None)
        asks = not options["non_interactive"] and sys.stdin is not None
        if asks and (sys.stdin.isatty() or not is_complete):
            choices, entities = completed(choices, entities)
        made = design_of(definition_of(choices), entities, parameters=production)
    run(refuse(made.definition, SystemClock()))
    return made


def _facts(made: "Design", item_size: float | None, counts: Mapping[str, int]) -> "Facts":
    import msgspec

    from hashrange.tools.checking.table_rules import facts_of

    facts = facts_of(made.model, made.definition)
    size = facts.item_bytes if item_size is None else item_size * KB
    return msgspec.structs.replace(facts, item_bytes=size, cardinality=counts)


def _applied(made: "Design", address: Address) -> "Applied":
    """Make the table. Raises Refusal."""
    import asyncio

    from hashrange.cli.seeding import failures
    from hashrange.clock import SystemClock
    from hashrange.server.loop import run
    from hashrange.tools.design.apis import services_at
    from hashrange.tools.design.applying import apply

    async def applied() -> "Applied":
        async with services_at(address.url, address.credentials, SystemClock()) as services:
            return await apply(made.definition, services, asyncio.sleep)

    with failures():
        return run(applied())


def _result(applied: "Applied", warnings: "Sequence[Finding]") -> str:
    import json

    import msgspec

    members = msgspec.to_builtins(applied)
    return json.dumps({**members, "warnings": msgspec.to_builtins(warnings)}, indent=2)


def _report(applied: "Applied", name: str) -> None:
    """Say what was made and what was not; exit with 1 or 3 if something was not."""
    done = ["the table", *(each.feature for each in applied.features_with("done"))]
    click.echo(f"hashrange: {applied.place}: made {name}: {', '.join(done)}", err=True)
    for each in applied.features_with("absent"):
        text = f"{applied.place} has no {each.feature}: {name} was made without"
        click.echo(f"hashrange: {text}", err=True)
    refused = applied.features_with("refused")
    if refused:
        texts = "; ".join(f"{each.feature}: {each.text}" for each in refused)
        raise Refusal(f"{applied.place}: {name} was made without {texts}")
    if applied.features_with("absent"):
        click.get_current_context().exit(PARTLY)
