"""The services whose structures are generated."""

from typing import Final

from tests.house.structures.cloudtrail import CLOUDTRAIL
from tests.house.structures.cloudwatch import CLOUDWATCH
from tests.house.structures.dax import DAX
from tests.house.structures.dynamodb import DYNAMODB
from tests.house.structures.iam import IAM
from tests.house.structures.kinesis import KINESIS
from tests.house.structures.scaling import SCALING
from tests.house.structures.service import Service
from tests.house.structures.streams import STREAMS
from tests.house.structures.sts import STS

SERVICES: Final[tuple[Service, ...]] = (
    DYNAMODB,
    STREAMS,
    SCALING,
    CLOUDTRAIL,
    DAX,
    IAM,
    STS,
    KINESIS,
    CLOUDWATCH,
)
