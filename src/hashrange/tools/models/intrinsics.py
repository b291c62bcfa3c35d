"""Intrinsic functions of CloudFormation, replaced by values as far as a template has them. Pure.

A value that only a deployment knows becomes its name. Source: CloudFormation User Guide,
"Intrinsic function reference".
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from hashrange.tools.models.schema import ModelError

_DEPTH_MAX: Final = 100
_VARIABLE: Final = re.compile(r"\$\{([^}!]+)\}")
_PSEUDO: Final = {
    "AWS::Region": "us-east-1",
    "AWS::AccountId": "000000000000",
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "stack",
}
NO_VALUE: Final = "AWS::NoValue"
WORK_MAX: Final = 500_000
"""Functions and characters of their texts; a small template could describe a huge one."""


class Values:
    """The values of a template. Its methods raise ModelError.

    Args:
        template: a template.
    """

    def __init__(self, template: Mapping[str, Any]) -> None:
        self._template = template
        self._work = 0

    def _spend(self, depth: int, chars: int = 1) -> None:
        self._work += chars
        if depth > _DEPTH_MAX or self._work > WORK_MAX:
            raise ModelError("its intrinsic functions are nested too deep, or give too much text")

    def of(self, node: Any, depth: int = 0) -> Any:
        """The node with its intrinsic functions replaced; members of no value are left out."""
        self._spend(depth)
        if isinstance(node, list):
            found = [self.of(each, depth + 1) for each in node]
            return [each for each in found if each is not None]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            ((name, argument),) = node.items()
            if name == "Ref" or (isinstance(name, str) and name.startswith("Fn::")):
                return self._result(name, argument, depth)
        members = {name: self.of(each, depth + 1) for name, each in node.items()}
        return {name: each for name, each in members.items() if each is not None}

    def _result(self, function: str, argument: Any, depth: int) -> Any:  # noqa: C901, PLR0911 - a row for each function
        match function, argument:
            case "Ref", str():
                return None if argument == NO_VALUE else self._named(argument, depth)
            case "Fn::Sub", str():
                return self._substituted(argument, {}, depth)
            case "Fn::Sub", [str() as text, dict() as own]:
                return self._substituted(text, own, depth)
            case "Fn::Join", [str() as separator, parts]:
                found = self.of(parts, depth + 1)
                texts = [str(each) for each in (found if isinstance(found, list) else [found])]
                self._spend(depth, len(separator) * len(texts) + sum(map(len, texts)))
                return separator.join(texts)
            case "Fn::If", [str() as condition, first, second]:
                return self.of(first if self._holds(condition, depth + 1) else second, depth + 1)
            case "Fn::Select", [index, parts]:
                found = self.of(parts, depth + 1)
                at = self.of(index, depth + 1)
                at = int(at) if str(at).isdecimal() else 0
                return found[at] if isinstance(found, list) and at < len(found) else "Select"
            case "Fn::Split", [str() as separator, text] if separator:
                return str(self.of(text, depth + 1)).split(separator)
            case "Fn::FindInMap", [name, first, second, *_]:
                return self._mapped([self.of(each, depth + 1) for each in (name, first, second)])
            case "Fn::GetAtt", [str() as resource, *_]:
                return resource
            case "Fn::GetAtt" | "Fn::ImportValue", str():
                return argument.partition(".")[0]
            case _:
                return function.removeprefix("Fn::")

    def _named(self, name: str, depth: int) -> Any:
        """The value of a parameter or a resource."""
        parameters = self._template.get("Parameters")
        parameter = parameters.get(name) if isinstance(parameters, dict) else None
        if isinstance(parameter, dict):
            default = parameter.get("Default", name)
            if parameter.get("Type") == "Number" and str(default).isdecimal():
                return int(default)
            if str(parameter.get("Type")).endswith("List") or "List<" in str(parameter.get("Type")):
                return [each.strip() for each in str(default).split(",")]
            return default
        resources = self._template.get("Resources")
        resource = resources.get(name) if isinstance(resources, dict) else None
        if isinstance(resource, dict) and isinstance(resource.get("Properties"), dict):
            table_name = resource["Properties"].get("TableName")
            if table_name is not None and table_name != {"Ref": name}:
                return self.of(table_name, depth + 1)
        return _PSEUDO.get(name, name)

    def _substituted(self, text: str, own: Mapping[str, Any], depth: int) -> str:
        def value(match: re.Match[str]) -> str:
            name = match[1]
            found = (
                self.of(own[name], depth + 1)
                if name in own
                else self._named(name.partition(".")[0], depth + 1)
            )
            text = str(found)
            self._spend(depth, 1 + len(text))
            return text

        return _VARIABLE.sub(value, text).replace("${!", "${")

    def _mapped(self, path: list[Any]) -> Any:
        node: Any = self._template.get("Mappings")
        for name in path:
            node = node.get(str(name)) if isinstance(node, dict) else None
        return "FindInMap" if node is None else node

    def _holds(self, name: str, depth: int) -> bool:
        """Whether a condition holds with the defaults of the parameters."""
        conditions = self._template.get("Conditions")
        condition = conditions.get(name) if isinstance(conditions, dict) else None
        return self._is_true(condition, depth + 1)

    def _is_true(self, node: Any, depth: int) -> bool:
        self._spend(depth)
        match node:
            case {"Fn::Equals": [first, second]}:
                return bool(str(self.of(first, depth + 1)) == str(self.of(second, depth + 1)))
            case {"Fn::Not": [inner]}:
                return not self._is_true(inner, depth + 1)
            case {"Fn::And": [*inner]}:
                return all(self._is_true(each, depth + 1) for each in inner)
            case {"Fn::Or": [*inner]}:
                return any(self._is_true(each, depth + 1) for each in inner)
            case {"Condition": str() as name}:
                return self._holds(name, depth + 1)
            case _:
                return True
