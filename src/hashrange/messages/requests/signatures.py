"""Texts about the signatures of requests.

Source of all: captures of the service, unless said otherwise. Trailing spaces are the service's.
"""


def found_both() -> str:
    """A signature in the query string and in the header."""
    return (
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
    )


def missing_token() -> str:
    """No signature, in the header or in the query string."""
    return "Request is missing Authentication Token"


def no_pair(part: str, authorization: str) -> str:
    """A part of the header without an equal sign."""
    return (
        f"'{part}' not a valid key=value pair (missing equal-sign) "
        f"in Authorization header: '{authorization}'."
    )


def header_requires(parameter: str) -> str:
    """One of Credential, Signature and SignedHeaders is missing; several are concatenated."""
    return f"Authorization header requires '{parameter}' parameter. "


def header_requires_date() -> str:
    """No time of signing; concatenated like `header_requires`."""
    return "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "


def header_echo(authorization: str) -> str:
    """The end of a text about an incomplete header."""
    return f"Authorization={authorization}"


def query_requires(parameter: str) -> str:
    """A parameter of the query string is missing; several are concatenated."""
    return f"AWS query-string parameters must include '{parameter}'. "


def query_echo() -> str:
    """The end of a text about an incomplete query string."""
    return "Re-examine the query-string parameters."


def query_too_long(fields_max: int) -> str:
    """Source: ours."""
    return f"The query string must not have more than {fields_max} parameters."


def date_format(date: str) -> str:
    """A time of signing that is not YYYYMMDD'T'HHMMSS'Z'."""
    return (
        f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
        "See http://en.wikipedia.org/wiki/ISO_8601"
    )


def unsupported_algorithm(algorithm: str) -> str:
    """An algorithm other than AWS4-HMAC-SHA256."""
    return f"Unsupported AWS 'algorithm': '{algorithm}' (only AWS4-HMAC-SHA256 for now). "


def host_not_signed() -> str:
    """The Host header is not among the signed headers."""
    return "'Host' must be a 'SignedHeader' in the AWS Authorization."


def credential_elements(credential: str) -> str:
    """A credential that is not keyid/date/region/service/term."""
    return (
        "Credential must have exactly 5 slash-delimited elements, "
        f"e.g. keyid/date/region/service/term, got '{credential}'"
    )


def region_scope(region: str) -> str:
    """A region with characters that no region's name has."""
    return f"Credential should be scoped to a valid region, not '{region}'. "


def token_invalid() -> str:
    """An access key that is too long or has characters that no access key has."""
    return "The security token included in the request is invalid."


def session_token_invalid() -> str:
    """A session token of other servers, of another access key, or one that was changed.

    Without a dot at its end, as captured.
    """
    return "The security token included in the request is invalid"


def target_not_signed() -> str:
    """The header that names the operation is not signed. Source: ours, after that of Host."""
    return "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization."


def expired(time: str, earliest: str, now: str, lifetime: str) -> str:
    """A time of signing that is too long ago; the lifetime is `15 min`, but of presigned ones."""
    return f"Signature expired: {time} is now earlier than {earliest} ({now} - {lifetime}.)"


def not_yet_current(time: str, latest: str, now: str, skew: str) -> str:
    """A time of signing that is too far in the future."""
    return f"Signature not yet current: {time} is still later than {latest} ({now} + {skew}.)"


def expires_no_number() -> str:
    """X-Amz-Expires of a presigned request. Source: Amazon S3."""
    return "X-Amz-Expires should be a number"


def expires_negative() -> str:
    """X-Amz-Expires of a presigned request. Source: Amazon S3."""
    return "X-Amz-Expires must be non-negative"


def expires_too_long(seconds_max: int) -> str:
    """X-Amz-Expires of a presigned request. Source: Amazon S3."""
    return (
        "X-Amz-Expires must be less than a week (in seconds); "
        f"that is, the given X-Amz-Expires must be less than {seconds_max} seconds"
    )


def service_scope(service: str) -> str:
    """A scope of another service; concatenated with the texts about the scope that follow."""
    return f"Credential should be scoped to correct service: '{service}'. "


def terminator_scope(terminator: str, found: str) -> str:
    """A scope with another end than aws4_request; concatenated."""
    return f"Credential should be scoped with a valid terminator: '{terminator}', not '{found}'. "


def date_scope(found: str, date: str, time: str) -> str:
    """A scope of another day than the time of signing; concatenated."""
    return (
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        f"'{found}' != '{date}', from '{time}'."
    )


def token_expired() -> str:
    """The session of the access key has ended."""
    return "The security token included in the request is expired"


def mismatch(canonical: str, text: str) -> str:
    """The signature was made with another secret key, or of another request."""
    return (
        "The request signature we calculated does not match the signature you provided. Check your "
        "AWS Secret Access Key and signing method. Consult the service documentation for details."
        f"\n\nThe Canonical String for this request should have been\n'{canonical}'"
        f"\n\nThe String-to-Sign should have been\n'{text}'\n"
    )


def too_many_requests(requests_max: int) -> str:
    """ThrottlingException of the setting `requests_per_second_max`. Source: ours."""
    return f"The principal has made more than {requests_max} requests within a second"
