"""The list of the commands, and the main function, which prints errors as one line.

The module of a command is imported when it is asked for, so that a server starts fast.
"""

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, NoReturn

import click

import hashrange
from hashrange.cli import dynamodb_local
from hashrange.cli.refusals import MISUSED, REFUSED, line_of, text_of_error

_MODULES: Final = {
    "serve": "serve",
    "console": "console",
    "shell": "shell",
    "mcp": "mcp",
    "top": "top",
    "insights": "insights",
    "verify": "verify",
    "salvage": "salvage",
    "verify-engine": "verify_engine",
    "copy": "copy",
    "replicate-to": "replicate_to",
    "dax": "dax",
    "encrypt": "encryption",
    "decrypt": "encryption",
    "rekey": "encryption",
    "load": "load",
    "dump": "dump",
    "scan": "scan",
    "sql": "sql",
    "archive": "archive",
    "count": "count",
    "sample": "sample",
    "sizes": "sizes",
    "backfill": "backfill",
    "delete-where": "delete_where",
    "diff": "diff",
    "backup": "backup",
    "restore": "backup",
    "snapshot": "snapshot",
    "simulate": "simulate",
    "design": "design",
    "describe": "describe",
    "new": "new",
    "check": "check",
    "model": "model",
    "capacity": "capacity",
    "units": "units",
    "doctor": "doctor",
    "healthcheck": "health",
    "users": "users",
    "keys": "keys",
    "roles": "roles",
    "policies": "policies",
    "audit": "audit",
    "completion": "completion",
    "worker": "worker",
    "inspect-model": "inspect_model",
}
"""The module in `hashrange.cli` of each command, which has the command under its own name."""

_EXAMPLES: Final = """\
\b
Examples:
  hashrange serve                       tables in ./hashrange-data, port 8000
  hashrange serve --memory --port 0     tables in memory only, any free port
  hashrange -port 8000 -inMemory        the options of DynamoDB Local
  hashrange verify hashrange-data       check the data for inconsistencies
  hashrange salvage DIRECTORY TARGET    take what can be read out of damaged data
  hashrange verify-engine URL           test a database before you rely on it
  hashrange copy FROM TO                copy all tables
  hashrange replicate-to TARGET         keep a webhook, tables or files up to date with tables
  hashrange dax --upstream URL          DAX's caches in front of another endpoint
  hashrange load TABLE FILE             put items of JSON lines or CSV into a table
  hashrange dump TABLE FILE             write the items of a table to a file
  hashrange scan TABLE --output FILE    its items as JSON, CSV or Parquet, in parallel; count,
                                        sample, sizes, backfill, delete-where and diff beside it
  hashrange sql "SELECT …"              SQL over tables, exports and moments, by DuckDB
  hashrange archive query|restore       expired items that serve --archive has stored
  hashrange backup DIRECTORY|URL TARGET back the data up, while the server runs; restore beside it
  hashrange snapshot save NAME          keep the state of a server under test; load goes back
  hashrange encrypt DIRECTORY           encrypt the data; decrypt and rekey beside it
  hashrange policies lint FILE          find statements of IAM policies that are too wide
  hashrange users create NAME           create a user with an access key
  hashrange audit query DIRECTORY       which principal did what, of the audit log
  hashrange simulate WORKLOAD.toml      simulate the throttling of a workload
  hashrange design                      design a table: template, program, or the table itself
  hashrange describe TABLE              a live table as a template or a program
  hashrange new TEMPLATE                write a complete design as a project; --list names them
  hashrange check MODEL                 check a model of tables, and run its access patterns
  hashrange model convert FILE          write a model in the form of another program
  hashrange capacity --item-size 2 --reads 100 --writes 20    units, and what a month costs
  hashrange units ITEM.json             the size of an item, and the units of operations on it
  hashrange doctor TABLE                find what is wrong with a table, and what to do
  hashrange healthcheck                 check whether the server is ready
  hashrange console                     tables, items and PartiQL in a browser
  hashrange top                         live view of the server
  hashrange insights TABLE              its most frequent keys
  hashrange shell                       PartiQL statements at a prompt
  hashrange mcp                         tools for assistants: tables, models, costs
"""

_IMPORT_ALLOCATIONS: Final = 100_000
"""Imports leave no garbage: fewer collections save a tenth of the CPU of a server's start."""


class _Commands(click.Group):
    """Imports the module of a command when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_MODULES)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _MODULES:
            from difflib import get_close_matches  # noqa: PLC0415 - only mistakes need it

            for near in get_close_matches(args[0], _MODULES, n=1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {near}?")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        module = _MODULES.get(cmd_name)
        if module is None:
            return None
        command = getattr(import_module(f"hashrange.cli.{module}"), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command), "see _MODULES"
        return command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    epilog=_EXAMPLES,
)
@click.version_option(hashrange.__version__, "-V", "--version", message="hashrange %(version)s")
@click.pass_context
def commands(context: click.Context) -> None:
    """A database server that speaks the Amazon DynamoDB API."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit; `arguments` are those of the process if None."""
    if not __debug__:
        # Asserts are part of the design: they stop the server before it stores inconsistent data.
        click.echo("hashrange: asserts are off; run python without -O and PYTHONOPTIMIZE", err=True)
        sys.exit(MISUSED)
    gc.set_threshold(_IMPORT_ALLOCATIONS)
    try:
        line = dynamodb_local.translated(sys.argv[1:] if arguments is None else arguments)
        code = commands.main(
            args=line.arguments, prog_name="hashrange", obj=line, standalone_mode=False
        )
    except click.ClickException as error:
        click.echo(line_of(error), err=True)
        code = error.exit_code
    except click.Abort as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            click.echo("hashrange: stopped", err=True)
        code = MISUSED
    except OSError as error:
        # Of standard output, such as a full disk: commands name the files that they use.
        click.echo(f"hashrange: {text_of_error(error)}", err=True)
        code = REFUSED
    sys.exit(code)
