"""`hashrange verify-engine URL`: tests whether a database meets the requirements of an engine."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import signal
from collections.abc import Callable, Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Final

import click

from hashrange.cli.refusals import REFUSED, Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.assembly.engines.trials.examination import Result
    from hashrange.assembly.engines.trials.subject import StopRequest

SECONDS_DEFAULT: Final = 20.0
SECONDS_MAX: Final = 86_400.0
_NAME: Final = "hashrange_trial_"
_NAME_BYTES: Final = 8
_REASON_CHARACTERS_MAX: Final = 600
"""A history without a serial order is long; its seed reproduces it."""


@click.command("verify-engine")
@click.argument("place", metavar="URL|DIRECTORY")
@click.option(
    "--seconds",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1, max=SECONDS_MAX),
    default=SECONDS_DEFAULT,
    show_default=True,
    help="Time for random histories and load; the other tests run until they are done.",
)
@click.pass_context
def verify_engine(context: click.Context, place: str, seconds: float) -> None:
    """Test whether a database is suitable.

    Tests each requirement by itself, then random histories against a model, then load from many
    clients of two servers on few keys. For databases that speak PostgreSQL's protocol and have not
    been tested before, and for a DIRECTORY on a file system that may be unreliable.

    Uses a schema (or a directory) of its own, hashrange_trial_…, which is dropped at the end. The
    exit code is 0 if all tests pass, 1 if one fails, 2 if the database cannot be opened.

    \b
    Examples:
      hashrange verify-engine postgresql://app@db.example/app
      hashrange verify-engine --seconds 600 postgresql://app@db.example/app?schema=other
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.assembly.engines.kinds import kind_of
    from hashrange.assembly.engines.trials.examination import examine
    from hashrange.assembly.engines.trials.subject import StopRequest, Subject
    from hashrange.clock import SystemClock
    from hashrange.storage.engine import StorageError, StorageOpenError, StorageUnavailableError

    try:
        kind = kind_of(place)
    except ValueError as error:
        raise Misuse(str(error)) from error
    clock = SystemClock()
    name = _NAME + clock.random_bytes(_NAME_BYTES).hex()
    stop = StopRequest()
    faults = 0
    try:
        with (
            _stopped_by_signals(stop),
            kind.on_trial(place, name) as opener,
            Subject(opener, stop=stop) as subject,
        ):
            click.echo(f"{kind.shown(place)}: testing in {name}, which is removed at the end")
            for result in examine(subject, budget(clock.monotonic_ns, seconds)):
                _show(result)
                faults += len(result.faults)
    except KeyboardInterrupt:
        raise Refusal("stopped; the trial schema was removed") from None
    except StorageUnavailableError as error:
        raise Refusal(f"{kind.shown(place)}: {error}") from error
    except (StorageOpenError, StorageError, OSError) as error:
        raise Misuse(str(error)) from error
    if faults:
        click.echo(f"{kind.shown(place)} does not meet the requirements: {faults} faults")
        context.exit(REFUSED)
    click.echo(f"{kind.shown(place)} meets the requirements")


def budget(now_ns: Callable[[], int], seconds: float) -> Callable[[float], Callable[[], bool]]:
    """Divide a time into shares.

    Returns:
        A function that takes a share, from 0 to 1, which begins now, and returns a function that
        says whether any of the share is left.
    """

    def share(part: float) -> Callable[[], bool]:
        end_ns = now_ns() + int(seconds * part * 1e9)
        return lambda: now_ns() < end_ns

    return share


def _show(result: "Result") -> None:
    verdict = "FAILS" if result.faults else "holds"
    click.echo(f"  {verdict}  {result.name:<20}{result.figures}")
    for fault in result.faults:
        reason = shorten(fault.reason, _REASON_CHARACTERS_MAX, placeholder=" …")
        click.echo(f"         {fault.sentence}\n           {reason}")


@contextlib.contextmanager
def _stopped_by_signals(stop: "StopRequest") -> Iterator[None]:
    """SIGINT and SIGTERM request the stop, also where a shell ignores SIGINT in its background."""
    before = {
        number: signal.signal(number, lambda *_: stop.make())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
