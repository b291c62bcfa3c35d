"""A server that verifies signatures and asks policies, and requests that it lets pass.

    python -m bench.signed --port 0

It has a user who may do everything, and one who may use items whose partition keys begin as it may.
"""

import argparse
import asyncio
import dataclasses
import json
import signal
import time
from collections.abc import Sequence
from typing import Final

from bench.asking import Sent, headers, target_header
from hashrange.access.identities.stored_credentials import Credential
from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from hashrange.access.signatures.signing import Credentials, signed_headers
from hashrange.assembly.assemble import running, tune_interpreter
from hashrange.errors import DynamoError, Fault
from hashrange.server.loop import run
from hashrange.settings.kinds import Auth
from hashrange.settings.settings import Settings

ADMINISTRATOR: Final = Credentials(
    access_key="AKIDBENCH",
    secret_key="the secret of the benchmark",
    session_token=None,
    region="us-east-1",
)
TENANT: Final = dataclasses.replace(ADMINISTRATOR, access_key="AKIDTENANT")
"""Of the user whose policy looks at keys; the other one is used unless these are named."""
TENANTS: Final = 5
EVERYTHING: Final = {"Effect": "Allow", "Action": "*", "Resource": "*"}
_OWN: Final = {
    "Effect": "Allow",
    "Action": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"],
    "Resource": "arn:aws:dynamodb:*:*:table/*",
    "Condition": {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": "${aws:PrincipalTag/tenant}-*"},
        "Null": {"dynamodb:LeadingKeys": "false"},
    },
}


class Users:
    """The credentials of some users.

    Args:
        others: keys and the statements of policies, beside those of the administrator.
    """

    epoch = 0

    def __init__(self, *others: tuple[Credentials, object]) -> None:
        self._credentials = {
            keys.access_key: Credential(
                keys.access_key, keys.secret_key, _subject(statement, keys.access_key)
            )
            for keys, statement in ((ADMINISTRATOR, EVERYTHING), *others)
        }

    def find(self, access_key: str, session_token: str | None) -> Credential:
        """As `Credentials.find`."""
        found = self._credentials.get(access_key)
        if found is None or session_token is not None:
            raise DynamoError(Fault.UNRECOGNIZED_CLIENT)
        return found


def tenant(number: int) -> Credentials:
    """The key of one of `TENANTS` users who may do everything."""
    return dataclasses.replace(ADMINISTRATOR, access_key=f"AKIDTENANT{number}")


def _subject(statement: object, name: str) -> Subject:
    arn = f"arn:aws:iam::123456789012:user/{name}"
    principal = Principal(
        type="User", arn=arn, account="123456789012", user_name=name, tags={"tenant": "p"}
    )
    text = json.dumps({"Version": "2012-10-17", "Statement": statement})
    return Subject(principal, (parse(text, PolicyUse.INLINE),))


def sign(
    port: int, sent: Sent, now_ms: int | None = None, *, keys: Credentials = ADMINISTRATOR
) -> dict[str, str]:
    """The headers of a signature."""
    shared = headers()
    named = {
        "Host": f"127.0.0.1:{port}",
        "Content-Type": shared["Content-Type"],
        "X-Amz-Target": target_header(sent.target),
    }
    return signed_headers(named, sent.body, keys, now_ms or time.time_ns() // 1_000_000)


def all_signed(
    port: int, requests: Sequence[Sent], keys: Credentials = ADMINISTRATOR
) -> tuple[list[Sent], str]:
    """Requests that were signed at one time, and that time; valid for fifteen minutes."""
    now_ms = time.time_ns() // 1_000_000
    found = [
        sent._replace(authorization=sign(port, sent, now_ms, keys=keys)["Authorization"])
        for sent in requests
    ]
    return found, sign(port, requests[0], now_ms, keys=keys)["X-Amz-Date"]


async def serve(port: int) -> None:
    settings = Settings(port=port, memory=True, auth=Auth.REQUIRED)
    tenants = [(tenant(number), EVERYTHING) for number in range(TENANTS)]
    async with running(settings, Users((TENANT, _OWN), *tenants)) as endpoint:
        tune_interpreter()
        print(f"listening on {endpoint}", flush=True)
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        await stopped.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    run(serve(parser.parse_args().port))
