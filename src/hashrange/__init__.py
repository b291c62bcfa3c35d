"""hashrange: a database server that speaks the Amazon DynamoDB API."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashrange.process import Server


def start(*, port: int = 0, memory: bool = True, **settings: object) -> "Server":
    """Start a server in a process of its own, and wait until it is reachable.

        with hashrange.start() as server:
            boto3.client("dynamodb", endpoint_url=server.endpoint, ...)

    The server ends with the `with`, with `stop()`, and at the latest with this process, however
    this process ends. Only the arguments count: no environment variables and no files of settings.

    Args:
        port: the TCP port; 0 takes a free port.
        memory: keep the tables in memory only; if False, give `data`, a directory.
        settings: names of docs/settings.md with underscores, and their values.

    Raises:
        TypeError: a name is not a setting.
        hashrange.process.StartError: the server did not start; the text is its last line.
    """
    # Importing hashrange for its version alone stays fast.
    from hashrange.process import started  # noqa: PLC0415

    return started({"port": port, "memory": memory, **settings})
