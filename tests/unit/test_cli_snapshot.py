"""`hashrange snapshot`: what it prints; what it does is tested in tests/api."""

from tests.served import served
from tests.unit.processes import run


def test_snapshots_of_a_server():
    with served(testing=True) as server:
        at = ("--endpoint", server.endpoint)
        assert run("snapshot", "save", "one", *at).stdout == "one: saved\n"
        assert run("snapshot", "list", *at).stdout.startswith("one  ")
        assert run("snapshot", "load", "one", *at).stdout == "one: loaded\n"
        assert run("snapshot", "delete", "one", *at).stdout == "one: deleted\n"
        gone = run("snapshot", "load", "one", *at)
        assert (gone.returncode, gone.stdout) == (1, "")
        assert gone.stderr == f"hashrange: {server.endpoint}: there is no snapshot one\n"
    gone = run("snapshot", "list", *at)
    assert (gone.returncode, gone.stderr.startswith(f"hashrange: {at[1]} does not answer")) == (
        1,
        True,
    )
