"""What the models of AWS declare, this server has, but for exceptions of which users can read.

An exception that is no more one has to go, from here and from docs/differences.md.
"""

import ast
import json
from functools import cache

import msgspec
import pytest

from hashrange.api.aws_services.dax_clusters.service import DAX
from hashrange.api.aws_services.scaling.service import AUTO_SCALING
from hashrange.api.dynamodb.registry import DYNAMODB, STREAMS
from hashrange.errors import Fault
from tests.house.model_facts import MODELS, added, enums_of, errors_of, model_of
from tests.house.sources import ROOT, SOURCES, is_generated, nodes, relative

SERVICES = dict(zip(MODELS, (DYNAMODB, STREAMS, DAX, AUTO_SCALING), strict=True))
LISTS = ("src/hashrange/wire/enums.py", "src/hashrange/tools/", "src/hashrange/errors.py")
"""Files that name values and errors without acting on them."""
FAULTS = {fault.name: fault for fault in Fault}

# Exceptions, each with its reason.
OPERATIONS_LACKING = {"GetPredictiveScalingForecast": "it forecasts for predictive scaling"}
OLD = "version 2017.11.29 of global tables is refused"
STRUCTURES_UNREAD = {
    "CustomizedMetricSpecification": "customized metrics are refused",
    "GlobalTableGlobalSecondaryIndexSettingsUpdate": OLD,
    "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate": OLD,
    "PredictiveScalingPolicyConfiguration": "predictive scaling is refused",
    "ReplicaSettingsUpdate": OLD,
    "StepScalingPolicyConfiguration": "step scaling is refused",
}
OTHERS = "resources of other services are refused"
ENUMS_OF_OTHERS = {"MetricType": OTHERS, "ScalableDimension": OTHERS, "ServiceNamespace": OTHERS}
"""Enums of which only what names DynamoDB is acted on."""
STEPS, FORECASTS = "step scaling is refused", "predictive scaling is refused"
AT_ONCE, NEVER = "a change is complete at once", "no table here gets that status"
FIXED = "the two parameters of DAX are not so"
VALUES_UNUSED = {
    "ACCELERATED": "it is recorded and changes nothing",
    "ARCHIVED": NEVER,
    "ARCHIVING": NEVER,
    "AWS_BACKUP": "a filter that no backup passes",
    "CHILD_SHARDS": "the only value",
    "CONDITIONAL": FIXED,
    "ChangeInCapacity": STEPS,
    "EVENTUAL": "what is not STRONG",
    "ExactCapacity": STEPS,
    "ForecastAndScale": FORECASTS,
    "ForecastOnly": FORECASTS,
    "HonorMaxCapacity": FORECASTS,
    "INACCESSIBLE_ENCRYPTION_CREDENTIALS": NEVER,
    "InProgress": AT_ONCE,
    "IncreaseMaxCapacity": FORECASTS,
    "NODE_TYPE_SPECIFIC": FIXED,
    "Overridden": AT_ONCE,
    "Pending": AT_ONCE,
    "PercentChangeInCapacity": STEPS,
    "PredictiveScaling": FORECASTS,
    "REGION_DISABLED": NEVER,
    "REQUIRES_REBOOT": FIXED,
    "StepScaling": STEPS,
    "WAIT_FOR_REPLICATION": "the only value",
    "dual_stack": "the server listens on addresses of its own",
    "ipv6": "the server listens on addresses of its own",
}
NO_NETWORK = "subnets are names"
ERRORS_UNUSED = {
    "ClusterQuotaForCustomerExceededFault": "nodes are limited, and so are clusters",
    "ConcurrentUpdateException": "changes are made one after the other",
    "FailedResourceAccessException": "alarms need no access to another service",
    "GlobalTableAlreadyExistsException": OLD,
    "IndexNotFoundException": OLD,
    "InvalidVPCNetworkStateFault": NO_NETWORK,
    "ReplicaAlreadyExistsException": OLD,
    "ReplicaNotFoundException": OLD,
    "ServiceLinkedRoleNotFoundFault": "clusters need no role of the service",
    "ServiceQuotaExceededException": "its quota is not known",
    "SubnetInUse": NO_NETWORK,
    "SubnetNotAllowedFault": NO_NETWORK,
}


@cache
def differences():
    return (ROOT / "docs" / "differences.md").read_text("utf-8")


@cache
def acting():
    """Texts and faults that code outside of lists names, and the ends of composed texts."""
    texts, ends = set(), set()
    for path in SOURCES:
        if is_generated(path) or relative(path).startswith(LISTS):
            continue
        for node in nodes(path):
            match node:
                case ast.Constant(value=str(text)):
                    texts.update(text.split())
                case ast.JoinedStr(values=[ast.FormattedValue(), ast.Constant(value=str(end))]):
                    ends.add(end)
                case ast.Attribute(value=ast.Name(id="Fault"), attr=name) if name in FAULTS:
                    texts.add(FAULTS[name].code)
    return frozenset(texts), frozenset(ends)


def acts_on(text):
    texts, ends = acting()
    composed = any(text.endswith(end) and text.removesuffix(end) in texts for end in ends)
    return text in texts or composed


