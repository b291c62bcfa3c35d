"""The Model Context Protocol on standard input and output, by the package mcp."""

# ruff: noqa: PLC0415 - only this command needs the package
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hashrange.cli.assistants.answers import ToolError
from hashrange.cli.assistants.tools import Tool, called
from hashrange.observe.process_figures import program_version
from hashrange.optional_packages import imported

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_REQUIREMENT = "mcp>=2.3"
_INSTRUCTIONS = (
    "Tables of a server that speaks the API of Amazon DynamoDB. Describe a table before you query "
    "it. Prefer query to scan. Answers are bounded; a page that does not end the result has a "
    "LastEvaluatedKey or NextToken."
)


def check_installed() -> None:
    """Raise MissingPackageError if the package mcp is not installed."""
    imported("mcp", _REQUIREMENT, "hashrange mcp needs mcp")


async def serve(tools: Sequence[Tool]) -> None:
    """Answer the program at the other end until it closes standard input."""
    from mcp.server.stdio import stdio_server

    server = _server(tools)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


def _server(tools: Sequence[Tool]) -> "Server[Any]":
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    by_name = {tool.name: tool for tool in tools}
    described = [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.schema,
            annotations=types.ToolAnnotations(read_only_hint=not tool.is_writing),
        )
        for tool in tools
    ]

    async def list_tools(_context: Any, _asked: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=described)

    async def call_tool(_context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = by_name.get(asked.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {asked.name}")
        try:
            text, is_error = await called(tool, asked.arguments or {}), False
        except ToolError as error:
            text, is_error = str(error), True
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)

    return Server(
        "hashrange",
        version=program_version(),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
