"""Texts of `hashrange dax` about its upstream, the endpoint behind the caches. Our own."""

from hashrange.messages.text import Text

# No connection could be made: the request was not sent. InternalServerError.
unreachable = Text("The upstream {url} cannot be reached: {reason}")
# The request was sent: a write may have been made. InternalServerError.
no_answer = Text("The upstream {url} has not answered: {reason}. A write may have been made")
# The answer is none of the API's. InternalServerError.
not_dynamodb = Text("The upstream {url} does not speak DynamoDB: it answers {status}")
# DescribeTable of the upstream does not have the key of a table. InternalServerError.
undescribed = Text("The upstream does not describe the key of the table {table}")
# The upstream does not accept the keys of this endpoint. AccessDeniedException.
refused_credentials = Text("The upstream does not accept the credentials of this endpoint: {text}")
# The upstream has refused with a code that operations on items do not have.
unknown_refusal = Text("{code}: {text}")
# The queue for connections to the upstream is full. ThrottlingException.
too_many_waiting = Text("Too many requests wait for the upstream")
