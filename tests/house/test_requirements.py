"""Tests run with the packages of the lock file; the licences of those of users allow their use."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.sources import ROOT

_LOCKED = [
    Requirement(line.rstrip("\\ "))
    for line in (ROOT / "requirements-dev.txt").read_text().splitlines()
    if "==" in line
]
_PINS = {
    canonicalize_name(each.name): next(iter(each.specifier)).version
    for each in _LOCKED
    if each.marker is None or each.marker.evaluate()
}
"""The versions for this Python: a package may have others for another one."""

_INSTALLED = {canonicalize_name(each.metadata["Name"]): each for each in distributions()}
_OWN = {"hashrange", "pip", "setuptools", "wheel"}

_PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|PSF|Python Software Foundation|MPL|ISC|Zlib)\b")
_NAMED_ELSEWHERE = {"apsw-sqlite3mc": "OSI Approved"}
"""Their metadata name no licence, and the file in the package does."""


def test_each_requirement_of_tests_is_locked():
    for text in distribution("hashrange").requires or []:
        wanted = Requirement(text)
        if wanted.marker is None or wanted.marker.evaluate({"extra": "dev"}):
            pin = _PINS[canonicalize_name(wanted.name)]
            assert wanted.specifier.contains(pin), f"run make lock: {wanted}"


def test_what_is_installed_is_locked():
    installed = {name: each.version for name, each in _INSTALLED.items() if name not in _OWN}
    assert {name: _PINS.get(name) for name in installed} == installed


def test_each_locked_package_has_hashes():
    text = (ROOT / "requirements-dev.txt").read_text()
    assert len(re.findall(r"^\S+==.*\\\n    --hash=sha256:", text, re.MULTILINE)) == len(_LOCKED)


@pytest.mark.parametrize("name", sorted(_NAMED_ELSEWHERE))
def test_exceptions_still_say_nothing_else(name):
    assert _licence(_INSTALLED[name]) == _NAMED_ELSEWHERE[name]


def test_users_get_packages_with_permissive_licences():
    unclear = {
        name: _licence(_INSTALLED[name])
        for name in sorted(_closure("hashrange", {"all"}))
        if name in _INSTALLED and not _PERMISSIVE.search(_licence(_INSTALLED[name]))
    }
    assert unclear == _NAMED_ELSEWHERE


def _closure(name: str, extras: set[str]) -> set[str]:
    """The packages that come with one, through all that they require."""
    found, left = set(), [(name, extras)]
    while left:
        this, its_extras = left.pop()
        for text in _INSTALLED[this].requires or [] if this in _INSTALLED else []:
            each = Requirement(text)
            wanted = {""} | its_extras
            if each.marker is None or any(each.marker.evaluate({"extra": one}) for one in wanted):
                key = canonicalize_name(each.name)
                if key not in found or each.extras:
                    found.add(key)
                    left.append((key, set(each.extras)))
    return found - {"hashrange"}


def _licence(package: Distribution) -> str:
    """What its metadata say, from the most exact field to the least."""
    return "; ".join(_licence_fields(package)) or "none"


def _licence_fields(package: Distribution) -> Iterator[str]:
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        yield expression
    if text := metadata.get("License"):
        yield text.partition("\n")[0]
    for classifier in metadata.get_all("Classifier", []):
        if classifier.startswith("License ::"):
            yield classifier.rpartition(" :: ")[2]
