"""The statements avoid features that poolers, services and relatives of PostgreSQL may lack."""

import re
from pathlib import Path

import pytest

from hashrange.storage import postgres
from hashrange.storage.postgres.statements import PARTS

MODULES = sorted(Path(postgres.__file__).parent.glob("*.py"))
# Where sessions cannot be read, leases are waited for: see docs/internals/adr/0033.
MAY_BE_MISSING = {"session.py": {"pg_stat"}}

# docs/internals/adr/0004 says of each why.
BANNED = re.compile(
    r"advisory|\bLISTEN\b|\bNOTIFY\b|\bxmin\b|\bctid\b|\bCOPY\b|\bTEMP\b|UNLOGGED|TRIGGER"
    r"|\bFUNCTION\b|PLPGSQL|\bDO \$|\bMERGE\b|int8send|cardinality|fillfactor|SET STORAGE|TRUNCATE"
    r"|SERIALIZABLE|SAVEPOINT|\bBEGIN\b|pg_stat|toast"
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_features_that_are_avoided_are_not_used(path):
    found = set(BANNED.findall(path.read_text("utf-8")))
    assert found <= MAY_BE_MISSING.get(path.name, set())


# A text is prepared once for each connection: the parts make it, never the values.
def test_statements_hold_no_values():
    for types, text in PARTS.values():
        assert set(types) <= {"bytea", "int2", "int8"}
        assert "'" not in re.sub(r"'(versions|0|hex)'", "", text)
