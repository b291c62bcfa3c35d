"""Texts of strong tables: global tables with MultiRegionConsistency set to STRONG.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

# Replicas or witnesses of a strong table beside another change.
only_members = Text("Requests that modify replicas or witnesses must not also modify other fields")
# MultiRegionConsistency STRONG without two other members.
replica_count = Text("Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.")
# A member in a region that strong tables cannot have, or that this server does not have.
regions_not_supported = Text("Unsupported Region(s) specified for global tables with MultiRegionConsistency set to STRONG: [{regions}].")
# A witness in the region of a replica.
region_twice = Text("Cannot target multiple regions with the same action")
# A witness in the region of the request.
local_witness = Text("Cannot add a witness in the same region as an existing replica when creating a global table with MultiRegionConsistency set to STRONG.")
# A witness to create without MultiRegionConsistency STRONG.
witness_without_strong = Text("MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.")
# An update of a witness without Create or Delete. A text of this server.
no_witness_action = Text("There are no actions specified in the Global Table Witness Update of the request.")
# MultiRegionConsistency beside another action than Create.
only_create = Text("Only Replica Create actions are supported when MultiRegionConsistency parameter is provided.")
# MultiRegionConsistency for a table that has replicas.
existing_global_table = Text("MultiRegionConsistency parameter is unsupported on existing global table")
# A replica to add to a strong table.
no_more_replicas = Text("Cannot add replicas to a global table with strong MultiRegionConsistency")
# Replicas to delete without the witness.
all_witnesses = Text("Update table delete operation does not include all witnesses.")
# A witness to delete that does not exist. The beginning is that of the text of replicas.
not_witnesses = Text("Update global table operation failed because one or more witnesses were not part of the global table. Please retry the request without these witnesses: [{region}].")
# One of three replicas to delete, by UpdateTable or DeleteTable.
only_one_replica = Text("Deletion of only one table replica is not supported for global tables with MultiRegionConsistency set to STRONG.")


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


# A transaction on a strong table. A text of this server.
in_transaction = Text("Transactions are not supported for global tables with MultiRegionConsistency set to STRONG.")
# A table is to become strong on a server of several processes. A text of this server.
with_workers = Text("hashrange does not support strong tables on a server with --workers")


def _not_for_strong(what: str) -> str:
    return f"One or more parameter values were invalid: {what} for global tables with MultiRegionConsistency set to STRONG"
