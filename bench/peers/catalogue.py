"""The peers: versions, where they come from, and how they are started, on the loopback alone."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.peers import installing
from bench.peers.installing import MissingError, installed

CONSTANT: Final = "constant"
"""Our HTTP front end without a database: the limit of what it can reach."""
_CONSTANT_PROGRAM: Final = Path(__file__).resolve().parents[1] / "constant.py"
MOTO: Final = "5.2.5"
MINISTACK: Final = "1.5.33"
DYNALITE: Final = "4.0.0"
DYNOXIDE: Final = "3.2.0"
DYNAMODB_LOCAL: Final = "3.3.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """How a server is started; `folder` is where it may keep data."""

    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A server to measure.

    `keeps` says what becomes of a write: what is compared must be told with it. `start` is given
    a free port and an empty folder; it installs what is missing, and raises MissingError if it
    cannot.
    """

    name: str
    version: str
    keeps: str
    start: Callable[[int, Path], Started]


def _hashrange(*options: str) -> Callable[[int, Path], Started]:
    def start(port: int, folder: Path) -> Started:
        serve = [sys.executable, "-m", "hashrange", "serve"]
        told = subprocess.run([*serve, "--help"], capture_output=True, text=True, check=True)
        if unknown := [option for option in options[::2] if f"{option} " not in told.stdout]:
            raise MissingError(f"this build has no {unknown[0]}")
        kept = [] if "--memory" in options else ["--data", str(folder / "data")]
        quiet = ["--log-level", "warning"]
        return Started(command=[*serve, "--port", str(port), *quiet, *kept, *options])

    return start


def _constant(port: int, folder: Path) -> Started:
    del folder
    return Started(command=[sys.executable, str(_CONSTANT_PROGRAM), "--port", str(port)])


def _dynamodb_local(*, memory: bool) -> Callable[[int, Path], Started]:
    def start(port: int, folder: Path) -> Started:
        version = DYNAMODB_LOCAL
        needs = ("java", "javac", "mvn")
        place = installed("dynamodb-local", version, needs, installing.dynamodb_local(version))
        # It has no option for the address, and listens on all of them: Loopback.java sees to it.
        java = ["java", f"-Dsqlite4java.library.path={place / 'lib'}", "-cp", f"{place / 'lib'}/*"]
        kept = ["-inMemory"] if memory else ["-dbPath", str(folder)]
        options = ["-port", str(port), "-disableTelemetry", *kept]
        return Started(command=[*java, str(place / "Loopback.java"), *options])

    return start


def _dynalite(port: int, folder: Path) -> Started:
    del folder
    install = installing.from_npm(f"dynalite@{DYNALITE}")
    place = installed("dynalite", DYNALITE, ("node", "npm"), install)
    program = place / "node_modules" / "dynalite" / "cli.js"
    quick = ["--createTableMs", "0", "--deleteTableMs", "0"]
    address = ["--host", "127.0.0.1", "--port", str(port)]
    return Started(command=["node", str(program), *address, *quick])


def _moto(port: int, folder: Path) -> Started:
    del folder
    place = installed("moto", MOTO, (), installing.from_pypi(f"moto[server]=={MOTO}"))
    server = str(place / "bin" / "moto_server")
    return Started(command=[server, "-H", "127.0.0.1", "-p", str(port)])


def _ministack(port: int, folder: Path) -> Started:
    install = installing.from_pypi(f"ministack=={MINISTACK}")
    place = installed("ministack", MINISTACK, (), install)
    environment = {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "LOG_LEVEL": "ERROR",
        "TMPDIR": str(folder),
    }
    return Started(command=[str(place / "bin" / "ministack")], environment=environment)


def _dynoxide(*, memory: bool) -> Callable[[int, Path], Started]:
    def start(port: int, folder: Path) -> Started:
        features = ("native-sqlite", "http-server", "cli")
        install = installing.from_crates("dynoxide-rs", DYNOXIDE, *features)
        place = installed("dynoxide", DYNOXIDE, ("cargo",), install)
        kept = [] if memory else ["--db-path", str(folder / "dynoxide.db")]
        program = str(place / "bin" / "dynoxide")
        options = ["--host", "127.0.0.1", "--port", str(port), "--log", "quiet", *kept]
        return Started(command=[program, *options])

    return start


def peers(own_version: str) -> tuple[Peer, ...]:
    """All, ours first."""
    disk, memory = "on disk before the answer", "in memory"
    return (
        Peer(name="hashrange", version=own_version, keeps=disk, start=_hashrange()),
        Peer(
            name="hashrange, memory",
            version=own_version,
            keeps=memory,
            start=_hashrange("--memory"),
        ),
        Peer(
            name="hashrange, 2 workers",
            version=own_version,
            keeps=disk,
            start=_hashrange("--workers", "2"),
        ),
        Peer(name=CONSTANT, version=own_version, keeps="nothing", start=_constant),
        Peer(
            name="Dynoxide",
            version=DYNOXIDE,
            keeps=memory,
            start=_dynoxide(memory=True),
        ),
        Peer(
            name="Dynoxide, disk",
            version=DYNOXIDE,
            keeps="in SQLite",
            start=_dynoxide(memory=False),
        ),
        Peer(
            name="DynamoDB Local",
            version=DYNAMODB_LOCAL,
            keeps=memory,
            start=_dynamodb_local(memory=True),
        ),
        Peer(
            name="DynamoDB Local, disk",
            version=DYNAMODB_LOCAL,
            keeps="in SQLite",
            start=_dynamodb_local(memory=False),
        ),
        Peer(name="dynalite", version=DYNALITE, keeps=memory, start=_dynalite),
        Peer(name="moto", version=MOTO, keeps=memory, start=_moto),
        Peer(name="MiniStack", version=MINISTACK, keeps=memory, start=_ministack),
    )
