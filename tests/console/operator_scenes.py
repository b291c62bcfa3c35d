"""Scenes of the pages of who runs a server, on a server whose users sign in."""

import contextlib
import json
import tempfile
from pathlib import Path

from tests.api.replicas import ON_DEMAND, REGIONS
from tests.console.conftest import guarded_server, sign_in
from tests.pace import until

TENANT = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "OwnItems",
            "Effect": "Allow",
            "Action": ["dynamodb:PutItem", "dynamodb:UpdateItem"],
            "Resource": "arn:aws:dynamodb:*:*:table/albums",
            "Condition": {
                "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}
            },
        },
        {
            "Sid": "KeepTables",
            "Effect": "Deny",
            "Action": ["dynamodb:DeleteTable", "dynamodb:DropTable"],
            "Resource": "*",
        },
    ],
}


@contextlib.contextmanager
def operated(browser):
    """A server with users, roles and policies."""
    options = {"latency": "DescribeLimits:p50=30ms", "slow_request_ms": 20, "backup_every": "1h"}
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        backups = place / "backups"
        backups.mkdir()
        (place / "bucket").mkdir()
        options |= {"backup_to": backups, "s3": f"exports={place / 'bucket'}"}
        (place / "key").write_text("k" * 32)
        options |= {"peer_key_file": place / "key"}
        # Nobody listens at the port of the peer.
        options |= {"regions": ",".join(REGIONS), "peer": "us-west-2=http://127.0.0.1:1"}
        server = stack.enter_context(guarded_server(browser, place, **options))
        server.client.describe_limits()
        _jobs(server)
        _regions(server)
        _caches(server)
        iam = server.of("iam")
        iam.put_user_policy(UserName="app", PolicyName="tenant", PolicyDocument=json.dumps(TENANT))
        for name in ("ada", "grace"):
            iam.create_user(UserName=name)
            iam.create_access_key(UserName=name)
        yield server


def _jobs(server):
    """Backups, an export, and states that can be restored."""
    client = server.client
    client.update_continuous_backups(
        TableName="albums", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    for name in ("before-the-move", "weekly"):
        client.create_backup(TableName="albums", BackupName=name)
    arn = client.describe_table(TableName="albums")["Table"]["TableArn"]
    client.export_table_to_point_in_time(TableArn=arn, S3Bucket="exports")
    client.restore_table_to_point_in_time(
        SourceTableName="albums", TargetTableName="albums-restored", UseLatestRestorableTime=True
    )


def _regions(server):
    """A strong table, and one with a replica."""
    client = server.client
    for name in ("accounts", "catalogue"):
        client.create_table(TableName=name, **ON_DEMAND)
    until(lambda: client.describe_table(TableName="accounts")["Table"]["TableStatus"] == "ACTIVE")
    client.update_table(
        TableName="accounts",
        MultiRegionConsistency="STRONG",
        ReplicaUpdates=[{"Create": {"RegionName": REGIONS[1]}}],
        GlobalTableWitnessUpdates=[{"Create": {"RegionName": REGIONS[2]}}],
    )
    client.update_table(
        TableName="catalogue", ReplicaUpdates=[{"Create": {"RegionName": REGIONS[1]}}]
    )


def _caches(server):
    """A cluster of two nodes."""
    trust = {
        "Version": "2012-10-17",
        "Statement": {
            "Effect": "Allow",
            "Principal": {"Service": "dax.amazonaws.com"},
            "Action": "sts:AssumeRole",
        },
    }
    role = server.of("iam").create_role(RoleName="dax", AssumeRolePolicyDocument=json.dumps(trust))
    server.of("dax").create_cluster(
        ClusterName="cache",
        NodeType="dax.t3.small",
        ReplicationFactor=2,
        IamRoleArn=role["Role"]["Arn"],
    )


def sign_in_page(page):
    """The page before a user has signed in."""
    page.context.clear_cookies()
    page.reload()
    page.get_by_label("Access key").wait_for()


def access(page):
    """One user."""
    page.goto("/_console/access?name=app")
    page.get_by_text("KeepTables").or_(page.get_by_text("of this user alone")).wait_for()


def may(page):
    """May a user delete a table?"""
    page.goto("/_console/access?view=check&action=dynamodb:DeleteTable&resource=albums")
    page.get_by_label("User or role").fill("arn:aws:iam::210987654321:user/app")
    page.get_by_role("button", name="May it?").click()
    page.get_by_label("The statement").wait_for()


def policy(page):
    """A policy with faults."""
    page.goto("/_console/access?name=app")
    page.get_by_role("button", name="tenant", exact=True).click()
    page.get_by_role("list", name="Findings").wait_for()


def audit(page):
    """The audit log."""
    page.goto("/_console/access?view=audit")
    page.get_by_role("region", name="Events").wait_for()


def server(page):
    """The server, with a slow request."""
    page.goto("/_console/server")
    page.get_by_role("region", name="Slow requests").wait_for()
    page.get_by_role("region", name="Settings").wait_for()


def jobs(page):
    """Jobs that have ended."""
    page.goto("/_console/jobs")
    page.get_by_role("region", name="Jobs").wait_for()


def backups(page):
    """Backups of tables."""
    page.goto("/_console/jobs?view=backups")
    page.get_by_role("region", name="Backups").wait_for()


def recovery(page):
    """A state of a table that can be restored."""
    page.goto("/_console/jobs?view=recovery&table=albums")
    page.get_by_role("slider").fill("900")
    page.get_by_text("Then").wait_for()


def regions(page):
    """Regions, one of which is cut off."""
    page.goto("/_console/regions")
    page.get_by_text("cut off").first.wait_for()
    page.get_by_role("region", name="Strong tables").wait_for()
    page.get_by_role("region", name="Replicas").wait_for()


def caches(page):
    """A cluster of DAX."""
    page.goto("/_console/caches")
    page.get_by_text("cache-b").wait_for()


SCENES = (
    sign_in_page, access, may, policy, audit, server, jobs, backups, recovery, regions, caches,
)  # fmt: skip


def signed_in(server):
    """Signs in on a page, as an administrator."""
    return lambda page: sign_in(page, server.keys["administrator"])
