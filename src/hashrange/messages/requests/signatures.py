"""Texts about the form of a request's signature; whether it is right is not checked.

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
