"""Clean environments: a distribution is installed in one, and its server is used."""

import json
import shutil
import subprocess
from pathlib import Path
from urllib.request import urlopen

import boto3

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_COMPONENTS = """
import json, re
from importlib.metadata import distributions
found = {}
for each in distributions():
    name, licence = each.metadata["Name"], each.metadata.get("License-Expression")
    purl = f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{each.version}"
    found[purl] = {"type": "library", "name": name, "version": each.version, "purl": purl}
    if licence:
        found[purl]["licenses"] = [{"expression": licence}]
print(json.dumps([found[purl] for purl in sorted(found)]))
"""


def interpreters() -> dict[str, str]:
    """The Pythons of this machine that hashrange supports: version → program.

    A program of a version manager may be there and end with an error.
    """
    found = {version: shutil.which(f"python{version}") for version in VERSIONS}
    return {version: program for version, program in found.items() if program and _runs(program)}


def _runs(program: str) -> bool:
    return subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0


def installed(python: str, distribution: Path, target: Path) -> Path:
    """A distribution in an environment of its own; the folder of its programs."""
    subprocess.run([python, "-m", "venv", target], check=True)
    pip = [target / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, distribution], check=True)
    return target / "bin"


def bill_of_materials(programs: Path, version: str) -> str:
    """What is installed beside the package, as CycloneDX 1.5 in JSON."""
    printed = subprocess.run(
        [programs / "python", "-c", _COMPONENTS], check=True, capture_output=True, text=True
    )
    others = ("hashrange", "pip", "setuptools")
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "hashrange",
                "version": version,
                "purl": f"pkg:pypi/hashrange@{version}",
            }
        },
        "components": [each for each in json.loads(printed.stdout) if each["name"] not in others],
    }
    return json.dumps(document, indent=2) + "\n"


def answers(command: list[str | Path], directory: Path) -> list[str]:
    """What a server in memory answers: the names of its tables, and the head of its console."""
    process = subprocess.Popen(
        [*command, "serve", "--memory", "--port", "0"],
        cwd=directory,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            line = next(line for line in process.stdout or () if "listens on" in line)
            endpoint = line.split()[-1]
            client = boto3.client(
                "dynamodb",
                endpoint_url=endpoint,
                region_name="us-east-1",
                aws_access_key_id="local",
                aws_secret_access_key="local",
            )
            client.create_table(
                TableName="albums",
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )
            with urlopen(f"{endpoint}/_console/") as page:
                title = page.read().decode().partition("<title>")[2].partition("</title>")[0]
            return [*client.list_tables()["TableNames"], title]
        finally:
            process.terminate()
