"""What the models of botocore declare, as facts; `make models` prints what a newer botocore adds.

Facts are operations, their errors, members of requests and answers, and values of enums.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import botocore
from botocore.loaders import Loader

MODELS: Final = ("dynamodb", "dynamodbstreams", "dax", "application-autoscaling")
"""The services, by their names in botocore."""
_HELP: Final = """\
make models [ARGS=FOLDER]: print what a newer botocore adds to the models that the tests know.

FOLDER is that of a botocore package; without it the newest is installed into a temporary folder.
"""


@cache
def model_of(service: str, package: Path | None = None) -> Mapping[str, Any]:
    """The model of a service, in the installed botocore or in that of a folder."""
    if package is None:
        return Loader().load_service_model(service, "service-2")
    paths = [str(package / "data")]
    loader = Loader(extra_search_paths=paths, include_default_search_paths=False)
    return loader.load_service_model(service, "service-2")


def reached(model: Mapping[str, Any], *parts: str) -> set[str]:
    """The shapes of the operations' parts: `input`, `output`."""
    operations = model["operations"].values()
    found: set[str] = set()
    rest = [each[part]["shape"] for each in operations for part in parts if part in each]
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            shape = model["shapes"][name]
            inner = [*shape.get("members", {}).values()]
            inner += [shape[part] for part in ("member", "key", "value") if part in shape]
            rest += [each["shape"] for each in inner]
    return found


def errors_of(model: Mapping[str, Any]) -> set[str]:
    """The errors that operations declare, by their codes."""
    shapes = model["shapes"]
    declared = {
        each["shape"] for row in model["operations"].values() for each in row.get("errors", ())
    }
    return {shapes[name].get("error", {}).get("code", name) for name in declared}


def enums_of(model: Mapping[str, Any]) -> Mapping[str, list[str]]:
    """The values of the enums of requests and answers."""
    shapes = model["shapes"]
    names = sorted(reached(model, "input", "output"))
    return {name: shapes[name]["enum"] for name in names if shapes[name].get("enum")}


def facts_of(model: Mapping[str, Any]) -> Iterator[str]:
    """Each fact of a model as a line."""
    shapes = model["shapes"]
    for name, row in model["operations"].items():
        yield f"operation {name}"
        yield from (f"error {each['shape']} of {name}" for each in row.get("errors", ()))
    for side, part in (("requests", "input"), ("answers", "output")):
        for name in reached(model, part):
            for member in shapes[name].get("members", {}):
                yield f"member {name}.{member} of {side}"
    for name, values in enums_of(model).items():
        yield from (f"value {name} {value}" for value in values)


def added(package: Path) -> list[str]:
    """What the models of a folder have beyond the installed ones, as lines."""
    return [
        f"{service}: {fact}"
        for service in MODELS
        for fact in sorted({*facts_of(model_of(service, package))} - {*facts_of(model_of(service))})
    ]


def main(arguments: list[str]) -> None:
    """Print what another botocore adds."""
    match arguments:
        case []:
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
                subprocess.run([*command, "--target", folder, "botocore"], check=True)
                _print(Path(folder) / "botocore")
        case [folder] if (Path(folder) / "data").is_dir():
            _print(Path(folder))
        case _:
            sys.exit(_HELP)


def _print(package: Path) -> None:
    """Print what the botocore of a folder adds."""
    versions = [
        line.partition("=")[2].strip(" '\"\n")
        for line in (package / "__init__.py").read_text("utf-8").splitlines()
        if line.startswith("__version__")
    ]
    lines = added(package)
    heading = f"botocore {versions[0]}, beyond {botocore.__version__}:"
    sys.stdout.write("\n".join([heading, *(lines or ["nothing"])]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
