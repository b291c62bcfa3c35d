"""Controls for tests of a server that was started with `--testing`."""

import msgspec

from hashrange.server.testing_clock import Move
from hashrange.server.testing_snapshots import Perform


class Controls(msgspec.Struct, frozen=True):
    """Moves the clock of all processes of the server; saves and loads its snapshots."""

    move: Move
    states: Perform
