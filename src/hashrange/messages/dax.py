"""Texts of the DAX endpoint, our own: clients show them beside the codes of DAX."""


def expression_unreadable() -> str:
    """The tree of an expression is not one of the protocol's. Our own."""
    return "The request is not valid: an expression cannot be read"


def item_unreadable() -> str:
    """The bytes of an item are not those of its attribute list. Our own."""
    return "The request is not valid: an item cannot be read"


def attribute_list_unknown(list_id: int) -> str:
    """A client knows an attribute list of other data. Our own."""
    return (
        f"The attribute list {list_id} is not known here: the client has it from other data. "
        "Create the client again"
    )


def attribute_lists_full(lists_max: int) -> str:
    """Our own bound; attribute names that are values, such as times, need a list each."""
    return (
        f"There are {lists_max} attribute lists, which is the maximum: an item with other "
        "attribute names can be written with the API of DynamoDB only"
    )


def parameter_unreadable() -> str:
    """A parameter is of another type than the protocol's. Our own."""
    return "The request is not valid: a parameter is of a wrong type"


def method_unknown(method: int) -> str:
    """The protocol's clients do not send it. Our own."""
    return f"The method {method} is not supported"


def authentication_required() -> str:
    """The connection has no valid signature; clients sign again. Our own."""
    return "The connection is not authorized, or not any more"


def failed() -> str:
    """A defect or a failure of the storage. Our own; the log has the reason."""
    return "Internal server error"


def batch_throttled() -> str:
    """Clients of DAX cannot be told of unprocessed puts. Our own."""
    return (
        "Some of the writes of the batch were throttled for two seconds; others of them were "
        "written. Try the batch again"
    )
