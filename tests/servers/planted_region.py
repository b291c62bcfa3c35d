"""The real server, but that a leader answers strong reads without asking whether it still is one.

`python -m tests.servers.planted_region serve ...` is `hashrange serve`.
"""

from hashrange.cli.commands import main
from hashrange.regions.consensus import reading

if __name__ == "__main__":
    reading.is_confirmed = lambda *_: True  # type: ignore[assignment]
    main()
