"""Texts of strong tables: global tables with MultiRegionConsistency set to STRONG.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from collections.abc import Sequence


def only_members() -> str:
    """Replicas or witnesses of a strong table beside another change."""
    return "Requests that modify replicas or witnesses must not also modify other fields"


def replica_count() -> str:
    """MultiRegionConsistency STRONG without two other members."""
    return "Unsupported replica count for global tables with MultiRegionConsistency set to STRONG."


def regions_not_supported(regions: Sequence[str]) -> str:
    """A member in a region that strong tables cannot have, or that this server does not have."""
    return (
        "Unsupported Region(s) specified for global tables with MultiRegionConsistency set to "
        f"STRONG: [{', '.join(regions)}]."
    )


def region_twice() -> str:
    """A witness in the region of a replica."""
    return "Cannot target multiple regions with the same action"


def local_witness() -> str:
    """A witness in the region of the request."""
    return (
        "Cannot add a witness in the same region as an existing replica when creating a global "
        "table with MultiRegionConsistency set to STRONG."
    )


def witness_without_strong() -> str:
    """A witness to create without MultiRegionConsistency STRONG."""
    return (
        "MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is "
        "present."
    )


def no_witness_action() -> str:
    """An update of a witness without Create or Delete. A text of this server."""
    return "There are no actions specified in the Global Table Witness Update of the request."


def only_create() -> str:
    """MultiRegionConsistency beside another action than Create."""
    return (
        "Only Replica Create actions are supported when MultiRegionConsistency parameter is "
        "provided."
    )


def existing_global_table() -> str:
    """MultiRegionConsistency for a table that has replicas."""
    return "MultiRegionConsistency parameter is unsupported on existing global table"


def no_more_replicas() -> str:
    """A replica to add to a strong table."""
    return "Cannot add replicas to a global table with strong MultiRegionConsistency"


def all_witnesses() -> str:
    """Replicas to delete without the witness."""
    return "Update table delete operation does not include all witnesses."


def not_witnesses(region: str) -> str:
    """A witness to delete that does not exist. The beginning is that of the text of replicas."""
    return (
        "Update global table operation failed because one or more witnesses were not part of the "
        f"global table. Please retry the request without these witnesses: [{region}]."
    )


def only_one_replica() -> str:
    """One of three replicas to delete, by UpdateTable or DeleteTable."""
    return (
        "Deletion of only one table replica is not supported for global tables with "
        "MultiRegionConsistency set to STRONG."
    )


def not_empty() -> str:
    """A table with items is to become strong. A text of this server."""
    return _not_for_strong("The table must be empty")


def with_local_index() -> str:
    """A table with a local index is to become strong. A text of this server."""
    return _not_for_strong("Local secondary indexes are not supported")


def with_expiry() -> str:
    """A table with time to live is to become strong, or a strong one to have it.

    A text of this server.
    """
    return _not_for_strong("Time to Live is not supported")


def in_transaction() -> str:
    """A transaction on a strong table. A text of this server."""
    return (
        "Transactions are not supported for global tables with MultiRegionConsistency set to "
        "STRONG."
    )


def with_workers() -> str:
    """A table is to become strong on a server of several processes. A text of this server."""
    return "hashrange does not support strong tables on a server with --workers"


def _not_for_strong(what: str) -> str:
    return (
        f"One or more parameter values were invalid: {what} for global tables with "
        "MultiRegionConsistency set to STRONG"
    )
