"""Texts of contributor insights. Source: measurements of the service by users, October 2026."""

from hashrange.messages.text import Text

# ResourceNotFoundException: an index that is unknown, or local.
index_not_found = Text("Requested resource not found: Index: {index} not found for table: {table}")


def table_not_active() -> str:
    """UpdateContributorInsights of a table that is CREATING, or of one of its indexes."""
    return _invalid_state("TableStatus must be ACTIVE to enable ContributorInsights.")


def index_not_active() -> str:
    """UpdateContributorInsights of an index that is CREATING."""
    return _invalid_state("IndexStatus must be ACTIVE to enable ContributorInsights.")


def _invalid_state(reason: str) -> str:
    return f"Table or Index is not in a valid state to update Key Access Insights: {reason}"
