"""The settings of a server: one table for options, variables, the settings file and docs.

A row is a field of `Settings`: its default, its help text and its parser. The options of the
command line, the `HASHRANGE_` variables, the names in a settings file and docs/settings.md are
derived from the rows; `sources.py` reads them.
"""

from pathlib import Path
from typing import Annotated, Final

from hashrange.limits.access import AUDIT_LOOKUP_FILES_MAX
from hashrange.limits.dax import TTL_MS_DEFAULT, TTL_MS_MAX
from hashrange.limits.server import WORKERS_MAX
from hashrange.limits.tables import (
    ACCOUNT_CAPACITY_UNITS_MAX,
    CAPACITY_UNITS_MAX,
    ITEM_COLLECTION_BYTES_MAX,
    PARTITION_BYTES_MAX,
    STREAM_RETENTION_SECONDS,
    STREAM_SHARD_SECONDS,
    STREAM_SHARDS_MAX,
    TABLE_CAPACITY_UNITS_MAX,
)
from hashrange.settings import kinds
from hashrange.settings.kinds import one_of, whole
from hashrange.settings.request_limits import LimitSettings

CONFIG_SENTENCE: Final = "A TOML file of settings; no file is read unless it is named."
_PORT_MAX: Final = 65_535
_SECONDS_MAX: Final = 24 * 60 * 60
_MS_MAX: Final = 60 * 60 * 1000
_SEED_MAX: Final = 999_999_999
_AUDIT_FILE_MB_MAX: Final = 4096
_MB: Final = 1024**2


