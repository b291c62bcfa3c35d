"""Texts about resources that this server never has: backups, exports, global tables.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""


def invalid_job_arn(kind: str) -> str:
    """An ARN that is not of a `Backup`, `Export` or `Import`."""
    return f"Invalid {kind} ARN"


def import_not_found(arn: str) -> str:
    """ImportNotFoundException; the text by analogy with exports."""
    return f"Import not found: Import not found: {arn}"


def table_arn_invalid() -> str:
    """ListExports and ListImports with an ARN that is not of a table."""
    return "tableArn is not a valid ARN"


def next_token_invalid(token: str) -> str:
    """A NextToken that was never issued, of ListExports and ListImports."""
    return f"Invalid Request: Provided nextToken is invalid: {token}"


def global_table_version() -> str:
    """CreateGlobalTable and UpdateGlobalTable."""
    return (
        "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is "
        "not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of "
        "version 2017.11.29 (Legacy)."
    )


def no_replica_updates() -> str:
    """UpdateGlobalTable without replicas."""
    return "One or more parameter values were invalid"


def global_table_not_found(name: str) -> str:
    """GlobalTableNotFoundException of DescribeGlobalTableSettings and its update."""
    return f"Global table with name: '{name}' does not exist."


def described_global_table_not_found(name: str) -> str:
    """GlobalTableNotFoundException of DescribeGlobalTable."""
    return f"Global table not found: {global_table_not_found(name)}"
