"""The list of the commands, and the main function, which prints errors as one line.

A command imports its modules when it runs, so that `--help` and the start of a server are fast.
"""

import gc
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import click

import hashrange
from hashrange.cli import dynamodb_local
from hashrange.cli.audit import audit
from hashrange.cli.backup import backup, restore
from hashrange.cli.completion import completion
from hashrange.cli.copy import copy
from hashrange.cli.dax import dax
from hashrange.cli.dump import dump
from hashrange.cli.encryption import decrypt, encrypt, rekey
from hashrange.cli.health import healthcheck
from hashrange.cli.insights import insights
from hashrange.cli.keys import keys
from hashrange.cli.load import load
from hashrange.cli.policies import policies
from hashrange.cli.refusals import MISUSED, line_of
from hashrange.cli.roles import roles
from hashrange.cli.serve import serve
from hashrange.cli.shell import shell
from hashrange.cli.simulate import simulate
from hashrange.cli.snapshot import snapshot
from hashrange.cli.top import top
from hashrange.cli.users import users
from hashrange.cli.verify import verify
from hashrange.cli.verify_engine import verify_engine
from hashrange.cli.worker import worker

_EXAMPLES: Final = """\
\b
Examples:
  hashrange serve                       tables in ./hashrange-data, port 8000
  hashrange serve --memory --port 0     tables in memory only, any free port
  hashrange -port 8000 -inMemory        the options of DynamoDB Local
  hashrange verify hashrange-data       check the data for inconsistencies
  hashrange verify-engine URL           test a database before you rely on it
  hashrange copy FROM TO                copy all tables
  hashrange dax --upstream URL          DAX's caches in front of another endpoint
  hashrange load TABLE FILE             put items of JSON lines or CSV into a table
  hashrange dump TABLE FILE             write the items of a table to a file
  hashrange backup DIRECTORY|URL TARGET back the data up, while the server runs; restore beside it
  hashrange snapshot save NAME          keep the state of a server under test; load goes back
  hashrange encrypt DIRECTORY           encrypt the data; decrypt and rekey beside it
  hashrange policies lint FILE          find statements of IAM policies that are too wide
  hashrange users create NAME           create a user with an access key
  hashrange audit query DIRECTORY       which principal did what, of the audit log
  hashrange simulate WORKLOAD.toml      simulate the throttling of a workload
  hashrange healthcheck                 check whether the server is ready
  hashrange top                         live view of the server
  hashrange insights TABLE              its most frequent keys
  hashrange shell                       PartiQL statements at a prompt
"""

_IMPORT_ALLOCATIONS: Final = 100_000
"""Imports leave no garbage: fewer collections save a tenth of the CPU of a server's start."""


@click.group(
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


for _command in (
    serve,
    shell,
    top,
    insights,
    verify,
    verify_engine,
    copy,
    dax,
    encrypt,
    decrypt,
    rekey,
    load,
    dump,
    backup,
    restore,
    snapshot,
    simulate,
    healthcheck,
    users,
    keys,
    roles,
    policies,
    audit,
    completion,
    worker,
):
    commands.add_command(_command)


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
    except click.Abort:
        code = MISUSED
    sys.exit(code)
