"""What plans are run with, without a pipeline."""

from collections import defaultdict

from hashrange.api.steps.operation import CallerContext, TableChoices
from hashrange.observe.counts import UnitCounts
from hashrange.tables.catalog.catalog import Catalog
from tests.unit.api.dynamodb.still_server import CALLER
from tests.unit.tables.definitions import store_of


def context_of(engine):
    """Of a caller, on an engine."""
    units = defaultdict[str, UnitCounts](UnitCounts)
    return CallerContext(CALLER, store_of(engine), Catalog(engine), 0, TableChoices(), units)
