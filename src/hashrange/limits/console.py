"""Limits of the console; all are our own."""

from typing import Final

CONSOLE_IDLE_SECONDS_MAX: Final = 30 * 60
"""Between two requests of a session."""
CONSOLE_SESSION_SECONDS_MAX: Final = 12 * 60 * 60
"""From sign-in to the end of a session, however busy it is."""
CONSOLE_RENEWAL_SECONDS_MIN: Final = 60
"""Between two renewals of a session's cookie."""
CONSOLE_COOKIE_CHARS_MAX: Final = 4000
"""Browsers refuse cookies of more than 4096 bytes."""
CONSOLE_SIGN_IN_BYTES_MAX: Final = 16 * 1024
CONSOLE_REQUEST_BYTES_MAX: Final = 16 * 1024
"""Of a request that names a table."""
CONSOLE_PAST_RECORDS_MAX: Final = 50_000
"""Records of a table's log that are read to find its size at a time; some seconds of work."""
CONSOLE_POLICY_BYTES_MAX: Final = 64 * 1024
"""Of a request with a policy; the longest policy of IAM has 20,480 characters."""
CONSOLE_MODEL_BYTES_MAX: Final = 1024 * 1024
"""Of the text of a model."""
CONSOLE_MODEL_REQUEST_BYTES_MAX: Final = 3 * 1024 * 1024
"""Of a request with a model, whose text may be longer in JSON."""
CONSOLE_DESIGN_CPU_SECONDS_MAX: Final = 20
"""Of a processor, of the process that reads a model."""
CONSOLE_DESIGN_SECONDS_MAX: Final = 60
"""Until that process is killed."""
CONSOLE_DESIGN_ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of its answer: templates can make a short model long."""
CONSOLE_DESIGN_MEMORY_BYTES_MAX: Final = 768 * 1024 * 1024
"""Of its address space."""
CONSOLE_TABLES_MAX: Final = 50
"""Of one request about several."""
CONSOLE_SIGN_OUTS_MAX: Final = 4096
"""Sessions that ended by sign-out and are remembered until they would have expired."""
CONSOLE_SIGN_OUT_CHARS_MAX: Final = 64
CONSOLE_ENDPOINTS_MAX: Final = 20
CONSOLE_ENDPOINT_SECONDS_MAX: Final = 60
"""Of one request to another endpoint, all attempts included."""
