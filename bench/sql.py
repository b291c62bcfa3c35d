"""`python -m bench.sql`: how long an aggregate of `hashrange sql` over an export takes.

Items have some 250 bytes. The time has the start of the command, the check of the files, their load
into DuckDB and the types of the attributes.
"""

import gzip
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

_FILES: Final = 8
_STATEMENT: Final = (
    "SELECT status, count(*), sum(total), max(quantity) FROM orders GROUP BY ALL ORDER BY ALL"
)


@click.command()
@click.option("--items", default=1_000_000, show_default=True)
@click.option("--rounds", default=3, show_default=True, help="The best of them counts.")
def main(items: int, rounds: int) -> None:
    """Print the seconds of the command, and of CPU."""
    with tempfile.TemporaryDirectory() as folder:
        _make_export(Path(folder), items)
        runs = [_run(Path(folder)) for _ in range(rounds)]
    wall, cpu = min(runs, key=lambda run: run[1])
    cores = os.cpu_count()
    click.echo(f"{items:,} items: {wall:.1f} s, {cpu:.1f} s of CPU, {cores} cores")


def _run(folder: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "hashrange", "sql", _STATEMENT, "--from", str(folder)]
    before, begun = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - begun, os.times()
    used = after.children_user + after.children_system
    return seconds, used - before.children_user - before.children_system


def _make_export(folder: Path, items: int) -> None:
    (folder / "data").mkdir()
    listed = []
    for part in range(_FILES):
        numbers = range(part, items, _FILES)
        content = gzip.compress(b"".join(_lines(numbers)), 1)
        name = f"{part}.json.gz"
        (folder / "data" / name).write_bytes(content)
        md5 = hashlib.md5(content, usedforsecurity=False).digest()
        listed.append({"dataFileS3Key": f"data/{name}", "md5Checksum": b64encode(md5).decode()})
    summary = {
        "tableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders",
        "itemCount": items,
        "exportTime": "2026-11-28T00:00:00Z",
        "outputFormat": "DYNAMODB_JSON",
    }
    (folder / "manifest-files.json").write_text("\n".join(map(json.dumps, listed)))
    (folder / "manifest-summary.json").write_text(json.dumps(summary))


def _lines(numbers: range) -> Iterator[bytes]:
    drawn = random.Random(numbers.start)
    for number in numbers:
        item = {
            "pk": {"S": f"customer#{number % 50_000:06}"},
            "sk": {"S": f"order#{number:08}"},
            "status": {"S": drawn.choice(("PAID", "OPEN", "SHIPPED"))},
            "total": {"N": f"{drawn.randrange(1, 100_000) / 100}"},
            "quantity": {"N": str(drawn.randrange(1, 9))},
            "city": {"S": drawn.choice(("Rome", "Oslo", "Paris"))},
            "note": {"S": f"{number:0100}"},
            "created": {"N": str(1_700_000_000 + number)},
            "paid": {"BOOL": True},
        }
        yield json.dumps({"Item": item}, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    main()
