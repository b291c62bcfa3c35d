"""`hashrange worker`: a reader or the writer; only the supervisor starts it."""

# ruff: noqa: PLC0415 - what the command needs is imported when it runs
import click


@click.command(hidden=True)
@click.argument("role")
@click.argument("descriptors")
def worker(role: str, descriptors: str) -> None:
    """Run as a process of a server; `hashrange serve --workers` starts it."""
    from hashrange.assembly.workers import process
    from hashrange.assembly.workers.control import Role
    from hashrange.server.loop import run

    control, channel, lock, commits, offset = map(int, descriptors.split(","))
    inherited = process.Inherited(
        control=control, channel=channel, lock=lock, commits=commits, offset=offset
    )
    run(process.run(Role(role), inherited))
