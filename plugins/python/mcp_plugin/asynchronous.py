"""Functions that are `async`: each call has an event loop of its own, on the thread that the host calls on."""

import asyncio
from typing import Any, Callable

from .context import CallState, Context


def run(function: Callable, arguments: dict, context: Context, state: CallState) -> Any:
    """What the function returns or raises. The cancellation of the call is raised in it as asyncio.CancelledError, and
    where it lets that pass, Cancelled comes out."""
    try:
        return asyncio.run(_run(function, arguments, context, state))
    except asyncio.CancelledError:
        context.throw_if_cancelled()
        raise


async def _run(function: Callable, arguments: dict, context: Context, state: CallState) -> Any:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None

    def cancel() -> None:
        try:
            loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:  # the loop is closed, because the call has ended meanwhile
            pass

    state.on_cancel = cancel
    context.throw_if_cancelled()
    return await function(**arguments)
