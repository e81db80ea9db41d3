# FastMCP's half of docs/from-fastmcp.md; tutorial.cpp is the other. What follows a mark is that section's.
# section: header
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("tutorial", version="1.0.0")


# section: add
@mcp.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


# section: error
@mcp.tool
def divide(a: float, b: float) -> float:
    """Divides one number by another."""
    if b == 0:
        raise ToolError("Nothing can be divided by zero.")
    return a / b


# section: template
@mcp.resource("users://{name}")
def user(name: str) -> str:
    """One user."""
    return f"{name} is a user."


# section: header
if __name__ == "__main__":
    mcp.run()
