"""What a plugin can ask of the host besides serving calls: as tests/integration/plugins/interfaces.cpp in C++."""

import itertools
from typing import Annotated, Callable

from mcp_plugin import Context, Counter, Field, Gauge, Histogram, StoreError
from mcp_plugin import on_subscribed, on_unsubscribed, resource, tool

heard: list[str] = []
served = Counter("served", "Calls, by kind.")
took = Histogram("took_seconds", "Time of a call.", [0.1, 1])
mood = Gauge("mood", "How it is.")


@on_subscribed
def begin_to_watch(uri: str) -> None:
    heard.append(f"+{uri}")


@on_unsubscribed
def end_to_watch(uri: str) -> None:
    heard.append(f"-{uri}")


@resource("interfaces://one")
def one() -> str:
    """A resource."""
    return "one"


@resource("interfaces://items/{name}")
def item(name: str) -> str:
    """Any number of them."""
    return name


@tool
def subscriptions(context: Context) -> str:
    """What clients are subscribed to."""
    return " ".join(context.subscriptions)


@tool(name="heard")
def say_heard() -> str:
    """What it has been told of that."""
    return " ".join(heard)


@tool
def visit(who: Annotated[str, Field(description="Who")], context: Context) -> str:
    """Counts."""
    return context.store.update(who, lambda before: b"%d" % (int(before or 0) + 1)).decode()


def refusal(action: Callable, error: type[Exception]) -> str | None:
    try:
        action()
    except error as told:
        return str(told)
    return None


@tool
def flood_store(context: Context) -> str:
    """Puts more than it may."""
    for kept in itertools.count():
        told = refusal(lambda: context.store.put(f"flood/{kept}", bytes(10_000)), StoreError)
        if told is not None:
            return f"{kept} kept; {told}"
    raise AssertionError


@tool
def count(kind: Annotated[str, Field(description="Which")]) -> None:
    """Counts and measures."""
    served.add(1, kind=kind)
    took.observe(0.5)
    mood.set(-1.5)


@tool
def flood_metrics() -> None:
    """Records more series than it may."""
    for i in range(100_000):
        served.add(1, kind=i)


@tool
def invalid(context: Context) -> str:
    """Asks for what the host refuses."""
    return str(refusal(lambda: context.store.put("", b""), StoreError))
