"""Search parsers, guided by coverage: python -m tests.fuzz.guided --inputs 10000000.

Inputs that reach new code are kept in a folder, with a report of how many were tried: a search that
was ended goes on from there. An input that fails is kept as `failed-…`, and `--replay` repeats it.
The package atheris is needed.
"""

# ruff: noqa: PLC0415 - what is imported before atheris does not count what it reaches

import json
import subprocess
import sys
from pathlib import Path

import click

_PART = 100_000
"""Inputs between two notes of the report."""
_LIMITS = ("-max_len=4096", "-timeout=20", "-rss_limit_mb=2048")


def _search(name: str, folder: Path, inputs: int) -> None:
    """Try inputs, in a process that the library ends."""
    try:
        import atheris
    except ImportError:
        sys.exit("searches that are guided by coverage need a package: pip install atheris")
    with atheris.instrument_imports(include=["hashrange"]):
        from tests.fuzz.targets import TARGETS
    target, corpus = TARGETS[name], folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    bounds = (f"-runs={inputs}", f"-artifact_prefix={folder}/failed-", *_LIMITS)
    atheris.Setup([sys.argv[0], "-verbosity=0", *bounds, str(corpus)], target)
    atheris.Fuzz()


def _searched(names: list[str], folder: Path, inputs: int) -> bool:
    """Search the targets in turn, until so many inputs of each were tried; whether none failed."""
    noted = folder / "report.json"
    report: dict[str, int] = json.loads(noted.read_text()) if noted.exists() else {}
    is_clean = True
    for name in names:
        while (tried := report.get(name, 0)) < inputs:
            part = min(_PART, inputs - tried)
            child = [sys.executable, "-m", __spec__.name, "--target", name, "--part", str(part)]
            ended = subprocess.run([*child, "--folder", str(folder)], check=False)
            if ended.returncode:
                is_clean = False
                break
            report[name] = tried + part
            noted.write_text(json.dumps(report, indent=2))
        kept = len(list((folder / name / "corpus").glob("*")))
        failed = len(list((folder / name).glob("failed-*")))
        click.echo(f"{name:<18}{report.get(name, 0):>12,} inputs,{kept:>6} kept, {failed} failed")
    return is_clean


@click.command()
@click.option("--target", "names", multiple=True, help="Those to search; not set: all.")
@click.option("--inputs", default=10_000_000, help="Of all targets, with those of earlier runs.")
@click.option("--folder", default="build/fuzz", type=click.Path(path_type=Path))
@click.option("--replay", type=click.Path(path_type=Path, exists=True), help="An input to repeat.")
@click.option("--part", type=int, hidden=True)
def main(
    names: tuple[str, ...], inputs: int, folder: Path, replay: Path | None, part: int | None
) -> None:
    """Search parsers for inputs on which they fail."""
    if part is not None:
        _search(names[0], folder / names[0], part)
        return
    from tests.fuzz.targets import TARGETS

    if unknown := set(names) - TARGETS.keys():
        raise click.BadParameter(f"no targets: {unknown}; there are {', '.join(TARGETS)}")
    if replay is not None:
        if len(names) != 1:
            raise click.UsageError("--replay needs the --target of the input")
        TARGETS[names[0]](replay.read_bytes())
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.exit(not _searched(list(names or TARGETS), folder, inputs // len(TARGETS)))


if __name__ == "__main__":
    main()
