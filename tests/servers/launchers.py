"""Ways of having several processes on the same tables; another one is a row."""

import uuid
from collections.abc import Callable
from pathlib import Path

from tests.engines.postgres_server import url_of
from tests.servers.fleet import Fleet


def _on_postgres(_directory: Path) -> Fleet:
    return Fleet(url_of(str(uuid.uuid4())), 2)


LAUNCHERS: dict[str, Callable[[Path], Fleet]] = {"two-servers-on-postgres": _on_postgres}
