"""Texts that backups, exports, imports and the lists beside them share.

Source of all: measurements of the service by users, October 2026.
"""


def invalid_job_arn(kind: str) -> str:
    """An ARN that is not of a `Backup`, `Export` or `Import`."""
    return f"Invalid {kind} ARN"


def foreign_job() -> str:
    """AccessDeniedException: the ARN of a backup, export or import is another account's."""
    return "Access is denied"


def table_arn_invalid() -> str:
    """ListExports and ListImports with an ARN that is not of a table."""
    return "tableArn is not a valid ARN"


def next_token_invalid(token: str) -> str:
    """A NextToken that was never issued, of ListExports, ListImports and ListContributorInsights.

    For ListContributorInsights no record of the service exists.
    """
    return f"Invalid Request: Provided nextToken is invalid: {token}"
