"""kill -9 in the middle of transfers: each is done once, and as a whole."""

from pathlib import Path

import pytest

from tests.crash.server import Client, Server
from tests.crash.transfers import Mover, Transfers, make_accounts
from tests.effort import effort

KILLS = effort(2, 5)
SEED = 20261121


def test_transfers_survive_kill_9(tmp_path: Path) -> None:
    print(f"seed {SEED}")  # noqa: T201 - the way to see it again
    transfers = Transfers(tmp_path / "data", SEED, transfers_max=effort(100, 300))
    for _ in range(KILLS):
        transfers.run()
    assert transfers.done > KILLS


# The check must be able to fail: a transfer that was done twice, or not at all.
def test_the_check_finds_a_transfer_too_many(tmp_path: Path) -> None:
    transfers = Transfers(tmp_path / "data", SEED)
    transfers.compare({"account-1": 1000, "client-1": 0})
    with pytest.raises(AssertionError, match="client-1 holds 1, but it should be 0"):
        transfers.compare({"account-1": 1000, "client-1": 1})


# A token outlives the server that took it: a client that never heard of its transfer asks again.
def test_a_token_survives_kill_9(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    make_accounts(directory)
    mover = Mover(0, SEED)
    for _ in range(2):
        server = Server(directory)
        client = Client(server.url)
        mover.under_way = mover.under_way or mover.next_transfer()
        answer = client.call("TransactWriteItems", **mover.under_way)
        client.close()
        server.kill()
    assert "ReadCapacityUnits" in answer["ConsumedCapacity"][0]
