"""The records of an object: records that are items, and records that are refused."""


class Refused(Exception):  # noqa: N818 - not an error of the server; a record is refused
    """A record is no item of the table.

    Args:
        text: the reason, for the log of errors.
        ends_object: nothing more can be read of its object.
    """

    def __init__(self, text: str, *, ends_object: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.ends_object = ends_object
