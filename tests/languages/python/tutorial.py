"""The tutorial plugin in Python."""

import ctypes
from dataclasses import dataclass
from typing import Annotated, Literal

from mcp_plugin import Context, Field, Image, ToolError, prompt, resource, tool

Size = Annotated[int, Field(ge=1, le=2000)]


@tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@tool
def greet(
    name: Annotated[str, Field(min_length=1)], context: Context, style: Literal["casual", "formal"] = "casual"
) -> str:
    """Greets somebody."""
    if style == "formal":
        return f"Good day, {name}."
    return f"{context.configuration.get('greeting', 'Hi')}, {name}!"


@tool
def resize(width: Size, height: Size = 600) -> str:
    """Says a size."""
    return f"{width}x{height}"


@dataclass
class Person:
    name: str
    age: Annotated[int, Field(ge=0)]
    email: str | None = None


@dataclass
class Registered(Person):
    adult: bool = False


@tool
def register_person(person: Person) -> Registered:
    """Registers a person."""
    return Registered(**vars(person), adult=person.age >= 18)


@tool
def picture() -> Image:
    """Draws a picture."""
    return Image(b"\x89PNG\r\n\x1a\n", "png")


@tool
def count(
    context: Context,
    to: Annotated[int, Field(ge=1, le=100000)],
    milliseconds: Annotated[int, Field(ge=0, le=1000, description="The pause after each step")] = 0,
) -> str:
    """Counts, and tells how far it is."""
    context.info(f"counting to {to}")
    for i in range(1, to + 1):
        context.progress(i, to, f"{i} of {to}")
        if context.sleep(milliseconds / 1000):
            raise ToolError("cancelled")
    return f"counted to {to}"


@tool(timeout=0.3, tags={"slow"})
def slow_tool(context: Context) -> None:
    """Takes longer than it may."""
    if context.sleep(5):
        raise ToolError("cancelled")


@tool
def fail(message: str) -> None:
    """Fails with this message."""
    raise ToolError(message)


@dataclass
class Name:
    name: str


@tool
def ask_name(context: Context) -> str:
    """Asks for the user's name, and greets them."""
    answer = context.elicit("What is your name?", Name, key="name")
    if answer.action == "accept":
        return f"Hello, {answer.data.name}!"
    return "You declined." if answer.action == "decline" else "You cancelled."


@tool(name="break")
def break_down(how: Literal["panic", "crash"]) -> None:
    """Breaks, as a bug would."""
    if how == "panic":
        raise RuntimeError("broken")
    ctypes.memset(None, 0, 1)


@tool
def caller(context: Context) -> str:
    """Says who calls, and in which revision of the protocol."""
    return f"{context.protocol_version} {context.client.name}"


@resource("tutorial://version", mime_type="text/plain")
def version() -> str:
    """The version of this plugin."""
    return "1.0.0"


@resource("tutorial://squares/{n}", mime_type="text/plain")
def square(n: int) -> str:
    """The square of a number."""
    return str(n * n)


@prompt
def review(code: str) -> str:
    """Asks for a review of code."""
    return f"Please review:\n{code}"


@prompt(completions={"language": ["english", "finnish", "french", "german"]})
def greeting(language: str) -> str:
    """Asks for a greeting."""
    return f"Greet me in {language}."
