"""Pages of which a server makes one a second, and answers further requests with copies."""

import time
import urllib.request

from tests.pace import SECONDS_MAX, until

COPY_SECONDS = 1.0


def read(url: str) -> str:
    """The page, perhaps a copy that is up to a second old."""
    with urllib.request.urlopen(url, timeout=SECONDS_MAX) as response:
        text: str = response.read().decode()
    return text


def fresh(url: str) -> str:
    """The page as it is now: another one than a first look shows, which counts itself."""
    before, ends = read(url), time.monotonic() + COPY_SECONDS

    def another() -> str | None:
        is_new = time.monotonic() > ends
        text = read(url)
        return text if is_new or text != before else None

    return until(another)
