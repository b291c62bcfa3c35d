"""Random policies, decided by another evaluator too: @cloud-copilot/iam-simulate, a black box."""

import json
import shutil
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from hashrange.access.policies.actions import ACTIONS
from hashrange.access.policies.checks import PolicyUse
from hashrange.access.policies.decisions import Decisions, GovernedResource, Subject
from hashrange.access.policies.documents import parse
from hashrange.access.policies.principals import Principal
from tests.clients.programs import run_program
from tests.clients.random_policies import ACCOUNT, ROLE, SESSION, USER, request
from tests.effort import effort

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]

PROGRAM = Path(__file__).parent / "iam_simulate"
PRINCIPALS = {
    USER: Principal(
        type="User", arn=USER, account=ACCOUNT, user_name="ann", tags={"team": "green"}
    ),
    SESSION: Principal(
        type="AssumedRole", arn=SESSION, account=ACCOUNT, issuer=ROLE, tags={"team": "green"}
    ),
}


def _parsed(policy, use):
    return parse(json.dumps(policy), use)


def _decision(made):
    """The decision of `hashrange.access.policies`, in the simulator's words."""
    boundary, session = made.get("boundary"), made.get("session")
    of_resource = made.get("of_resource")
    subject = Subject(
        PRINCIPALS[made["principal"]],
        tuple(_parsed(policy, PolicyUse.INLINE) for policy in made["identity"]),
        None if boundary is None else _parsed(boundary, PolicyUse.MANAGED),
        None if session is None else (_parsed(session, PolicyUse.INLINE),),
    )
    policy = None if of_resource is None else _parsed(of_resource, PolicyUse.RESOURCE)
    target = GovernedResource(made["resource"], made["owner"], policy)
    context = {
        key.lower(): tuple(value) if isinstance(value, list) else (value,)
        for key, value in made["context"].items()
    }
    decision = Decisions().decide(subject, made["action"], target, context)
    if decision.allowed:
        return "Allowed"
    return "ExplicitlyDenied" if decision.explicit else "ImplicitlyDenied"


def _comparable(made):
    """The simulator does not know which actions DynamoDB shares with other accounts."""
    return made["owner"] == ACCOUNT or ACTIONS[made["action"]].cross_account


@pytest.fixture(scope="module")
def simulated(environment, tmp_path_factory):
    """Runs the simulator on requests: its decisions."""
    place = tmp_path_factory.mktemp("iam_simulate")
    shutil.copytree(PROGRAM, place, dirs_exist_ok=True, ignore=lambda *_: ["node_modules"])
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = run_program(command, environment, place)
    assert installed.returncode == 0, installed.stderr

    def run(requests):
        (place / "requests.json").write_text(json.dumps(requests), "utf-8")
        ended = run_program(["node", "simulate.mjs", "requests.json"], environment, place)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


def test_decisions_are_those_of_the_simulator(simulated):
    made = [request(Random(seed)) for seed in range(effort(2_000, 10_000))]
    requests = [each for each in made if _comparable(each)]
    found = simulated(requests)
    assert [each["error"] for each in found if "error" in each] == []
    # What the simulator leaves out of a context, it does not know of the operation.
    assert [each["ignored"] for each in found if each["ignored"]] == []
    pairs = zip(requests, found, strict=True)
    different = [
        (each, theirs["decision"], ours)
        for each, theirs in pairs
        if theirs["decision"] != (ours := _decision(each))
    ]
    assert different == []
    counted = Counter(each["decision"] for each in found)
    assert min(counted.values()) > len(found) / 20, counted
    assert len(counted) == 3
