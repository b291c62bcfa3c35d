"""`hashrange worker`: what a supervisor starts, and nobody else."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
import click


@click.command(hidden=True)
@click.argument("role")
@click.argument("descriptors")
def worker(role: str, descriptors: str) -> None:
    """Be one of the processes of a server; `hashrange serve --workers` starts them."""
    from hashrange.server.loop import run
    from hashrange.workers import process
    from hashrange.workers.control import Role

    control, handing, lock, commits, offset = map(int, descriptors.split(","))
    inherited = process.Inherited(
        control=control, handing=handing, lock=lock, commits=commits, offset=offset
    )
    run(process.run(Role(role), inherited))
