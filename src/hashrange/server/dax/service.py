"""The handling of each call of a connection: about itself, or about items."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import msgspec

from hashrange.api.steps.operation import Caller, items_not_found
from hashrange.api.steps.storage_faults import no_read_lease
from hashrange.bounded_cache import BoundedCache
from hashrange.dax.call_counts import CallCounts
from hashrange.dax.protocol import methods
from hashrange.dax.protocol.answers import SUCCESS
from hashrange.dax.protocol.calls import Call, Execute
from hashrange.dax.protocol.faults import encode_error, encode_unknown_method
from hashrange.dax.protocol.items import EMPTY_LIST, Encoded, UnknownFactError
from hashrange.dax.protocol.parameters import list_of, text_of
from hashrange.dax.protocol.session import Received, Session
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.dax import DAX_REQUEST_BYTES_MAX
from hashrange.messages.dax import failed, parameter_unreadable
from hashrange.server.dax.callers import Authorization, Authorizer
from hashrange.server.dax.facts import CallerFacts
from hashrange.server.dax.hits import Hits
from hashrange.server.dax.recording import Ended, Recorder
from hashrange.storage.engine import NoReadLeaseError, StorageError
from hashrange.wire.cbor.encoding import array, byte_string, encode_integer, mapping, text
from hashrange.wire.exchange import NO_PEER, Peer

_log: Final = logging.getLogger(__name__)
_NO_ANSWER: Final = b""
_LEADER: Final = 1
_REPLICA: Final = 2
_ZONE: Final = "local"


class Client:
    """One connection, as calls see it.

    Attributes:
        session: its bytes.
        peer: its other end.
        address: our end of it: address as text, and port.
        agent: of its handshake.
        is_framed: it expects answers in frames.
        authorization: its caller, if its last signature was accepted.
        refusal: why its last signature was refused.
        ends: the connection is to be closed when the answer is written.
    """

    __slots__ = (
        "address",
        "agent",
        "authorization",
        "ends",
        "is_framed",
        "peer",
        "refusal",
        "session",
    )

    def __init__(self) -> None:
        self.session = Session()
        self.peer: Peer = NO_PEER
        self.address: tuple[bytes, str, int] = (b"", "", 0)
        self.agent = ""
        self.is_framed = False
        self.authorization: Authorization | None = None
        self.refusal: DynamoError | None = None
        self.ends = False


class Node(msgspec.Struct, frozen=True):
    """A node of a cluster, at the address of the connection; the first is the leader."""

    number: int
    port: int
    zone: str


class Cluster(Protocol):
    """The cluster that an endpoint is a node of."""

    @property
    def calls(self) -> CallCounts:
        """The calls that all its nodes have answered."""

    def nodes(self) -> Sequence[Node]:
        """The nodes that listen."""

    def acting(self, caller: Caller) -> Caller:
        """The identity of the requests of a caller. Raises DynamoError."""

    def allow(self, caller: Caller, call: Call) -> None:
        """Raise DynamoError unless a caller may make a call through the cluster."""


class Service:
    """Answers calls.

    Args:
        execute: executes those on items.
        facts_of: the facts of a caller.
        authorizer: checks signatures.
        recorder: counts and logs.
        cluster: that it is a node of; None for an endpoint of its own.
        hits: answers hits; None if every call is to be executed.
    """

    def __init__(
        self,
        execute: Execute,
        *,
        facts_of: Callable[[Caller], CallerFacts],
        authorizer: Authorizer,
        recorder: Recorder,
        cluster: Cluster | None = None,
        hits: Hits | None = None,
    ) -> None:
        self._cluster = cluster
        self._hits = hits
        self._execute = execute
        self._facts_of = facts_of
        self._authorizer = authorizer
        self._recorder = recorder

    async def respond(self, client: Client, received: Received) -> bytes:
        """The bytes of the answer; empty for a call that has none."""
        method = received.method
        if method is None:
            client.ends = True
            return encode_unknown_method(received.number, self._request_id())
        if method is methods.AUTHORIZE:
            if client.refusal is not None:
                # It was not answered: the call behind it would have been delayed.
                await self._authorizer.slow(client.peer, client.refusal.fault)
            self._authorize(client, received.arguments)
            return _NO_ANSWER
        try:
            caller = acting = self._caller(client)
            if self._cluster is not None:
                acting = self._cluster.acting(caller)
            if method.decode is None:
                return await self._about(method, client, acting, received.arguments)
        except DynamoError as error:
            await self._authorizer.slow(client.peer, error.fault)
            return encode_error(error, self._request_id(), _NO_FACTS)
        except Exception as error:  # noqa: BLE001 - every failure gets an answer
            return self._failed(method.name, error, self._request_id())
        return await self._respond_about_items(client, (caller, acting), received)

    def at_hand(self, client: Client, received: Received) -> bytes | None:
        """The bytes of the answer to a hit; None for all other calls, and what may be refused."""
        hits, authorization = self._hits, client.authorization
        if hits is None or authorization is None:
            return None
        recorder, acting = self._recorder, authorization.caller
        began_ns = recorder.monotonic_ns()
        if self._cluster is not None:
            acting = self._cluster.acting(acting)
        found = hits.answer(received, acting)
        if found is None:
            return None
        call, answer = found
        duration_ns = recorder.count(call.operation, began_ns, None)
        if duration_ns is not None:
            ended = Ended(
                operation=call.operation,
                request=call.request,
                signed=authorization.requests[0],
                caller=authorization.caller,
                duration_ns=duration_ns,
                refusal=None,
                request_id=b"",
            )
            recorder.log(ended, answer)
        return answer

    def _authorize(self, client: Client, arguments: list[Any]) -> None:
        client.authorization = client.refusal = None
        try:
            client.authorization = self._authorizer.authorize(arguments, client.peer)
        except DynamoError as error:
            client.refusal = error
            return
        client.session.trust(DAX_REQUEST_BYTES_MAX)

    def _caller(self, client: Client) -> Caller:
        """The caller of a call. Raises DynamoError."""
        if client.refusal is not None:
            raise client.refusal
        client.authorization = self._authorizer.current(client.authorization)
        return client.authorization.caller

    async def _respond_about_items(
        self, client: Client, callers: tuple[Caller, Caller], received: Received
    ) -> bytes:
        """The answer to a call; `callers` are who made it, and who acts for that."""
        (caller, acting), cluster = callers, self._cluster
        recorder, method = self._recorder, received.method
        assert method is not None
        assert client.authorization is not None, "it has a caller"
        signed = client.authorization.requests[0]
        began_ns, facts = recorder.monotonic_ns(), self._facts_of(acting)
        call: Call | None = None
        refusal: DynamoError | None = None
        request_id = ""
        try:
            try:
                call = received.call(facts, client.agent)
            except UnknownFactError:
                call = await facts.known(lambda: received.call(facts, client.agent))
            if cluster is not None:
                cluster.allow(caller, call)
            answer = await self._execute(call, acting)
            if self._hits is not None:
                self._hits.learn(received, call, acting)
        except DynamoError as error:
            refusal = refused = error
            tables = () if call is None else call.tables
            request_id = self._request_id()
            answer = await facts.known(lambda: encode_error(refused, request_id, facts, tables))
        except Exception as error:  # noqa: BLE001 - every failure gets an answer
            refusal, request_id = _failure(error), self._request_id()
            answer = self._failed(method.name, error, request_id)
        duration_ns = recorder.count(method.operation, began_ns, refusal)
        if duration_ns is not None:
            ended = Ended(
                operation=method.operation,
                request=None if call is None else call.request,
                signed=signed,
                caller=caller,
                duration_ns=duration_ns,
                refusal=refusal,
                request_id=request_id.encode(),
            )
            recorder.log(ended, answer)
        return answer

    async def _about(
        self, method: methods.Method, client: Client, caller: Caller, arguments: list[Any]
    ) -> bytes:
        """A method about the connection, the schema of a table, or an attribute list."""
        if method is methods.ENDPOINTS:
            return self._endpoints(client)
        facts = self._facts_of(caller)
        (argument,) = arguments
        if method is methods.DEFINE_KEY_SCHEMA:
            name = text_of(argument)
            schema = await facts.known(lambda: facts.schema(name))
            if schema is None:
                raise items_not_found(name)
            types = (schema.partition_type, schema.sort_type or "")
            pairs = zip(schema.names, types, strict=False)
            return SUCCESS + mapping((text(key), text(kind)) for key, kind in pairs)
        if method is methods.DEFINE_ATTRIBUTE_LIST_ID:
            names = tuple(list_of(argument))
            if not all(isinstance(name, str) for name in names):
                raise invalid(parameter_unreadable())
            number = await facts.known(lambda: facts.list_id(names))
            return SUCCESS + encode_integer(number)
        if type(argument) is not int:
            raise invalid(parameter_unreadable())
        found = (
            () if argument == EMPTY_LIST else await facts.known(lambda: facts.names_of(argument))
        )
        return SUCCESS + array(map(text, found))

    def _endpoints(self, client: Client) -> bytes:
        """The nodes, at the address at which the client has reached this one."""
        packed, host, port = client.address
        nodes: Sequence[Node] = [Node(1, port, _ZONE)]
        if self._cluster is not None:
            nodes = self._cluster.nodes()
        found = []
        for place, node in enumerate(nodes):
            fields = [
                encode_integer(node.number),
                text(host),
                byte_string(packed),
                encode_integer(node.port),
                encode_integer(_REPLICA if place else _LEADER),
                text(node.zone),
                encode_integer(1),
            ]
            found.append(mapping((encode_integer(at), field) for at, field in enumerate(fields)))
        return SUCCESS + array(found)

    def _failed(self, name: str, error: Exception, request_id: str) -> bytes:
        """Log a failure, and answer it."""
        if not isinstance(error, NoReadLeaseError):
            _log_failure(name, error, request_id)
        return encode_error(_failure(error), request_id, _NO_FACTS)

    def _request_id(self) -> str:
        return self._recorder.request_id().decode()


def _log_failure(name: str, error: Exception, request_id: str) -> None:
    line = f"storage failed: {error}" if isinstance(error, StorageError) else "a request failed"
    _log.error(line, exc_info=error, extra={"request_id": request_id, "operation": name})


def _failure(error: Exception) -> DynamoError:
    if isinstance(error, NoReadLeaseError):
        return no_read_lease()
    return DynamoError(Fault.INTERNAL, failed())


class _NoFacts:
    """Of errors that have no items."""

    scope = ""
    encoded: Encoded = BoundedCache(entries_max=1, chars_max=1, entry_chars_max=0)

    def schema(self, table: str) -> None:
        """No table is known."""

    def names_of(self, list_id: int) -> tuple[str, ...]:
        """No list is known."""
        raise AssertionError(list_id)

    def list_id(self, names: tuple[str, ...]) -> int:
        """No list is known."""
        raise AssertionError(names)


_NO_FACTS: Final = _NoFacts()
