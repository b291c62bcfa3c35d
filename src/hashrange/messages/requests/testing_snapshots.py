"""Texts of `/testing/snapshots`, which DynamoDB does not have."""

from hashrange.messages.text import Text

# The body of a request is not JSON, or has other members.
body_unreadable = Text('{reason}; the body is JSON like {{"save": "NAME"}}, {{"load": …}} or {{"delete": …}}')
# The storage failed; a load was done as a whole or not at all.
storage_failed = Text("The storage failed: {reason}")
# The process that saves and loads has ended, or is being replaced.
writer_gone = Text("The writer process is being replaced; whether the snapshot was loaded is not known")
