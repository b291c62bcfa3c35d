"""The peers as servers that run, all at once; each is idle but while it is loaded."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench import rows, server
from bench.asking import RefusedError, asker
from bench.peers.catalogue import CONSTANT, Peer
from bench.peers.installing import MissingError

TEXT_MAX: Final = 160

Row = dict[str, Any]
"""One line of the results, as it stands in the file."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A peer that runs.

    `folder` is for what its loads need; `about` is what will be told of it, with its rows.
    """

    peer: Peer
    server: server.Server
    folder: Path
    about: Row

    @property
    def is_database(self) -> bool:
        """Whether its answers can be right or wrong."""
        return self.peer.name != CONSTANT


def begun(peer: Peer, folder: Path, stack: ExitStack, tell: Tell) -> Subject | Row:
    """Install a peer, start it until the stack is closed and fill it; or say why that failed."""
    about = {"peer": peer.name, "version": peer.version, "keeps": peer.keeps, "rows": []}
    folder.mkdir()
    try:
        port = server.free_port()
        started = peer.start(port, folder)
        log = folder / "output"
        running = stack.enter_context(
            server.running(started.command, port, log, started.environment)
        )
        idle_mb = server.memory_mb(running.pid)
        about |= {"start_ms": running.start_ms, "idle_mb": idle_mb}
        subject = Subject(peer=peer, server=running, folder=folder, about=about)
        if subject.is_database:
            rows.prepare(asker(port))
    except (MissingError, RefusedError, AssertionError, RuntimeError, OSError) as error:
        text = " ".join(str(error).split())[:TEXT_MAX]
        tell(f"{peer.name}: left out: {text}")
        return {**about, "left_out": text}
    memory = "?" if idle_mb is None else f"{idle_mb:,.0f} MB"
    tell(
        f"{peer.name} {peer.version}, {peer.keeps}: first answer after {running.start_ms:,.0f} ms, "
        f"idle {memory}"
    )
    return subject
