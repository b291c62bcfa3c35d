"""A preloaded library that makes each sync of a server slower, or lets syncs hang."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SOURCE: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Waits while there is a fifo at the path of the gate, until somebody opens it to write. */
static void slowed(void) {
    const char *us = getenv("SLOW_SYNC_US"), *gate = getenv("SLOW_SYNC_GATE");
    if (us) usleep((useconds_t) atoi(us));
    if (gate) {
        int fd = open(gate, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) close(fd);
    }
}

#define SLOW(name) \\
    int name(int fd) { \\
        static int (*real)(int); \\
        if (!real) real = (int (*)(int)) dlsym(RTLD_NEXT, #name); \\
        slowed(); \\
        return real(fd); \\
    }
SLOW(fsync)
SLOW(fdatasync)
"""


class SlowSyncs:
    """The compiled library, and a gate that holds up syncs while it is shut.

    Args:
        folder: where both are. Raises SystemExit if there is no C compiler.
    """

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            raise SystemExit(
                "a slow disk needs a C compiler: there is no cc (on Debian: apt install gcc)"
            )
        self._library = folder / "slow-syncs.so"
        self._gate = folder / "gate"
        command = [compiler, "-shared", "-fPIC", "-o", str(self._library), "-x", "c", "-", "-ldl"]
        subprocess.run(command, input=_SOURCE, text=True, check=True)

    def environment(self, sync_ms: float) -> dict[str, str]:
        """The variables of a server each of whose syncs takes so much longer; for 0 none."""
        if not sync_ms:
            return {}
        return {
            "LD_PRELOAD": str(self._library),
            "SLOW_SYNC_US": str(round(sync_ms * 1000)),
            "SLOW_SYNC_GATE": str(self._gate),
        }

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Syncs that begin within the context end only after it."""
        os.mkfifo(self._gate)
        try:
            yield
        finally:
            opened = os.open(self._gate, os.O_RDWR | os.O_NONBLOCK)
            self._gate.unlink()
            os.close(opened)
