"""Tables that have changed since they were opened."""

from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.keys.system_keys import name_of_catalog_key
from hashrange.tables.opened.open_table import OpenTable


async def reopened(catalog: Catalog, opened: OpenTable) -> OpenTable | None:
    """The same table as the catalog has it now; None if it is gone. Raises StorageError."""
    found = await catalog.open(name_of_catalog_key(opened.catalog_key))
    return found if found is not None and found.number == opened.number else None
