"""Optional packages: import them, or say how to install them."""

import importlib.util
import sys
from shlex import quote
from types import ModuleType


class MissingPackageError(Exception):
    """A package is not installed; the text contains the command to install it."""

    @property
    def without_command(self) -> str:
        """The text for callers of the API; the command names a path of the server."""
        return str(self).partition(":")[0]


def imported(module: str, requirement: str, purpose: str) -> ModuleType:
    """The module. Raises MissingPackageError if it is not installed.

    Args:
        module: the name of the module.
        requirement: the package as an argument of pip.
        purpose: the beginning of the error message, for example `Charts need matplotlib`.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        text = f"{purpose}, which is not installed: {install_command(requirement)}"
        raise MissingPackageError(text) from error


def install_command(requirement: str) -> str:
    """A command that installs a package into the environment of this process.

    hashrange is not on PyPI, so `pip install hashrange[extra]` would fail. Environments made by uv
    do not contain pip.
    """
    python = quote(sys.executable)
    if importlib.util.find_spec("pip") is None:
        return f"uv pip install --python {python} {quote(requirement)}"
    return f"{python} -m pip install {quote(requirement)}"


def reinstall_command(package: str) -> str:
    """A command that writes the files of an installed package again, without its dependencies."""
    python = quote(sys.executable)
    if importlib.util.find_spec("pip") is None:
        return f"uv pip install --python {python} --no-deps --reinstall {quote(package)}"
    return f"{python} -m pip install --no-deps --force-reinstall {quote(package)}"
