# FastMCP's half of docs/from-fastmcp.md; tutorial.cpp is the other. What follows a mark is that section's.
# section: header
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal
from uuid import UUID

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.prompts import Message
from fastmcp.server.lifespan import lifespan
from fastmcp.tools import ToolResult
from fastmcp.utilities.types import Image
from mcp.types import SamplingMessage, TextContent
from pydantic import Base64Bytes, Field


# section: lifespan
@lifespan
async def open_notes(server: FastMCP) -> AsyncIterator[dict[str, dict[int, str]]]:
    notes = {1: "buy milk", 2: "call Ada"}
    try:
        yield {"notes": notes}
    finally:
        notes.clear()


# section: header
mcp = FastMCP("tutorial", version="1.0.0", lifespan=open_notes)


# section: add
@mcp.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


# section: greet, enum
class Tone(Enum):
    warm = "warm"
    dry = "dry"


@mcp.tool
def greet(name: str, tone: Tone = Tone.warm) -> str:
    """Greets somebody."""
    return f"Dear {name}!" if tone is Tone.warm else f"{name}."


# section: constraints
@mcp.tool
def resize(
    file: Annotated[str, Field(description="The picture", pattern=r"\.png$", max_length=80)],
    width: Annotated[int, Field(description="In pixels", ge=1, le=2000)] = 800,
) -> str:
    """Resizes a picture."""
    return f"{file} is {width} pixels wide"


# section: choices
@mcp.tool
def hello(language: Literal["en", "de"] = "en") -> str:
    """Says hello."""
    return "Hallo!" if language == "de" else "Hello!"


# section: dataclass
@dataclass
class Person:
    name: str
    age: int
    email: str | None = None


@mcp.tool
def birthday(person: Person) -> Person:
    """Makes somebody a year older."""
    return replace(person, age=person.age + 1)


# section: nested
@dataclass
class Team:
    leader: Person
    members: list[Person]


@mcp.tool
def promote(team: Team) -> Team:
    """Makes the first member the leader."""
    return Team(team.members[0], team.members[1:])


# section: union, date
@dataclass
class Booking:
    day: date
    seat: int | str


@mcp.tool
def rebook(day: date, seat: int | str) -> Booking:
    """Moves a booking to the next day."""
    return Booking(day + timedelta(days=1), seat)


# section: image
@mcp.tool
def picture() -> Image:
    """A picture."""
    return Image(data=b"\x89PNG", format="png")


# section: ToolResult
@mcp.tool
def check() -> ToolResult:
    """Checks that all is well."""
    return ToolResult(content="All is well.", structured_content={"faults": 0}, meta={"ms": 3})


# section: async, progress, log
@mcp.tool
async def copy(files: list[str], ctx: Context) -> str:
    """Copies files."""
    for done, file in enumerate(files, 1):
        await ctx.report_progress(done, len(files), file)
    await ctx.info("copied")
    return f"{len(files)} copied"


# section: error
@mcp.tool
def divide(a: float, b: float) -> float:
    """Divides one number by another."""
    if b == 0:
        raise ToolError("Nothing can be divided by zero.")
    return a / b


# section: annotations
@mcp.tool(title="Double it", annotations={"readOnlyHint": True, "openWorldHint": False})
def double(number: int) -> int:
    """Doubles a number."""
    return 2 * number


# section: lifespan use
@mcp.tool
def note(number: int, ctx: Context) -> str:
    """One of the notes."""
    return ctx.lifespan_context["notes"][number]


# section: add a tool at run time
@mcp.tool
def unlock() -> None:
    """Adds a tool."""
    mcp.tool(lambda: "opened", name="open_safe", description="Opens the safe.")


# section: resource
@mcp.resource("config://version")
def version() -> str:
    """The version."""
    return "1.0.0"


# section: binary
@mcp.resource("config://logo", mime_type="image/png")
def logo() -> bytes:
    """The logo."""
    return b"\x89PNG"


# section: template
@mcp.resource("users://{name}")
def user(name: str) -> str:
    """One user."""
    return f"{name} is a user."


# section: typed variable
@mcp.resource("squares://{number}")
def square(number: int) -> str:
    """The square of a number."""
    return str(number * number)


# section: wildcard
@mcp.resource("docs://{path*}")
def document(path: str) -> str:
    """One document."""
    return f"This is {path}."


# section: wildcard in the middle
@mcp.resource("repos://{path*}/license")
def license(path: str) -> str:
    """The license of a repository."""
    return f"{path} is free."


# section: query
@mcp.resource("search://notes{?words,limit}")
def search(words: str = "", limit: int = 10) -> str:
    """Finds notes."""
    return f"{limit} notes of {words}"


# section: prompt
@mcp.prompt
def explain(topic: str) -> str:
    """Asks for an explanation."""
    return f"Explain {topic} to a child."


# section: prompt messages
@mcp.prompt
def debug(error: str) -> list[Message]:
    """Asks what is wrong."""
    return [Message(f"What is wrong? {error}"), Message("When was that?", role="assistant")]


# section: typed prompt argument
@mcp.prompt
def quiz(topic: str, count: int = 3) -> str:
    """Asks for a quiz."""
    return f"{count} questions on {topic}, please."


# section: elicit
@dataclass
class Pizza:
    name: Annotated[str, Field(title="Name", description="Whom it is for")]
    size: Literal["small", "large"]
    count: Annotated[int, Field(ge=1, le=9)] = 1


@mcp.tool
async def order(ctx: Context) -> str:
    """Orders a pizza."""
    answer = await ctx.elicit("What shall it be?", Pizza)
    if answer.action != "accept":
        return "Nothing was ordered."
    return f"{answer.data.count} {answer.data.size} for {answer.data.name}"


# section: elicit a scalar
@mcp.tool
async def clear(ctx: Context) -> str:
    """Clears all."""
    answer = await ctx.elicit("Really?", bool)
    return "cleared" if answer.action == "accept" and answer.data else "kept"


# section: sampling
@mcp.tool
async def poem(topic: str, ctx: Context) -> str:
    """Has the client's model write a poem."""
    answer = await ctx.session.create_message(
        [SamplingMessage(role="user", content=TextContent(type="text", text=f"A poem on {topic}"))],
        max_tokens=200,
        system_prompt="You are terse.",
        related_request_id=ctx.request_id,
    )
    return answer.content.text


# section: times, durations
@mcp.tool
def finish(start: datetime, takes: timedelta) -> datetime:
    """When something ends."""
    return start + takes


# section: paths, UUIDs
@mcp.tool
def place(folder: Path, id: UUID) -> Path:
    """Where the file of an id lies."""
    return folder / str(id)


# section: sets, tuples
@mcp.tool
def between(numbers: set[int], bounds: tuple[int, int]) -> set[int]:
    """Those of the numbers that are between two others."""
    return {number for number in numbers if bounds[0] <= number <= bounds[1]}


# section: variants
@dataclass
class Circle:
    radius: float


@dataclass
class Box:
    width: float
    height: float


@mcp.tool
def width_of(shape: Circle | Box) -> float:
    """How wide a shape is."""
    return shape.width if isinstance(shape, Box) else 2 * shape.radius


# section: bytes
@mcp.tool
def size_of(data: Base64Bytes) -> int:
    """The size of data."""
    return len(data)


# section: header
if __name__ == "__main__":
    mcp.run()
