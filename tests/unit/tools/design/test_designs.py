"""Each output makes the table of the definition: it is read back by readers of its language."""

import asyncio
import json

import pytest
from hypothesis import assume, event, given, settings

from hashrange.clock import SystemClock
from hashrange.tools.design.choices import Choices, DesignError, definition_of
from hashrange.tools.design.designs import OUTPUTS, design_of
from hashrange.tools.design.refusals import refuse
from hashrange.tools.design.steps import steps_of
from hashrange.tools.models.reading import model_of
from tests.unit.tools.design.random_designs import choices
from tests.unit.tools.design.stacks import Stack, normal, template_in, terraform_requests

PRODUCTION = Choices(table_name="shop", production=True)
ON_DEMAND = Choices(table_name="shop", production=True, billing_mode="PAY_PER_REQUEST")


def made(chosen):
    definition = definition_of(chosen)
    return design_of(definition, parameters=chosen.production)


def accepted(chosen):
    try:
        design = made(chosen)
        asyncio.run(refuse(design.definition, SystemClock()))
    except DesignError as error:
        event(f"refused: {error}")
        assume(False)
    return design


def requests_of(design):
    return {
        normal(each.service, each.operation, each.request) for each in steps_of(design.definition)
    }


@settings(print_blob=True)
@given(choices())
def test_template_makes_the_table(chosen):
    design = accepted(chosen)
    template = template_in(OUTPUTS["cloudformation"](design))
    assert Stack(template).requests() == requests_of(design)


@pytest.mark.long
@given(choices())
def test_configuration_of_terraform_makes_the_table(chosen):
    design = accepted(chosen)
    assert terraform_requests(OUTPUTS["terraform"](design)) == requests_of(design)


def found_by_cfn_lint(design):
    from cfnlint.api import lint  # noqa: PLC0415 - a second, in each process that collects

    return [str(each) for each in lint(OUTPUTS["cloudformation"](design))]


@pytest.mark.long
@pytest.mark.parametrize("chosen", [PRODUCTION, ON_DEMAND])
def test_cfn_lint_finds_nothing(chosen):
    assert found_by_cfn_lint(made(chosen)) == []


@pytest.mark.long
@pytest.mark.timeout(600)
@settings(max_examples=40)
@given(choices())
def test_cfn_lint_finds_nothing_in_any_template(chosen):
    assert found_by_cfn_lint(accepted(chosen)) == []


# One template for all modes and environments.
def test_parameters_of_a_template_choose_mode_range_and_environment():
    template = template_in(OUTPUTS["cloudformation"](made(PRODUCTION)))
    stack = Stack(
        template,
        Environment="dev",
        BillingMode="PROVISIONED",
        MinReadUnits=7,
        MaxWriteUnits=9,
        TargetUtilization=50,
    )
    requests = [json.loads(each) for each in stack.requests()]
    (table,) = [each for _, operation, each in requests if operation == "CreateTable"]
    assert table["TableName"] == "shop-dev"
    assert table["Tags"] == [{"Key": "Environment", "Value": "dev"}]
    bounds = {
        (each["ScalableDimension"], each["MinCapacity"], each["MaxCapacity"])
        for _, operation, each in requests
        if operation == "RegisterScalableTarget"
    }
    assert bounds == {
        ("dynamodb:table:ReadCapacityUnits", 7, 500),
        ("dynamodb:table:WriteCapacityUnits", 5, 9),
        ("dynamodb:index:ReadCapacityUnits", 7, 500),
        ("dynamodb:index:WriteCapacityUnits", 5, 9),
    }
    on_demand = Stack(template, BillingMode="PAY_PER_REQUEST").requests()
    assert on_demand == requests_of(made(ON_DEMAND))


def test_alarms_of_a_template_have_the_topic_that_is_chosen():
    template = template_in(OUTPUTS["cloudformation"](made(PRODUCTION)))
    alarm = template["Resources"]["ReadThrottlesAlarm"]["Properties"]["AlarmActions"]
    assert Stack(template).value([alarm]) == []
    assert Stack(template, AlarmTopic="arn:x").value(alarm) == ["arn:x"]


@pytest.mark.parametrize("output", ["cloudformation", "workbench", "json"])
def test_model_is_read_from_an_output(output):
    design = made(Choices(table_name="shop", partition_key="pk:S", gsi=("by-sku:sku:S",)))
    members = template_in(OUTPUTS[output](design))
    if output == "json":
        assert members["request"] == design.definition.request
        return
    (table,) = model_of(members, "shop").tables
    assert table.request["KeySchema"] == design.definition.request["KeySchema"]
    assert [index["IndexName"] for index in table.request["GlobalSecondaryIndexes"]] == ["by-sku"]


def test_entities_are_in_the_model():
    definition = definition_of(PRODUCTION)
    design = design_of(definition, ["Order", "order item"])
    page = OUTPUTS["markdown"](design)
    assert "`ORDER#{orderId}`" in page
    assert "`ORDER_ITEM#{orderItemId}`" in page


def test_member_that_no_output_has_is_refused():
    definition = definition_of(Choices(table_name="shop", partition_key="pk:S"))
    definition.request["ResourcePolicy"] = "{}"
    with pytest.raises(DesignError, match="shop: designs have no ResourcePolicy"):
        asyncio.run(refuse(definition, SystemClock()))
