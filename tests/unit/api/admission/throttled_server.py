"""Operations on a server that throttles, whose clock stands still until it is told."""

import math

from hashrange.api.admission.own_tables import OwnTables
from hashrange.api.admission.shared_tables import SharedTables
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.gate import Gate
from hashrange.api.steps.operation import TableChoices
from hashrange.errors import DynamoError, Fault
from hashrange.limits.tables import PARTITION_BYTES_MAX
from hashrange.observe.metrics import Metrics
from tests.unit.api.dynamodb.still_server import TABLE, StillServer

THROTTLES = TableChoices(throttles=True)
KIB = 1024
THROTTLED = {Fault.THROUGHPUT_EXCEEDED, Fault.THROTTLED, Fault.REQUEST_LIMIT_EXCEEDED}


class ThrottledServer(StillServer):
    """Several processes share the engine if `processes` is more than one."""

    def __init__(self, *, processes=1, bytes_max=PARTITION_BYTES_MAX, opened=None):
        super().__init__(transient_ms=0, choices=THROTTLES, opened=opened)
        self._puts = 0
        self.metrics = Metrics()
        self.processes = []
        for _ in range(processes):
            kind = OwnTables if processes == 1 else SharedTables
            capacities = kind(self.engine, self.catalog_of(processes), self, bytes_max)
            pipeline = Pipeline(
                self.store, self.catalogs[-1], self.metrics.consumed, choices=THROTTLES
            )
            pipeline.limit(Gate(capacities, self.now_ms, self.metrics.throttled))
            self.processes.append((pipeline, capacities))
        self.pipeline, self.capacities = self.processes[0]

    def create(self, **request):
        """At once: a table gets units from then on."""
        self.perform("CreateTable", **{**TABLE, **request})

    def catalog_of(self, processes):
        """A catalog of its own for each process: tables in it belong to one limiter."""
        self.catalogs = getattr(self, "catalogs", [])
        catalog = self.catalog if processes == 1 else type(self.catalog)(self.engine)
        self.catalogs.append(catalog)
        return catalog

    def is_admitted(self, operation, **request):
        """Whether a request is admitted."""
        try:
            self.call(operation, **request)
        except DynamoError as error:
            if error.fault in THROTTLED:
                return False
            raise
        return True

    def put(self, pk, units=1, **attributes):
        """Whether a put of so many units is admitted; the processes take turns."""
        return self._next_is_admitted(Item=_item(pk, units, attributes))

    def put_in_vain(self, pk, units):
        """As `put` of an item that is there, which a condition refuses at the same cost."""
        condition = "attribute_not_exists(pk)"
        try:
            self._next_is_admitted(Item=_item(pk, units, {}), ConditionExpression=condition)
        except DynamoError as error:
            return error.fault is Fault.CONDITION_FAILED
        return False

    def _next_is_admitted(self, **request):
        self._puts += 1
        self.pipeline = self.processes[self._puts % len(self.processes)][0]
        return self.is_admitted("PutItem", **request)

    def put_sorted(self, pk, sk, units):
        """As `put`, in a table with a sort key."""
        pad = "x" * math.floor((units - 0.5) * KIB)
        item = {"pk": {"S": pk}, "sk": {"N": str(sk)}, "pad": {"S": pad}}
        return self.is_admitted("PutItem", Item=item)

    def keep(self, *, all_now=False):
        """The work of the background; with `all_now` all allowances are given back."""
        for _pipeline, capacities in self.processes:
            self.run(capacities.keep(all_now=all_now))

    def capacity(self, catalog=None):
        """The capacity of the table."""
        opened = self.run((catalog or self.catalogs[0]).open("a-table"))
        return self.run(self.capacities.snapshot(opened))

    def described(self):
        """The description of the table."""
        return self.call("DescribeTable")["Table"]

    def load(self, seconds, each_second, put):
        """Units that are granted in each second, of puts at equal intervals.

        `put` gets the number of the request, and returns the units that were granted.
        """
        granted = []
        for second in range(seconds):
            begin_ms = self.time_ms
            units = 0
            for number in range(each_second):
                self.time_ms = begin_ms + 1000 * number // each_second
                units += put(second * each_second + number)
            self.time_ms = begin_ms + 1000
            self.keep()
            granted.append(units)
        return granted


def _item(pk, units, attributes):
    item = {"pk": {"S": pk}, **{name: {"S": text} for name, text in attributes.items()}}
    if units > 1:
        item["pad"] = {"S": "x" * (math.floor((units - 0.5) * KIB))}
    return item
