"""Limits of CloudWatch. Source: CloudWatch User Guide, "quotas", and the API Reference, 2026."""

from typing import Final

PUT_DATA_MAX: Final = 1000
"""Elements of MetricData of one request."""
PUT_VALUES_MAX: Final = 150
"""Different values of one element."""
VALUE_MAX: Final = 2.0**360
"""Of a value; its negative is the least."""
PAST_SECONDS_MAX: Final = 14 * 24 * 3600
FUTURE_SECONDS_MAX: Final = 2 * 3600
LISTED_METRICS_MAX: Final = 500
"""Metrics of a page."""
LISTED_SECONDS_MAX: Final = 14 * 24 * 3600
"""Metrics without samples for longer are not listed."""
RECENT_SECONDS: Final = 3 * 3600
"""The meaning of RecentlyActive."""
STATISTICS_DATAPOINTS_MAX: Final = 1440
"""Of an answer to GetMetricStatistics."""
QUERIES_MAX: Final = 500
"""Of a request of GetMetricData."""
DATAPOINTS_MAX: Final = 100_800
"""Of a page of GetMetricData."""
SHORT_PERIODS: Final = (1, 5, 10, 20, 30)
"""Periods in seconds that are not a multiple of 60."""
SEARCHED_METRICS_MAX: Final = 500
"""Time series of a search expression."""
CHUNKS_READ_MAX: Final = 100_000
"""Chunks of 60 samples that a request may look for. Ours."""
EXPRESSION_LEVELS_MAX: Final = 32
"""Brackets within brackets of an expression. Ours."""
EXPRESSION_SERIES_MAX: Final = 1000
"""Time series that the expressions of a request may make. Ours."""
EXPRESSION_VALUES_MAX: Final = 2_000_000
"""Values that the expressions of a request may compute. Ours."""
FORM_BYTES_MAX: Final = 1024 * 1024
"""Of a request in the query protocol."""
FORM_FIELDS_MAX: Final = 30_000
"""Ours: fields of such a request, as many as its bytes have room for."""
FORM_LEVELS_MAX: Final = 12
"""Ours: parts of the name of a field; EntityMetricData has ten."""
CBOR_ITEMS_MAX: Final = 150_000
"""Ours: CBOR items of a request; one MB has room for 120,000 numbers."""
DASHBOARD_BYTES_MAX: Final = 300_000
"""Ours: of the body of a dashboard."""
DASHBOARD_WIDGETS_MAX: Final = 500
DASHBOARD_WIDTH_MAX: Final = 24
"""Columns of a dashboard, and of a widget."""
DASHBOARD_HEIGHT_MAX: Final = 1000
"""Rows of a widget."""
DASHBOARD_MESSAGES_MAX: Final = 100
"""Ours: faults of a body that an answer lists."""
LISTED_DASHBOARDS_MAX: Final = 1000
"""Of a page."""
DELETED_DASHBOARDS_MAX: Final = 100
"""Of one request."""
ALARMS_MAX: Final = 5000
"""Alarms of an account and region."""
ALARMS_PAGE: Final = 50
"""Alarms of a page, if the request does not say; likewise items of a history."""
ALARM_HISTORY_SECONDS: Final = 30 * 24 * 3600
"""For how long the history of an alarm is kept."""
ALARM_ITEMS_READ_MAX: Final = 5000
"""Items of a history that a request looks at. Ours."""
ALARM_DAY_SECONDS: Final = 24 * 3600
"""Periods of an alarm together, if one is shorter than an hour."""
ALARM_WEEK_SECONDS: Final = 7 * 24 * 3600
"""The same of longer periods."""
ALARM_PERIODS: Final = (10, 20, 30)
"""Periods of alarms in seconds that are not a multiple of 60."""
ALARM_METRICS_MAX: Final = 10
"""Metrics of an alarm on metric math."""
TAGS_MAX: Final = 50
"""Of an alarm or a dashboard."""
COMPOSITE_CHILDREN_MAX: Final = 100
"""Alarms that a rule names."""
COMPOSITE_ELEMENTS_MAX: Final = 500
"""Alarms, TRUE, FALSE and brackets of a rule."""
SUPPRESSION_SECONDS_MAX: Final = 7 * 24 * 3600
"""Periods of an ActionsSuppressor. Ours."""
ACTION_ATTEMPTS_MAX: Final = 4
"""Attempts to do an action: one, and three more. Source: SNS Developer Guide, HTTP retries."""
ACTION_PAUSE_MS: Final = 20_000
"""Between two attempts; likewise."""
ACTION_SECONDS_MAX: Final = 5.0
"""A webhook without an answer for so long has failed."""
ACTIONS_AT_ONCE_MAX: Final = 16
"""Actions that are done at the same time."""
ACTIONS_PAGE: Final = 200
"""Actions that are read at a time."""
SUMMARY_CHARS_MAX: Final = 255
"""Of an item of a history."""
COMPOSITE_LEVELS_MAX: Final = 100
"""Brackets within brackets of a rule. Ours."""
INSIGHT_KEPT_MINUTES: Final = 24 * 60
"""Of what rules of contributor insights have counted. Ours; the service keeps it for 15 days."""
INSIGHT_ROW_BYTES_MAX: Final = 16 * 1024
"""Keys of a rule that a process stores for a minute. Ours."""
REPORT_CONTRIBUTORS_MAX: Final = 100
REPORT_CONTRIBUTORS_DEFAULT: Final = 10
DESCRIBED_RULES_MAX: Final = 500
