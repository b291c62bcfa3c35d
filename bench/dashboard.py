"""`python -m bench.dashboard`: the picture of the dashboard of examples/monitoring.

It runs a server under load and a Prometheus that scrapes it, asks Prometheus the queries of each
panel, and draws the answers in the places of the panels. Grafana itself does not run.
"""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode
from urllib.request import urlopen

import boto3
import click
from botocore.config import Config
from botocore.exceptions import ClientError

import hashrange

ROOT: Final = Path(__file__).parents[1]
_DASHBOARD: Final = ROOT / "examples" / "monitoring" / "dashboard.json"
_PICTURE: Final = ROOT / "docs" / "images" / "dashboard.png"
_SCRAPE_SECONDS: Final = 2
_RATE: Final = f"{4 * _SCRAPE_SECONDS}s"
"""Of `$__rate_interval`: four scrapes, as Grafana takes it."""
_COLUMNS: Final = 24
_LEGEND_MAX: Final = 6
_KEYS: Final = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}

Series: TypeAlias = tuple[str, Sequence[float], Sequence[float]]
"""A name, times and values."""


@contextlib.contextmanager
def _prometheus(program: str, target: str, folder: Path) -> Iterator[str]:
    """A Prometheus that scrapes a server; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    scrape = {
        "job_name": "hashrange",
        "scrape_interval": f"{_SCRAPE_SECONDS}s",
        "static_configs": [{"targets": [target]}],
    }
    (folder / "prometheus.yml").write_text(json.dumps({"scrape_configs": [scrape]}), "utf-8")
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'series'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=error",
    ]
    process = subprocess.Popen(command)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _tables(client: Any) -> None:
    for name, more in (
        ("orders", {"BillingMode": "PAY_PER_REQUEST"}),
        (
            "carts",
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            },
        ),
    ):
        client.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            **more,
        )


def _requests(client: Any, number: int) -> None:
    """Some requests, of which a few fail or are throttled; more of them in every other minute."""
    key = {"id": {"S": f"{number % 500}"}}
    for _ in range(3 if number // 600 % 2 else 1):
        client.put_item(TableName="orders", Item={**key, "note": {"S": "x" * (number % 700)}})
        client.get_item(TableName="orders", Key=key)
    with contextlib.suppress(ClientError):
        if number % 7 == 0:
            client.put_item(
                TableName="orders", Item=key, ConditionExpression="attribute_not_exists(id)"
            )
        client.put_item(TableName="carts", Item=key)
    if number % 20 == 0:
        client.query(
            TableName="orders",
            KeyConditionExpression="id = :id",
            ExpressionAttributeValues={":id": key["id"]},
        )


def _load(endpoint: str, seconds: int) -> None:
    config = Config(retries={"total_max_attempts": 1})
    client = boto3.client(
        "dynamodb", endpoint_url=endpoint, region_name="us-east-1", config=config, **_KEYS
    )
    _tables(client)
    number, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        _requests(client, number)
        number += 1
        time.sleep(0.05)


def _asked(url: str, path: str, **parameters: object) -> Any:
    with urlopen(f"{url}/api/v1/{path}?{urlencode(parameters)}") as answer:
        return json.load(answer)["data"]["result"]


def _expression(target: Mapping[str, Any]) -> str:
    text: str = target["expr"]
    return text.replace("$__rate_interval", _RATE).replace("$instance", ".*")


def _name(target: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    text: str = target.get("legendFormat") or " ".join(labels.values())
    for label, value in labels.items():
        text = text.replace(f"{{{{{label}}}}}", value)
    return text


def _series(url: str, panel: Mapping[str, Any], span: tuple[float, float]) -> list[Series]:
    found = []
    for target in panel["targets"]:
        start, end = span
        answer = _asked(
            *(url, "query_range"),
            query=_expression(target),
            start=start,
            end=end,
            step=_SCRAPE_SECONDS,
        )
        for each in answer:
            times, texts = zip(*each["values"], strict=True)
            found.append((_name(target, each["metric"]), times, [float(text) for text in texts]))
    return found


_SCALES: Final[Mapping[str, Sequence[tuple[float, str]]]] = {
    "bytes": ((1e9, " GB"), (1e6, " MB"), (1e3, " kB")),
    "Bps": ((1e6, " MB/s"), (1e3, " kB/s")),
    "percentunit": ((0.01, " %"),),
    "s": ((1.0, " s"), (0.001, " ms")),
    "reqps": ((1.0, "/s"),),
    "wps": ((1.0, "/s"),),
    "d": ((1.0, " days"),),
}
"""Grafana's units: what is divided by, and the word, the largest first."""


