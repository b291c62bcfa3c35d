"""Whole copies between places in memory."""

import pytest

from hashrange.tools.copying.copy import Copy, CopyOptions, selected_tables
from hashrange.tools.copying.progress import Progress
from tests.unit.tools.copying.places import Told


async def no_pause(_seconds):
    pass


@pytest.fixture
def path(tmp_path):
    return tmp_path / "progress.json"


@pytest.fixture
def copied(path):
    async def copied(source, target, *, overwrite=False, parallel=2, watcher=None):
        copying = Copy(
            source,
            target,
            options=CopyOptions(names=(), overwrite=overwrite, parallel=parallel),
            progress=Progress.of(path, "from", "to"),
            watcher=watcher or Told(),
            pause=no_pause,
        )
        try:
            return await copying.run(await selected_tables(source, ()))
        except ExceptionGroup as group:
            error = group
            while isinstance(error, ExceptionGroup):
                error = error.exceptions[0]
            raise error from group

    return copied
