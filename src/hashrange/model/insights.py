"""The setting of contributor insights of a table or index, as the catalog stores it."""

from typing import Final, Literal, TypeAlias

import msgspec

Mode: TypeAlias = Literal["ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"]
DEFAULT_MODE: Final[Mode] = "ACCESSED_AND_THROTTLED_KEYS"


class InsightsSetting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Contributor insights as they were last enabled or disabled.

    Attributes:
        mode: the keys that are counted; kept while insights are disabled.
        since_ms: when they were enabled, part of the names of the rules; None while disabled.
        changed_ms: when they were last enabled, disabled or given another mode.
    """

    mode: Mode
    since_ms: int | None = None
    changed_ms: int
