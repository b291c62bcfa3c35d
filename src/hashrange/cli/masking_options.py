"""The options --mask and --mask-key."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.refusals import Misuse
from hashrange.settings.texts import MASK_KEY_VARIABLE, mask_key

if TYPE_CHECKING:
    from msgspec import Raw

    from hashrange.clock import Clock
    from hashrange.tools.scanning.masking import Masker, Masking

_FILE: Final = "~/.hashrange_mask_key"
_KEY_BYTES: Final = 32


def mask_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --mask and --mask-key, which `masking_of` reads."""
    command = click.option(
        "--mask-key",
        metavar="TEXT",
        help=f"Key of the masks  [default: {MASK_KEY_VARIABLE}, or a random one kept in {_FILE}]",
    )(command)
    return click.option(
        "--mask",
        metavar="ATTRIBUTE=hash|fake|drop",
        multiple=True,
        help="Replace the values of an attribute, or of a path like address.street; repeatable.",
    )(command)


def masking_of(options: dict[str, Any], clock: "Clock | None" = None) -> "Masking":
    """The rules of --mask and their key, which are taken out of the options.

    Raises InputError, Misuse.
    """
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.masking import Masking, rules_of

    rules = rules_of(options.pop("mask"))
    given: str | None = options.pop("mask_key") or mask_key()
    if all(rule.method == "drop" for rule in rules):
        return Masking(rules)
    key = given.encode() if given else _kept_key(Path(_FILE).expanduser(), clock or SystemClock())
    return Masking(rules, key)


class TableMasks:
    """The masks of several tables, of which each needs its own.

    Args:
        masking: rules and key.

    Attributes:
        fingerprint: of rules and key; None without rules.
        altering: makes the mask of a table with these key attributes; None without rules.
    """

    def __init__(self, masking: "Masking") -> None:
        self.fingerprint = masking.fingerprint
        self.altering = self._altering if masking.rules else None
        self._masking = masking
        self._maskers: list[Masker] = []

    def _altering(self, key_names: Sequence[str]) -> "Callable[[bytes | Raw], bytes] | None":
        masker = self._masking.masker(key_names)
        if masker is None:
            return None
        self._maskers.append(masker)
        return masker.masked

    @property
    def notes(self) -> list[str]:
        """Lines about the paths that no item of any table had."""
        if not self._maskers:
            return []
        missing = set.intersection(*(set(each.unmatched) for each in self._maskers))
        return [f"Note: no item has {path}, which --mask names" for path in sorted(missing)]


def _kept_key(path: Path, clock: "Clock") -> bytes:
    """The key in the file, which is made with a random one. Raises Misuse."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        try:
            return bytes.fromhex(path.read_text(encoding="ascii"))
        except FileNotFoundError:
            key = clock.random_bytes(_KEY_BYTES)
            with os.fdopen(os.open(path, flags, 0o600), "w", encoding="ascii") as file:
                file.write(key.hex())
            return key
    except (OSError, ValueError) as error:
        raise Misuse(f"--mask: cannot keep a key in {path}: {error}; give --mask-key") from error
