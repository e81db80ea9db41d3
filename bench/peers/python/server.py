"""The echo server of FastMCP, as its documentation deploys one: an ASGI application without sessions, JSON answers, and
one process of uvicorn with uvloop and httptools for each processor."""

from fastmcp import FastMCP

mcp = FastMCP("echo")


@mcp.tool
def echo(text: str) -> str:
    """Says what it is given."""
    return text


app = mcp.http_app(path="/mcp", stateless_http=True, json_response=True)
