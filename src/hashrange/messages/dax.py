"""Texts of the DAX endpoint, our own: clients show them beside the codes of DAX."""

from hashrange.messages.text import Text

# The tree of an expression is not one of the protocol's. Our own.
expression_unreadable = Text("The request is not valid: an expression cannot be read")
# The bytes of an item are not those of its attribute list. Our own.
item_unreadable = Text("The request is not valid: an item cannot be read")
# A client knows an attribute list of other data. Our own.
attribute_list_unknown = Text("The attribute list {list_id} is not known here: the client has it from other data. Create the client again")
# Our own bound; attribute names that are values, such as times, need a list each.
attribute_lists_full = Text("There are {lists_max} attribute lists, which is the maximum: an item with other attribute names can be written with the API of DynamoDB only")
# A parameter is of another type than the protocol's. Our own.
parameter_unreadable = Text("The request is not valid: a parameter is of a wrong type")
# The protocol's clients do not send it. Our own.
method_unknown = Text("The method {method} is not supported")
# The connection has no valid signature; clients sign again. Our own.
authentication_required = Text("The connection is not authorized, or not any more")
# A defect or a failure of the storage. Our own; the log has the reason.
failed = Text("Internal server error")
# Clients of DAX cannot receive unprocessed puts. Our own.
batch_throttled = Text("Some of the writes of the batch were throttled for two seconds; others of them were written. Try the batch again")
