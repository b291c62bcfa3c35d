"""Texts of `hashrange dax` about its upstream, the endpoint behind the caches. Our own."""


def unreachable(url: str, reason: str) -> str:
    """No connection could be made: the request was not sent. InternalServerError."""
    return f"The upstream {url} cannot be reached: {reason}"


def no_answer(url: str, reason: str) -> str:
    """The request was sent: a write may have been made. InternalServerError."""
    return f"The upstream {url} has not answered: {reason}. A write may have been made"


def not_dynamodb(url: str, status: int) -> str:
    """The answer is none of the API's. InternalServerError."""
    return f"The upstream {url} does not speak DynamoDB: it answers {status}"


def undescribed(table: str) -> str:
    """DescribeTable of the upstream does not tell the key of a table. InternalServerError."""
    return f"The upstream does not describe the key of the table {table}"


def refused_credentials(text: str) -> str:
    """The upstream does not accept the keys of this endpoint. AccessDeniedException."""
    return f"The upstream does not accept the credentials of this endpoint: {text}"


def unknown_refusal(code: str, text: str) -> str:
    """The upstream has refused with a code that operations on items do not have."""
    return f"{code}: {text}"


def too_many_waiting() -> str:
    """The queue for connections to the upstream is full. ThrottlingException."""
    return "Too many requests wait for the upstream"
