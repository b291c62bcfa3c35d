"""The form in which DynamoDB keeps and shows resource policies. Pure.

Two texts with one form are one policy: setting the second changes nothing. Source: measured by
users, October 2026 (DDB-TABLE-207, 208, 351 to 355).
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

_DOCUMENT: Final = ("Version", "Id", "Statement")
_STATEMENT: Final = (
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
)
_LISTS: Final = ("Action", "NotAction", "Resource", "NotResource")
_PRINCIPALS: Final = ("Principal", "NotPrincipal")
_OLD_VERSION: Final = "2008-10-17"
_NOBODY: Final[Mapping[str, str]] = MappingProxyType({})
_is_account: Final = re.compile(r"[0-9]{12}").fullmatch


def canonical(text: str) -> str:
    """The canonical form of a policy that was parsed without an error."""
    document = json.loads(text)
    document["Statement"] = [_statement(each) for each in _listed(document["Statement"])]
    return _minified(_ordered(document, _DOCUMENT))


def shown(text: str, gone: Mapping[str, str] = _NOBODY) -> str:
    """A policy in canonical form as GetResourcePolicy shows it: with a version.

    Args:
        text: the policy.
        gone: as of `naming_gone`.
    """
    document = _naming_gone(json.loads(text), gone)
    return _minified(_ordered({"Version": _OLD_VERSION, **document}, _DOCUMENT))


def naming_gone(text: str, gone: Mapping[str, str]) -> str:
    """A policy that names those who are gone by the ids that they had; else as it is.

    Args:
        text: a policy that names principals.
        gone: unique ids by ARN of the principals that are gone since it was set, whom the id stands
            for. Source: IAM User Guide, "IAM users" in the element Principal.
    """
    return _minified(_naming_gone(json.loads(text), gone)) if gone else text


def _naming_gone(document: Any, gone: Mapping[str, str]) -> Any:
    """The document, changed."""
    for statement in _listed(document["Statement"]) if gone else ():
        for name in _PRINCIPALS:
            named = statement.get(name)
            if isinstance(named, dict) and "AWS" in named:
                named["AWS"] = _shortened([gone.get(each, each) for each in _listed(named["AWS"])])
    return document


def _listed(one_or_more: Any) -> list[Any]:
    return one_or_more if isinstance(one_or_more, list) else [one_or_more]


def _statement(sent: dict[str, Any]) -> dict[str, Any]:
    made = dict(sent)
    made["Effect"] = str(made["Effect"]).capitalize()
    for name in _LISTS:
        if name in made:
            made[name] = _shortened(made[name])
    for name in _PRINCIPALS:
        if isinstance(made.get(name), dict):
            made[name] = {kind: _principals(names) for kind, names in made[name].items()}
    return _ordered(made, _STATEMENT)


def _principals(names: Any) -> Any:
    arns = [f"arn:aws:iam::{each}:root" if _is_account(each) else each for each in _listed(names)]
    return _shortened(list(dict.fromkeys(arns)))


def _shortened(texts: Any) -> Any:
    """A list of one text is that text."""
    return texts[0] if isinstance(texts, list) and len(texts) == 1 else texts


def _ordered(members: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: members[name] for name in names if name in members}


def _minified(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
