"""ExclusiveStartKey: where a page begins. It must be a key, but no item need have it."""

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.items import queries as messages
from hashrange.messages.items.keys import key_schema_mismatch
from hashrange.model.canonical import canonical_item
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.access_paths import AccessPath


def canonical_starting_key(key: Item | None, wording: Wording) -> Item | None:
    """The key with canonical values.

    Raises ValidationException for an invalid value; the older layer's text names the member.
    """
    if key is None:
        return None
    try:
        return canonical_item(key, wording).item
    except DynamoError as error:
        if wording is Wording.CURRENT:
            raise
        raise _refused(error) from error


def scan_starting_key(access_path: AccessPath, key: Item) -> bytes:
    """The engine key to start after, for a scan. Raises ValidationException."""
    if not key or (access_path.index is not None and set(access_path.key_names) - set(key)):
        # The text has no reason. Source: another emulator's tests, recorded from the service.
        raise invalid(messages.starting_key_invalid())
    try:
        if set(key) != set(access_path.key_names):
            raise invalid(key_schema_mismatch())
        found = access_path.position(key)
        if found is None:
            raise invalid(key_schema_mismatch())
    except DynamoError as error:
        raise _refused(error) from error
    return found


def _refused(error: DynamoError) -> DynamoError:
    if error.fault is not Fault.VALIDATION:
        return error
    return invalid(messages.starting_key_invalid(error.message), bare=error.bare)
