"""The table of engines, and the engine of a place. A new engine is a row."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

from hashrange.assembly.engines.embedded import SQLITE
from hashrange.assembly.engines.kind import EngineKind, Opened
from hashrange.assembly.engines.postgres import POSTGRES, without_password
from hashrange.settings.settings import Settings

ENGINES: Final = (POSTGRES, SQLITE)


def kind_of(place: str) -> EngineKind:
    """The engine of a place: a directory or the URL of a database.

    `Settings.engine` is a place, too. Raises ValueError: no engine has URLs of this scheme.
    """
    for kind in ENGINES:
        if place.startswith(kind.schemes):
            return kind
    if "://" in place:
        schemes = " or ".join(f"{kind.schemes[0]}…" for kind in ENGINES if kind.schemes)
        raise ValueError(f"{without_password(place)} is neither a data directory nor {schemes}")
    return SQLITE


def shown(place: str) -> str:
    """A place as it may be printed; that of no engine, such as an endpoint, as it is."""
    try:
        return kind_of(place).shown(place)
    except ValueError:
        return place


def opened(
    settings: Settings, *, now_ms: Callable[[], int] | None = None
) -> AbstractAsyncContextManager[Opened]:
    """Open the engine of the settings, and close it at the end: see `EngineKind.opened`."""
    return kind_of(settings.engine).opened(settings, now_ms)