def _scale(unit: str, largest: float) -> tuple[float, str]:
    scales = _SCALES.get(unit, ((1.0, ""),))
    return next((each for each in scales if largest >= each[0]), scales[-1])


def _drawn(figure: Any, panel: Mapping[str, Any], series: Sequence[Series], rows: int) -> None:
    place, unit = panel["gridPos"], panel["fieldConfig"]["defaults"].get("unit", "short")
    divisor, word = _scale(unit, max((max(values) for _, _, values in series), default=0.0))
    left, width = place["x"] / _COLUMNS, place["w"] / _COLUMNS
    bottom, height = 1 - (place["y"] + place["h"]) / rows, place["h"] / rows
    is_chart = panel["type"] == "timeseries"
    inset = (0.036, 0.012) if is_chart else (0.004, 0.002)
    area = (left + inset[0], bottom + inset[1], width - inset[0] - 0.008, height - inset[1] - 0.012)
    axes = figure.add_axes(area)
    axes.set_title(panel["title"], loc="left", fontsize=8, fontweight="bold", pad=3)
    axes.tick_params(labelsize=6, length=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if not series or not is_chart:
        axes.set_axis_off()
        text = f"{series[0][2][-1] / divisor:,.3g}{word}" if series else "No data"
        axes.text(0.5, 0.45, text, ha="center", va="center", fontsize=14 if series else 9)
        return
    for name, times, values in series[:_LEGEND_MAX]:
        moments = [datetime.fromtimestamp(each, UTC) for each in times]
        axes.plot(moments, [each / divisor for each in values], label=name or "value", linewidth=1)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.25)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.4g}{word}")
    axes.xaxis.set_major_locator(_minutes())
    axes.xaxis.set_major_formatter(_clock())
    axes.legend(fontsize=5.5, loc="upper left", frameon=False, ncols=2)
    axes.grid(alpha=0.3, linewidth=0.5)


def _minutes() -> Any:
    from matplotlib.dates import MinuteLocator  # noqa: PLC0415 - an extra

    return MinuteLocator()


def _clock() -> Any:
    from matplotlib.dates import DateFormatter  # noqa: PLC0415 - an extra

    return DateFormatter("%H:%M")


def draw(url: str, span: tuple[float, float], path: Path) -> None:
    """Draw the panels of the dashboard with what Prometheus answers."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    panels = json.loads(_DASHBOARD.read_text("utf-8"))["panels"]
    rows = max(each["gridPos"]["y"] + each["gridPos"]["h"] for each in panels)
    figure = Figure(figsize=(13, rows * 0.29))
    for panel in panels:
        if panel["type"] == "row":
            at = 1 - (panel["gridPos"]["y"] + 0.7) / rows
            figure.text(0.004, at, panel["title"], fontsize=9, color="#555")
        else:
            _drawn(figure, panel, _series(url, panel, span), rows)
    figure.savefig(path, dpi=80)


@click.command()
@click.option("--seconds", default=300, show_default=True, help="Of load.")
@click.option("--prometheus", default="prometheus", show_default=True, help="The program.")
def main(seconds: int, prometheus: str) -> None:
    """Write docs/images/dashboard.png."""
    program = shutil.which(prometheus)
    if program is None:
        sys.exit(f"there is no program {prometheus}")
    with tempfile.TemporaryDirectory() as folder:
        backups = Path(folder) / "backups"
        backups.mkdir()
        server = hashrange.start(
            memory=False,
            data=str(Path(folder) / "data"),
            throttle="on",
            audit=str(Path(folder) / "audit"),
            backup_to=str(backups),
            backup_every="1m",
        )
        target = server.endpoint.removeprefix("http://")
        with (
            contextlib.closing(_Stopping(server)),
            _prometheus(program, target, Path(folder)) as url,
        ):
            began = time.time() + 4 * _SCRAPE_SECONDS
            _load(server.endpoint, seconds)
            draw(url, (began, time.time()), _PICTURE)


class _Stopping:
    def __init__(self, server: Any) -> None:
        self.close = server.stop


if __name__ == "__main__":
    main()
