"""Terraform makes users, roles, policies and auto scaling on a server that verifies signatures.

It is applied, a further plan finds nothing to change, and all is destroyed. `TERRAFORM_PLUGINS` is
a directory with a mirror of the provider, which is too large to be installed for tests.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.clients.programs import run_program
from tests.pace import seconds

PLUGINS = os.environ.get("TERRAFORM_PLUGINS", "")
CONFIGURATION = Path(__file__).parent / "terraform" / "access.tf"
SECONDS_MAX = seconds(120)
CLI = 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n'
SHOWN = ("-input=false", "-no-color")

pytestmark = [
    pytest.mark.skipif(not PLUGINS, reason="TERRAFORM_PLUGINS names no mirror of providers"),
    pytest.mark.timeout(5 * SECONDS_MAX),
]


@contextlib.contextmanager
def guarded(place):
    """A server with --auth required: its endpoint, and the keys of its administrator."""
    command = [sys.executable, "-m", "hashrange", "serve", "--port", "0", "--memory"]
    errors = place / "errors"
    with (
        errors.open("w") as log,
        subprocess.Popen(
            [*command, "--auth", "required"], stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            assert process.stdout is not None
            endpoint = re.search(r"http://[0-9.:]+\d", process.stdout.readline())
            yield endpoint[0], dict(re.findall(r"export (AWS_\w+)=(\S+)", errors.read_text()))
        finally:
            process.terminate()


def test_terraform_makes_users_roles_and_policies(tmp_path, environment):
    shutil.copy(CONFIGURATION, tmp_path)
    (tmp_path / "cli.tfrc").write_text(CLI % PLUGINS)
    with guarded(tmp_path) as (endpoint, keys):
        variables = {
            **environment,
            **keys,
            "TF_CLI_CONFIG_FILE": str(tmp_path / "cli.tfrc"),
            "TF_VAR_endpoint": endpoint,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

        def terraform(*arguments):
            done = run_program(["terraform", *arguments], variables, tmp_path, SECONDS_MAX)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
            return done.stdout

        terraform("init", *SHOWN)
        terraform("apply", "-auto-approve", *SHOWN)
        terraform("plan", "-detailed-exitcode", *SHOWN)
        app = boto3.client(
            "dynamodb",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id=terraform("output", "-raw", "key"),
            aws_secret_access_key=terraform("output", "-raw", "secret"),
        )
        item = {"tenant": {"S": "acme"}, "sk": {"S": "1"}}
        app.put_item(TableName="orders", Item=item)
        with pytest.raises(ClientError, match="AccessDenied"):
            app.put_item(TableName="orders", Item={**item, "tenant": {"S": "globex"}})
        terraform("destroy", "-auto-approve", *SHOWN)
