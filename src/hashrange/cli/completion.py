"""`hashrange completion SHELL`: prints a script for the completion of commands and options."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import Final

import click

SHELLS: Final = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for completion in SHELL.

    \b
    Once for the shell that is open, or in its start-up file:
      bash   eval "$(hashrange completion bash)"
      zsh    eval "$(hashrange completion zsh)"
      fish   hashrange completion fish | source
    """  # noqa: D301 - click reads \b as an escape
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    root = context.find_root().command
    # `source` would run bash to find out its version.
    completer = kind(root, {}, "hashrange", "_HASHRANGE_COMPLETE")
    click.echo(completer.source_template % completer.source_vars())