def lacking(kind, shape, path, shapes):
    """Members of the model that our type would not see, at any depth."""
    found = shapes[shape]
    match kind:
        case msgspec.inspect.UnionType(types=types):
            for each in types:
                yield from lacking(each, shape, path, shapes)
        case msgspec.inspect.Metadata(type=inner):
            yield from lacking(inner, shape, path, shapes)
        case msgspec.inspect.StructType(fields=fields) if found["type"] == "structure":
            ours = {field.encode_name: field.type for field in fields}
            for name, member in found["members"].items():
                if name in ours:
                    yield from lacking(ours[name], member["shape"], (*path, name), shapes)
                else:
                    yield (*path, name)
        case msgspec.inspect.DictType() if found["type"] == "structure":
            yield (*path, shape)
        case msgspec.inspect.ListType(item_type=item) if found["type"] == "list":
            yield from lacking(item, found["member"]["shape"], path, shapes)
        case msgspec.inspect.DictType(value_type=value) if found["type"] == "map":
            yield from lacking(value, found["value"]["shape"], path, shapes)
        case _:
            pass


@cache
def unread():
    """Paths of the members that requests lack."""
    found = []
    for service, row in SERVICES.items():
        model, ours = model_of(service), row.operations()
        for name in model["operations"].keys() & ours.keys():
            if (part := model["operations"][name].get("input")) is not None:
                kind = msgspec.inspect.type_info(ours[name].request)
                found += lacking(kind, part["shape"], (name,), model["shapes"])
    return found


@pytest.mark.parametrize("service", MODELS)
def test_operations_are_those_of_the_model(service):
    theirs, ours = model_of(service)["operations"], SERVICES[service].operations()
    assert {*ours} - {*theirs} == set()
    assert {*theirs} - {*ours} - OPERATIONS_LACKING.keys() == set()


def test_requests_have_the_members_of_the_model():
    assert [path for path in unread() if not STRUCTURES_UNREAD.keys() & {*path}] == []


@pytest.mark.parametrize("service", MODELS)
def test_requests_have_no_other_members(service):
    model = model_of(service)
    for name, row in SERVICES[service].operations().items():
        ours = {field.encode_name for field in msgspec.structs.fields(row.request)}
        part = model["operations"][name].get("input")
        theirs = model["shapes"][part["shape"]]["members"] if part else {}
        assert ours - theirs.keys() == set(), name


@pytest.mark.parametrize("service", MODELS)
def test_values_of_enums_are_acted_on(service):
    assert [
        (name, value)
        for name, values in enums_of(model_of(service)).items()
        for value in values
        if not acts_on(value)
        and value not in VALUES_UNUSED
        and (name not in ENUMS_OF_OTHERS or "dynamodb" in value.lower())
    ] == []


@pytest.mark.parametrize("service", MODELS)
def test_errors_are_answered(service):
    errors = errors_of(model_of(service))
    assert {each for each in errors if not acts_on(each)} - ERRORS_UNUSED.keys() == set()


# What is not built must be known before somebody depends on it.
def test_exceptions_stand_among_the_differences():
    named = {
        *OPERATIONS_LACKING,
        *STRUCTURES_UNREAD,
        *ENUMS_OF_OTHERS,
        *VALUES_UNUSED,
        *ERRORS_UNUSED,
    }
    assert sorted(each for each in named if f"`{each}`" not in differences()) == []


# Whoever builds what was an exception removes its row.
def test_exceptions_are_exceptions():
    built = {name for row in SERVICES.values() for name in row.operations()}
    assert OPERATIONS_LACKING.keys() & built == set()
    passed = {part for path in unread() for part in path}
    assert STRUCTURES_UNREAD.keys() - passed == set()
    models = [model_of(service) for service in MODELS]
    values = {value for model in models for each in enums_of(model).values() for value in each}
    assert {each for each in VALUES_UNUSED if acts_on(each) or each not in values} == set()
    errors = {each for model in models for each in errors_of(model)}
    assert {each for each in ERRORS_UNUSED if acts_on(each) or each not in errors} == set()


# `make models` shows what the next botocore will ask for.
def test_what_another_botocore_adds(tmp_path):
    for service in MODELS:
        model = json.loads(json.dumps(model_of(service)))
        folder = tmp_path / "data" / service / model["metadata"]["apiVersion"]
        folder.mkdir(parents=True)
        if service == "dynamodb":
            shapes, operations = model["shapes"], model["operations"]
            operations["PutItem"]["errors"].append({"shape": "TableInUseException"})
            operations["MoveTable"] = {"name": "MoveTable"}
            shapes["TableClass"]["enum"].append("GLACIER")
            shapes["GetItemInput"]["members"]["Hint"] = {"shape": "String"}
            del operations["DeleteItem"]
        (folder / "service-2.json").write_text(json.dumps(model), "utf-8")
    assert added(tmp_path) == [
        "dynamodb: error TableInUseException of PutItem",
        "dynamodb: member GetItemInput.Hint of requests",
        "dynamodb: operation MoveTable",
        "dynamodb: value TableClass GLACIER",
    ]
