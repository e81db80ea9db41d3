"""What sample.c is, in Python: the names of mcp_plugin that files have been written with since version 1.0."""

from dataclasses import dataclass
from typing import Annotated, Literal

from mcp_plugin import (
    Audio,
    Cancelled,
    Client,
    Context,
    Elicited,
    Field,
    Image,
    Message,
    NotFound,
    ProtocolError,
    ToolError,
    ToolResult,
    prompt,
    resource,
    tool,
)


@dataclass
class Known:
    protocol_version: str
    principal: str


@tool(title="Known", annotations={"readOnlyHint": True}, tags={"kept"}, timeout=60.0, meta={"since": "1.0"})
def known(context: Context, style: Literal["short", "long"] = "short") -> Known:
    """What is known of the call."""
    return Known(context.protocol_version, context.caller["id"])


@tool
def wait(context: Context) -> str:
    """Waits to be cancelled."""
    context.sleep(60)
    context.throw_if_cancelled()
    return "not cancelled"


@resource("sample://{name}", mime_type="text/plain", completions={"name": ["first", "second"]})
def content(name: str) -> str:
    if name not in ("first", "second"):
        raise NotFound(f"There is no {name}.")
    return f"The {name}."


@prompt
def review(code: Annotated[str, Field(description="The code", min_length=1)], times: int = 1) -> list:
    """Asks for a review."""
    return [Message(f"{code} {times}"), Message("Yes?", role="assistant")]
