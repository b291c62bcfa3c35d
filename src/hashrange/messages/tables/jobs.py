"""Texts that backups, exports, imports and the lists beside them share.

Source of all: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

# An ARN that is not of a `Backup`, `Export` or `Import`.
invalid_job_arn = Text("Invalid {kind} ARN")
# AccessDeniedException: the ARN of a backup, export or import is another account's.
foreign_job = Text("Access is denied")
# ListExports and ListImports with an ARN that is not of a table.
table_arn_invalid = Text("tableArn is not a valid ARN")
# A NextToken that was never issued, of ListExports, ListImports and ListContributorInsights. For
# ListContributorInsights no record of the service exists.
next_token_invalid = Text("Invalid Request: Provided nextToken is invalid: {token}")
