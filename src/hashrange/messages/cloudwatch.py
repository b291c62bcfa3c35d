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
# InvalidParameterValueException of the period of a report.
minutes = Text("Period must be a multiple of 60")
# InvalidParameterValueException of PutInsightRule.
no_logs = Text("hashrange has no CloudWatch Logs, and so no rules of log groups: rules of tables are made by UpdateContributorInsights of DynamoDB")
# ResourceNotFoundException of a report, and a failure of a list of rules.
no_rule = Text("Insight rule {name} does not exist")
# A failure of DisableInsightRules and DeleteInsightRules.
managed_rule = Text("The rule is managed by DynamoDB: UpdateContributorInsights removes it")
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
# MissingRequiredParameterException.
parameter_missing = Text("The parameter {name} is required.")
# InvalidParameterCombinationException of an alarm on a metric and on metric math, or of both kinds of statistics.
not_both = Text("The parameters {first} and {second} are mutually exclusive, and exactly one of them must be specified.")
# InvalidParameterCombinationException of a parameter beside Metrics.
beside_metrics = Text("The parameter {name} must not be specified if Metrics are.")
# ValidationException of a period of an alarm. Source: API Reference of PutMetricAlarm.
alarm_period = Text("Period must be 10, 20, 30 or a multiple of 60")
# ValidationException of an alarm over too long a time. Source: reports of users.
alarm_too_long = Text("Metrics cannot be checked across more than {text} (EvaluationPeriods * Period must be <= {most})")
# ValidationException.
datapoints_to_alarm = Text("DatapointsToAlarm must be less than or equal to EvaluationPeriods")
# ValidationException of TreatMissingData and EvaluateLowSampleCountPercentile. Source: reports of users.
option = Text("Option [{value}] is not supported. Supported options for parameter {name} are [{options}].")
# ValidationException of an action. Source: reports of users.
arn_invalid = Text("Invalid arn syntax: {arn}")
# ValidationException of Metrics. Source: reports of users.
one_returned = Text("Metrics list must contain exactly one metric matching the ReturnData flag")
# ValidationException of an expression that finds metrics.
searches = Text("An alarm must not use the function SEARCH: it returns several time series")
# ValidationException of metrics with different periods.
one_period = Text("All metrics of an alarm must have the same period")
# ValidationException of an alarm whose name one of another type has.
other_type = Text("An alarm of another type has the name {name}")
# LimitExceededFault. Source: API Reference of PutMetricAlarm.
alarms_full = Text("The quota for alarms for this customer has already been reached.")
# ResourceNotFound. Source: ours.
no_alarm = Text("There is no alarm with the name {name}")
# InvalidFormatFault of StateReasonData.
reason_data = Text("The value of parameter StateReasonData is not valid JSON")
# InvalidParameterCombinationException of DescribeAlarms. Source: API Reference.
names_and_prefix = Text("AlarmNamePrefix and AlarmNames must not be specified together")
# InvalidParameterCombinationException of DescribeAlarms. Source: API Reference.
children_alone = Text("{name} must not be specified with other parameters than MaxRecords and NextToken")
# ValidationException of AlarmRule.
rule = Text("Error in AlarmRule: {reason}")
# ValidationException of a rule with alarms that are not there. Source: reports of users.
no_children = Text("Could not save the composite alarm as alarms [{names}] in the alarm rule do not exist")
# ValidationException of alarms that rules name. Source: reports of users.
has_parents = Text("Cannot delete {name} as there are composite alarm(s) depending on it.")
# ValidationException of DeleteAlarms. Source: API Reference.
several_composites = Text("A request must not delete more than one composite alarm")
# ValidationException of a suppressor without its periods, or of periods without it.
suppressor = Text("ActionsSuppressor, ActionsSuppressorWaitPeriod and ActionsSuppressorExtensionPeriod must be specified together, with periods from 0 to {most} seconds")
# InvalidParameterValueException of an ARN of no alarm. Source: ours.
no_tags = Text("{arn} is no ARN of an alarm or dashboard of this account and region; only these have tags")
# ResourceNotFoundException of tags. Source: ours.
no_tagged = Text("There is no alarm or dashboard {arn}")
# ValidationException of tags.
tags = Text("Tags must have different keys, at most {most}, that do not begin with aws:")


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


def rule_syntax(at: int) -> str:
    """The reason of `rule`. Source: ours."""
    return f"Syntax error at position {at}"


def rule_too_large(most: int, what: str) -> str:
    """The reason of `rule`. Source: ours."""
    return f"It must not have more than {most} {what}"