class Settings(LimitSettings, frozen=True, kw_only=True):
    """The settings of a server, immutable once it runs; docs/settings.md explains each."""

    host: Annotated[str, kinds.TEXT, "Address to listen on; 0.0.0.0 is every IPv4 address."] = (
        "127.0.0.1"
    )
    port: Annotated[int, whole(0, _PORT_MAX), "TCP port to listen on; 0 takes a free one."] = 8000
    dax_port: Annotated[
        int | None,
        whole(0, _PORT_MAX),
        "TCP port for clients of DAX (dax://, with HTTPS daxs://); 0 takes a free one. Not set: no "
        "such endpoint.",
    ] = None
    dax_cache_mb: Annotated[int, whole(0, _MB), "MB of DAX's caches, and of each cluster's."] = 64
    dax_record_ttl_ms: Annotated[
        int,
        whole(0, TTL_MS_MAX),
        "Milliseconds that items live in the caches of --dax-port; 0 is for ever.",
    ] = TTL_MS_DEFAULT
    dax_query_ttl_ms: Annotated[
        int,
        whole(0, TTL_MS_MAX),
        "Milliseconds that pages of Query and Scan live there; 0 keeps none.",
    ] = TTL_MS_DEFAULT
    auth: Annotated[
        kinds.Auth,
        one_of(kinds.Auth),
        "required: verify the signature of each request; only users of this server may use it. "
        "off: whoever reaches the server may do everything.",
    ] = kinds.Auth.OFF
    account: Annotated[
        str, kinds.ACCOUNT, "With --auth required: the account of the first user, an administrator."
    ] = kinds.ANONYMOUS_ACCOUNT
    identity_key_file: Annotated[
        Path | None,
        kinds.FILE,
        "A file that only the operator has: secret keys are sealed with it, too.",
    ] = None
    cors: Annotated[
        str | None,
        kinds.ORIGINS,
        "Origins whose web pages may send requests and read the answers: local = those of this "
        "machine (localhost, 127.0.0.0/8, [::1]), * = all, as on AWS, or a list of origins, in "
        "which local may be. Not set: local; with --auth required all.",
    ] = None
    hosts: Annotated[
        str | None,
        kinds.HOSTS,
        "Names by which clients may address the server, beside localhost, IP addresses, the "
        "address to listen on and the names of AWS's endpoints; if it listens on every address, "
        "also hashrange, dynamodb, dynamodb-local and host.docker.internal. *.example.com is all "
        "names below a domain, * is every name. Not set: none; with --auth required every name.",
    ] = None
    tls: Annotated[
        kinds.Tls,
        one_of(kinds.Tls),
        "self-signed: serve HTTPS with a certificate that is made on the first start, in the data "
        "directory or in the files of --tls-cert and --tls-key. off: HTTP, unless --tls-cert names "
        "a certificate.",
    ] = kinds.Tls.OFF
    tls_cert: Annotated[
        Path | None, kinds.FILE, "PEM file of the server's certificate and its issuers, for HTTPS."
    ] = None
    tls_key: Annotated[Path | None, kinds.FILE, "PEM file of the certificate's key."] = None
    tls_client_ca: Annotated[
        Path | None,
        kinds.FILE,
        "PEM file of issuers: clients must have a certificate of one of them. Needs HTTPS.",
    ] = None
    data: Annotated[
        Path, kinds.DIRECTORY, "Directory of the tables; created if it does not exist."
    ] = Path("hashrange-data")
    memory: Annotated[
        bool, kinds.SWITCH, "Keep the tables in memory only; they are lost when the server stops."
    ] = False
    engine: Annotated[
        str,
        kinds.ENGINE,
        "Where tables are stored: SQLite in the data directory, or a PostgreSQL server.",
    ] = kinds.SQLITE
    workers: Annotated[
        int | None,
        whole(1, WORKERS_MAX),
        "Number of processes that answer requests, beside one that writes. Not set: one process "
        "does everything. For SQLite in a directory.",
    ] = None
    durability: Annotated[
        kinds.Durability,
        one_of(kinds.Durability),
        "When a write is acknowledged: full = on disk; relaxed = before it is, so that a power cut "
        "may take the newest writes, and on PostgreSQL a crash or kill of the database too.",
    ] = kinds.Durability.FULL
    verify_reads: Annotated[
        kinds.VerifyReads,
        kinds.VERIFY_READS,
        "When reads compare checksums: first = when a process reads a row first; always; off.",
    ] = kinds.VerifyReads.FIRST
    encrypt: Annotated[
        bool,
        kinds.SWITCH,
        "Encrypt the data directory, with the key of one of the next three settings. A directory "
        "with data that are not encrypted is refused: `hashrange encrypt` encrypts it.",
    ] = False
    encryption_key_file: Annotated[
        Path | None,
        kinds.FILE,
        "File of the key: 32 random bytes in hexadecimal or base64 (`openssl rand -hex 32`).",
    ] = None
    encryption_key_command: Annotated[
        str | None,
        kinds.TEXT,
        "Command that prints the key, as that of a key management service; it is run once, at the "
        "start, and not by a shell.",
    ] = None
    encryption_key: Annotated[str | None, kinds.SECRET, "The key itself."] = None
    namespaces: Annotated[
        kinds.Namespaces,
        one_of(kinds.Namespaces),
        "Which tables a caller sees: shared = all, whatever the credentials; separate = those of "
        "the account and region of the request. An access key of 12 digits names an account.",
    ] = kinds.Namespaces.SHARED
    throttle: Annotated[
        kinds.Throttle,
        one_of(kinds.Throttle),
        "on: requests beyond the capacity of a table, an index or a partition are throttled, as on "
        "AWS; a new on-demand table has four partitions, and its stream as many shards. off: "
        "capacity is metered and not limited.",
    ] = kinds.Throttle.OFF
    partition_bytes: Annotated[
        int,
        whole(1, PARTITION_BYTES_MAX),
        "Bytes beyond which a partition is split, with --throttle on; a small number is for tests.",
    ] = PARTITION_BYTES_MAX
    account_units: Annotated[
        int,
        whole(1, CAPACITY_UNITS_MAX),
        "Quota of an account in a region: provisioned read units, and write units, of all its "
        "tables and global indexes.",
    ] = ACCOUNT_CAPACITY_UNITS_MAX
    table_units: Annotated[
        int,
        whole(1, CAPACITY_UNITS_MAX),
        "Quota of a table: read units, and write units, that it or a global index can be "
        "provisioned for, and with --throttle on those that an on-demand table serves in a second, "
        "together with its indexes.",
    ] = TABLE_CAPACITY_UNITS_MAX
    stream_shards: Annotated[
        int, whole(1, STREAM_SHARDS_MAX), "Number of shards of a new stream."
    ] = 1
    stream_shard_seconds: Annotated[
        int,
        whole(1, _SECONDS_MAX),
        "Seconds after which a shard of a stream is closed and another one follows it.",
    ] = STREAM_SHARD_SECONDS
    stream_retention_seconds: Annotated[
        int, whole(1, _SECONDS_MAX), "Minimum time in seconds that records of streams are kept."
    ] = STREAM_RETENTION_SECONDS
    triggers: Annotated[
        Path | None,
        kinds.FILE,
        "A TOML file of triggers: functions or HTTP endpoints that are called with the changes of "
        "tables. Functions run in the server's process.",
    ] = None
    delay_transient_statuses: Annotated[
        bool,
        kinds.SWITCH,
        "Let tables stay CREATING, UPDATING and DELETING for a while, as on AWS, instead of "
        "changing at once; and refuse a second UpdateTimeToLive within 31 minutes, as AWS does.",
    ] = False
    transient_status_ms: Annotated[
        int,
        whole(0, _MS_MAX),
        "Milliseconds for which they show these statuses, with --delay-transient-statuses.",
    ] = 500
    fault: Annotated[
        str | None,
        kinds.FAULTS,
        "Let a share of the requests fail, to test retries; the operation or the table may be *. "
        "May be repeated; or several rules with semicolons between them: docs/realism.md.",
    ] = None
    latency: Annotated[
        str | None,
        kinds.LATENCIES,
        "How long answers to an operation, or to *, take at least: half of them up to p50, 99 % of "
        "them up to p99. May be repeated; or several rules with semicolons between them.",
    ] = None
    replica_lag: Annotated[
        str | None,
        kinds.LAG,
        "Let eventually consistent reads, and reads of global indexes, show states that are up to "
        "this old. Not with --workers.",
    ] = None
    realism_seed: Annotated[
        int | None,
        whole(0, _SEED_MAX),
        "Seed of the draws of --fault, --latency and --replica-lag; with none, each start differs.",
    ] = None
    s3: Annotated[
        str | None,
        kinds.BUCKETS,
        "Where a bucket lies that exports are written to and imports are read from: a directory, "
        "or a bucket of AWS (s3://NAME) or of another server (https://HOST/NAME). May be repeated; "
        "or several with semicolons between them: docs/buckets.md.",
    ] = None
    archive: Annotated[
        str | None, kinds.ARCHIVES, "Store items that expire in buckets of --s3: docs/archive.md."
    ] = None
    import_log: Annotated[
        Path | None,
        kinds.DIRECTORY,
        "Directory for the records that imports refuse: a file IMPORT/error for each import. With "
        "none, the log of the server has the first of them.",
    ] = None
    accept_encryption_requests: Annotated[
        bool,
        kinds.SWITCH,
        "Accept SSESpecification with a key of KMS, and describe it, although the server does not "
        "encrypt: the tables are stored as they are without it. Otherwise it is refused.",
    ] = False
    item_collection_mb_max: Annotated[
        int,
        whole(1, ITEM_COLLECTION_BYTES_MAX // _MB),
        "Maximum size in megabytes of an item collection of a table with local indexes; a small "
        "one tests how an application handles ItemCollectionSizeLimitExceededException.",
    ] = ITEM_COLLECTION_BYTES_MAX // _MB
    time_to_live_delay_seconds: Annotated[
        int,
        whole(0, _SECONDS_MAX),
        "Minimum time in seconds between the expiry of an item and its deletion.",
    ] = 0
    audit: Annotated[
        Path | None,
        kinds.DIRECTORY,
        "Directory of the audit log, outside of the data directory; no log if it is not set.",
    ] = None
    audit_data_events: Annotated[
        str | None,
        kinds.TABLES,
        "Tables whose reads and writes of items the audit log has, beside requests that manage.",
    ] = None
    audit_file_mb: Annotated[
        int, whole(1, _AUDIT_FILE_MB_MAX), "Megabytes after which a file of the audit log is full."
    ] = 64
    audit_files_max: Annotated[
        int, whole(2, AUDIT_LOOKUP_FILES_MAX), "Files of the audit log that are kept."
    ] = 100
    testing: Annotated[
        bool,
        kinds.SWITCH,
        "For tests: let whoever reaches the server move its clock, with POST /testing/clock, "
        "and load snapshots of its data, with `hashrange snapshot`. "
        "Not for several servers on one database.",
    ] = False
    drain_seconds: Annotated[
        int,
        whole(0, _SECONDS_MAX),
        "Seconds for which open requests are still answered when the server stops; the process "
        "ends up to one second later.",
    ] = 4
    stop_with_input: Annotated[
        bool,
        kinds.SWITCH,
        "Stop when standard input is closed, as when the program that started the server ends.",
    ] = False
    log_level: Annotated[kinds.LogLevel, one_of(kinds.LogLevel), "Lowest level that is logged."] = (
        kinds.LogLevel.INFO
    )
    log_format: Annotated[
        kinds.LogFormat,
        one_of(kinds.LogFormat),
        "Format of the log, on standard error; auto = text at a terminal, JSON elsewhere.",
    ] = kinds.LogFormat.AUTO
    slow_request_ms: Annotated[
        int,
        whole(0, _MS_MAX),
        "Requests that take this many milliseconds or more are logged as slow; 0 turns it off.",
    ] = 1000
    hot_keys: Annotated[
        kinds.HotKeys,
        one_of(kinds.HotKeys),
        "Whether /top.json, and so hashrange top, shows the most requested partition keys; auto = "
        "only if the server listens on a loopback address, and not with --auth required.",
    ] = kinds.HotKeys.AUTO

    def __repr__(self) -> str:
        """Without the values, of which some are secret."""
        return "<Settings>"

    @property
    def is_local(self) -> bool:
        """Whether the server listens on a loopback address."""
        return self.host in {"localhost", "::1"} or self.host.startswith("127.")

    @property
    def tls_files(self) -> tuple[Path, Path] | None:
        """The files of certificate and key; None without TLS."""
        if self.tls is kinds.Tls.OFF and self.tls_cert is None:
            return None
        own = (self.data / "tls-cert.pem", self.data / "tls-key.pem")
        return (self.tls_cert or own[0], self.tls_key or own[1])

    @property
    def shows_hot_keys(self) -> bool:
        """Whether hot keys are shown, by `hot_keys`, the address and `auth`."""
        is_open = self.is_local and self.auth is kinds.Auth.OFF
        return self.hot_keys is kinds.HotKeys.ON or (
            self.hot_keys is kinds.HotKeys.AUTO and is_open
        )

    @property
    def allowed_origins(self) -> str:
        """The origins whose pages are answered: by default all if signatures protect the server."""
        if self.cors is not None:
            return self.cors
        return kinds.LOCAL if self.auth is kinds.Auth.OFF else kinds.ANY

    @property
    def allowed_hosts(self) -> str | None:
        """The further names of the server: by default all if signatures protect it."""
        if self.hosts is not None:
            return self.hosts
        return None if self.auth is kinds.Auth.OFF else kinds.ANY

    @property
    def address_connections_max(self) -> int | None:
        """Connections of one address; None for no limit."""
        if self.connections_per_address_max is not None or self.auth is kinds.Auth.OFF:
            return self.connections_per_address_max
        return -(-self.connections_max // 2)
