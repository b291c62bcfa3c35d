from hashrange.storage.engine import KEY_BYTES_MAX
from hashrange.tables.keys import keyspace, system_keys
from hashrange.tables.keys.keyspace import longest_key_bytes


# An engine refuses longer keys, and a write trusts that what it finds is within the bound.
def test_the_longest_key_is_within_the_bound_of_engines():
    assert longest_key_bytes() == 4_653
    assert longest_key_bytes() <= KEY_BYTES_MAX


# A value of each type that is as long as a sort key may be; bytes are as long as text.
def test_no_other_key_of_an_item_is_longer():
    longest = {"B": "eHh4" * 341 + "eA=="}
    for value in (longest, {"S": "x" * 1024}, {"N": "-" + "9" * 38}):
        prefix = keyspace.index_partition_prefix(2**32 - 2, 2**32 - 1, [value] * 4, [value] * 4)
        assert len(keyspace.index_entry_key(prefix, [value, value])) <= longest_key_bytes()
        assert len(keyspace.item_key(1, value, value)) <= longest_key_bytes()


def test_names_of_system_rows_are_shorter():
    name = ":".join(["9" * 255, "r" * 255, "t" * 255])
    for key in (
        system_keys.catalog_key(name),
        system_keys.token_key(1, name),
        system_keys.trigger_begun_key("t" * 255, name),
    ):
        assert len(key) < longest_key_bytes()
