"""Texts of `/testing/snapshots`, which DynamoDB does not have."""


def body_unreadable(reason: str) -> str:
    """The body of a request is not JSON, or has other members."""
    return f'{reason}; the body is JSON like {{"save": "NAME"}}, {{"load": …}} or {{"delete": …}}'


def storage_failed(reason: str) -> str:
    """The storage failed; a load was done as a whole or not at all."""
    return f"The storage failed: {reason}"


def writer_gone() -> str:
    """The process that saves and loads has ended, or is being replaced."""
    return "The writer process is being replaced; whether the snapshot was loaded is not known"
