"""Users of a data directory, made before its server starts: each process of the server has them."""

import asyncio
import json

from hashrange.access.identities.entities import USER_ID, User, new_id
from hashrange.access.identities.opening import open_identities
from hashrange.access.identities.store import Edit
from hashrange.assembly.engines.kinds import opened
from hashrange.clock import SystemClock
from hashrange.settings.settings import Settings
from hashrange.tables.catalog.secrets import stored_secret
from tests.access.callers import ACCOUNT


def seeded(directory, users):
    """Make users; `users` has the policies and the tags of each by its name. Their keys."""
    clock = SystemClock()

    async def make():
        async with opened(Settings(data=directory), now_ms=clock.now_ms) as storage:
            secret = await stored_secret(storage.engine, clock.random_bytes)
            identities = await open_identities(storage.engine, secret, None, clock.random_bytes)
            keys, made = {}, []
            for name, (policies, tags) in users.items():
                key, secret_key = identities.new_key(clock.now_ms())
                inline = {f"p{place}": json.dumps(each) for place, each in enumerate(policies)}
                user = User(
                    account=ACCOUNT,
                    name=name,
                    id=new_id(USER_ID, clock.random_bytes),
                    created_ms=clock.now_ms(),
                    tags=tags,
                    inline=inline,
                    keys=(key,),
                )
                made.append(user)
                keys[name] = {"aws_access_key_id": key.id, "aws_secret_access_key": secret_key}
            await identities.store.change(lambda _roster: Edit(None, puts=made))
            return keys

    return asyncio.run(make())
