"""Texts of CloudWatch. Source, if a text has no other: ours, after those of the API Reference."""

from hashrange.messages.text import Text

# UnknownOperationException of an operation that is not built.
unknown_operation = Text("hashrange does not support the CloudWatch operation {name}")
# InternalServiceFault.
internal = Text("An internal error occurred")
# MissingRequiredParameterException of an element of MetricData.
value_missing = Text("At least one of the parameters  MetricData.member.{number}.Value, MetricData.member.{number}.Values or MetricData.member.{number}.StatisticValues must be specified")
# InvalidParameterCombinationException of two kinds of values in one datum.
values_exclusive = Text("The parameters MetricData.member.{number}.Value, MetricData.member.{number}.Values and MetricData.member.{number}.StatisticValues are mutually exclusive and you have specified more than one")
# InvalidParameterValueException of lists of different lengths.
counts_differ = Text("The parameters MetricData.member.{number}.Values and MetricData.member.{number}.Counts must have the same length")
# InvalidParameterValueException.
out_of_range = Text("The parameter {name} must be between {least} and {most}")
# InvalidParameterValueException.
too_many = Text("The collection {name} must not have a size greater than {most}")
# InvalidParameterValueException of NaN, an infinity, or a number beyond 2**360.
not_a_value = Text("The value {value} for parameter {name} is invalid")
# InvalidParameterValueException of a timestamp.
too_old = Text("The parameter {name} must specify a time no more than two weeks in the past and two hours in the future")
# InvalidParameterValueException of a name that is reserved.
reserved = Text('The value {namespace} for parameter Namespace is invalid: a namespace must not begin with "AWS/"')
# InvalidParameterValueException of a storage resolution.
resolution = Text("The parameter {name} must be 1 or 60")
# InvalidParameterValueException.
period = Text("Period must be 1, 5, 10, 20, 30, or a multiple of 60")
# InvalidParameterValueException.
start_after_end = Text("The parameter StartTime must be less than the parameter EndTime.")
# MissingRequiredParameterException.
statistics_missing = Text("At least one of the parameters Statistics and ExtendedStatistics must be specified.")
# InvalidParameterCombinationException. Source: reports of users.
datapoints = Text("You have requested up to {count} datapoints, which exceeds the limit of {most}. You may reduce the datapoints requested by increasing Period, or decreasing the time range.")
# InvalidParameterValueException of a statistic.
statistic = Text("The value {value} for parameter {name} is not supported.")
# InvalidNextToken.
next_token = Text("The NextToken provided is invalid")
# ValidationException of a parameter that is not built.
unsupported = Text("hashrange does not support {name} yet")
# DashboardInvalidInputError. Source: reports of users, but for the list.
dashboard_invalid = Text("The dashboard body is invalid, there are {count} validation errors: {listed}")
# DashboardNotFoundError.
no_dashboard = Text("Dashboard {name} does not exist")
# ValidationException of LabelOptions.
timezone = Text("The value {value} for parameter LabelOptions.Timezone is not an offset from UTC such as +0130")
# ValidationException of an id.
id_invalid = Text("The value {id} for parameter MetricDataQueries.member.Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.")
# ValidationException of two queries with one id.
id_twice = Text("The values for parameter id in MetricDataQueries are not unique: {id}")
# ValidationException of a query with an expression and a metric, or with neither.
one_of_both = Text("Exactly one of the parameters MetricStat and Expression must be specified for the query {id}")
# ValidationException of an expression.
expression = Text("Error in expression '{id}': {reason}")
# ValidationException of a request for more than can be read.
too_much = Text("The request reads more than {most} stored periods; ask for fewer metrics or a shorter time range")


def syntax_error(at: int) -> str:
    """The reason of `expression`. Source: ours."""
    return f"Syntax error at position {at}"


def unknown_function(name: str) -> str:
    """The reason of `expression`. Source: ours."""
    return f"Unsupported function {name}"


def unknown_id(name: str) -> str:
    """The reason of `expression`. Source: ours."""
    return f"Unknown id {name}"


def circular(name: str) -> str:
    """The reason of `expression`. Source: ours."""
    return f"The expression refers to itself through {name}"


def too_deep() -> str:
    """The reason of `expression`. Source: ours."""
    return "The expression is nested too deeply"


def operand_types(operation: str) -> str:
    """The reason of `expression`. Source: ours."""
    return f"Unsupported operand types for {operation}"


def result_type() -> str:
    """The reason of `expression` whose result is a single number. Source: ours."""
    return "The result must be a time series or a list of time series"


def too_many_values(most: int) -> str:
    """The reason of `expression`. Source: ours."""
    return f"The expressions compute more than {most} values"


def dashboard_name() -> str:
    """A fault of `dashboard_invalid`. Source: ours."""
    return "The name of a dashboard has 1 to 255 of the characters A-Z, a-z, 0-9, - and _"


def dashboard_json() -> str:
    """A fault of `dashboard_invalid`. Source: ours."""
    return "The body is not a JSON object"


def dashboard_size(most: int) -> str:
    """A fault of `dashboard_invalid`. Source: ours."""
    return f"The body has more than {most:,} bytes"


def dashboard_member(name: str) -> str:
    """A fault of `dashboard_invalid`. Source: reports of users."""
    return f"Should have required property '{name}'"


def dashboard_type(kind: str) -> str:
    """A fault of `dashboard_invalid`. Source: reports of users."""
    return f"Should be {kind}"


def dashboard_least(least: int) -> str:
    """A fault of `dashboard_invalid`. Source: reports of users."""
    return f"Should be >= {least}"


def dashboard_most(most: int) -> str:
    """A fault of `dashboard_invalid`. Source: reports of users."""
    return f"Should be <= {most}"


def dashboard_widgets(most: int) -> str:
    """A fault of `dashboard_invalid`. Source: reports of users."""
    return f"Should NOT have more than {most} items"
