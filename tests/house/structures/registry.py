"""The services whose structures are generated: a module of this package has the row of each."""

import importlib
import pkgutil
from typing import Final

from tests.house import structures
from tests.house.structures.service import Service


def _rows() -> tuple[Service, ...]:
    found = pkgutil.iter_modules(structures.__path__, "tests.house.structures.")
    modules = [importlib.import_module(each.name) for each in found if each.name != __name__]
    values = [value for module in modules for value in vars(module).values()]
    return tuple({each.module: each for each in values if isinstance(each, Service)}.values())


SERVICES: Final[tuple[Service, ...]] = _rows()
