"""What the files that the plugin `python` serves are written with.

    from mcp_plugin import tool

    @tool
    def add(a: int, b: int) -> int:
        \"\"\"Adds two numbers.\"\"\"
        return a + b

It needs nothing but Python's standard library, so functions that are written with it can be tested without a host.
"""

from .components import experimental, extension, on_subscribed, on_unsubscribed, prompt, resource, tool
from .content import Audio, Image, Message, NotFound, ProtocolError, ToolError, ToolResult
from .context import Cancelled, Client, Context, Elicited
from .forms import Field
from .metrics import Counter, Gauge, Histogram
from .store import Entry, Store, StoreError

__all__ = [
    "Audio",
    "Cancelled",
    "Client",
    "Context",
    "Counter",
    "Elicited",
    "Entry",
    "Field",
    "Gauge",
    "Histogram",
    "Image",
    "Message",
    "NotFound",
    "ProtocolError",
    "Store",
    "StoreError",
    "ToolError",
    "ToolResult",
    "experimental",
    "extension",
    "on_subscribed",
    "on_unsubscribed",
    "prompt",
    "resource",
    "tool",
]
