"""Facts that tests know in advance, and what a test asks of them."""

from hashrange.bounded_cache import BoundedCache
from hashrange.dax.protocol.items import UnknownFactError
from hashrange.dax.protocol.keys import Schema


class KnownFacts:
    """Schemas by table, and attribute lists by their positions from 2 on; new lists are added."""

    scope = ""

    def __init__(self, schemas=None, lists=()):
        self.encoded = BoundedCache(entries_max=9, chars_max=999, entry_chars_max=99)
        self.schemas = schemas or {}
        self.lists = list(lists)

    def schema(self, table):
        return self.schemas.get(table)

    def names_of(self, list_id):
        if not 2 <= list_id < 2 + len(self.lists):
            raise UnknownFactError(list_id=list_id)
        return self.lists[list_id - 2]

    def list_id(self, names):
        if names not in self.lists:
            self.lists.append(names)
        return 2 + self.lists.index(names)


FLAT = Schema("pk", "S")
SORTED = Schema("pk", "S", "sk", "N")
FACTS = KnownFacts({"flat": FLAT, "sorted": SORTED}, [("n", "name")])
