"""Texts about the form of a request's signature; what is inside of it is another matter.

Source of all: captures of the service, unless said otherwise. Trailing spaces are the service's.
"""


def found_both() -> str:
    """A query string and a header that both want to sign."""
    return (
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
    )


def missing_token() -> str:
    """Neither a header nor a query string that signs."""
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
    """No time of signing; concatenated like the others."""
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
    """Another algorithm than the one there is."""
    return f"Unsupported AWS 'algorithm': '{algorithm}' (only AWS4-HMAC-SHA256 for now). "


def host_not_signed() -> str:
    """The Host header is not among the signed ones."""
    return "'Host' must be a 'SignedHeader' in the AWS Authorization."


def credential_elements(credential: str) -> str:
    """A credential that is not keyid/date/region/service/term."""
    return (
        "Credential must have exactly 5 slash-delimited elements, "
        f"e.g. keyid/date/region/service/term, got '{credential}'"
    )


def region_scope(region: str) -> str:
    """A region that no region's name can be."""
    return f"Credential should be scoped to a valid region, not '{region}'. "


def token_invalid() -> str:
    """An access key that nobody can have."""
    return "The security token included in the request is invalid."
