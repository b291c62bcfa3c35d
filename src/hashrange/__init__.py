"""hashrange: a database server that speaks the Amazon DynamoDB API."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashrange.process import Server


def start(*, port: int = 0, memory: bool = True, **settings: object) -> "Server":
    """Start a server in a process of its own, and wait until it is reachable.

        with hashrange.start() as server:
            boto3.client("dynamodb", endpoint_url=server.endpoint, ...)

    It ends with the `with`, with `stop()`, and at the latest with this process, however that ends.
    Neither variables nor files of settings are read: it is what the arguments say.

    Args:
        port: 0 takes a free one.
        memory: keep the tables in memory only; else give `data`, a directory.
        settings: more of docs/settings.md, named as there, with underscores.

    Raises:
        TypeError: there is no such setting.
        hashrange.process.StartError: the server did not start; the text is the line that it wrote.
    """
    # What is imported where a server is started does not cost those who only look at the version.
    from hashrange.process import started  # noqa: PLC0415

    return started({"port": port, "memory": memory, **settings})
