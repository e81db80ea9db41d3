"""What a function is told of its call, and says to its client: the parameter that is annotated with Context."""

import dataclasses
import json
import pathlib
import threading
import typing
from typing import Any, Callable

from .forms import Form, form_of, json_text
from .interfaces import SUBSCRIPTIONS, need
from .store import Store

CANCEL_REASONS = {
    1: "The call was cancelled by the client.",
    2: "The call was cancelled, because it took too long.",
    3: "The call was cancelled, because the server is stopping.",
    4: "The call was cancelled, because the plugin was replaced or removed.",
}
_DEBUG, _INFO, _WARNING, _ERROR = 0, 1, 3, 4


class Cancelled(Exception):
    """The call should end early. The text says why."""


class Unanswered(BaseException):
    """Leaves a function whose question has no answer yet. No Exception, so that who catches those does not catch it."""

    def __init__(self, requests: dict):
        super().__init__("asks the client")
        self.requests = requests


@dataclasses.dataclass(frozen=True)
class Client:
    """What the client says of itself."""

    name: str = ""
    version: str = ""
    capabilities: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Elicited:
    """The answer to a question: "accept", with data of the type that was asked for, "decline" or "cancel"."""

    action: str
    data: Any = None


class _Done:
    """What has been done at once and may be awaited all the same."""

    def __await__(self) -> typing.Iterator[None]:
        return iter(())


class CallState:
    """How a call that runs learns that it is cancelled. Set by the thread that hears of it."""

    def __init__(self) -> None:
        self.is_cancelled = threading.Event()
        self.on_cancel: Callable[[], None] = lambda: None

    def cancel(self) -> None:
        self.is_cancelled.set()
        self.on_cancel()


class Context:
    """Given to the parameter that is annotated with it, which is not in the schema. It may be used from any thread."""

    def __init__(self, host: Any, call: int, params: dict, state: CallState | None = None):
        self._host = host
        self._call = call
        self._answers = params.get("inputResponses") or {}
        self._state = state or CallState()
        self._asked: dict[str, int] = {}
        self.has_asked = False

    # What is told while the call runs.

    def progress(self, value: float, total: float | None = None, message: str | None = None) -> _Done:
        self._host.progress(self._call, value, total or 0.0, message or "")
        return _Done()

    report_progress = progress  # as FastMCP calls it

    def log(self, message: str, level: int = _INFO) -> _Done:
        self._host.log(self._call, level, str(message))
        return _Done()

    def debug(self, message: str) -> _Done:
        return self.log(message, _DEBUG)

    def info(self, message: str) -> _Done:
        return self.log(message, _INFO)

    def warning(self, message: str) -> _Done:
        return self.log(message, _WARNING)

    def error(self, message: str) -> _Done:
        return self.log(message, _ERROR)

    # Whether it should end early.

    @property
    def cancelled(self) -> bool:
        return self._cancel_reason() != 0

    def throw_if_cancelled(self) -> None:
        reason = self._cancel_reason()
        if reason != 0:
            raise Cancelled(CANCEL_REASONS.get(reason, "The call was cancelled."))

    def _cancel_reason(self) -> int:
        return self._host.is_cancelled(self._call) if self._call != 0 else 0

    def sleep(self, seconds: float) -> bool:
        """Waits, but not longer than until the call is cancelled. Returns whether it is. Not for `async` functions,
        where asyncio.sleep ends with CancelledError."""
        # What was cancelled before it was registered, its state does not hear of.
        if seconds > 0 and not self.cancelled:
            self._state.is_cancelled.wait(seconds)
        return self.cancelled

    # What is known of it.

    @property
    def request(self) -> dict:
        """All that the host knows of the call: "protocolVersion", "client", "clientCapabilities", "deadline"..."""
        return json.loads(self._host.call_context(self._call) or "{}")

    @property
    def protocol_version(self) -> str:
        return self.request.get("protocolVersion", "")

    @property
    def client(self) -> Client:
        known = self.request
        client = known.get("client", {})
        return Client(client.get("name", ""), client.get("version", ""), known.get("clientCapabilities", {}))

    @property
    def caller(self) -> dict:
        """Who has proven to call: "id", "groups", "roles" and more of the principal; empty if nobody has."""
        return json.loads(self._host.caller(self._call) or "{}").get("principal", {})

    @property
    def configuration(self) -> dict:
        return json.loads(self._host.configuration() or "{}")

    @property
    def data_directory(self) -> pathlib.Path:
        """A folder of the plugin's own, which outlives its versions."""
        path = self._host.data_directory()
        if not path:
            raise OSError("the host could not make the data directory; its log says why")
        return pathlib.Path(path)

    def resource_updated(self, uri: str) -> _Done:
        """Tells the clients that have subscribed to the resource."""
        self._host.resource_updated(uri)
        return _Done()

    # What else the host does for a plugin.

    @property
    def store(self) -> Store:
        """The small values that the plugin keeps."""
        return Store(self._host)

    @property
    def subscriptions(self) -> list[str]:
        """The URIs that clients are subscribed to now."""
        need(self._host, SUBSCRIPTIONS)
        return json.loads(self._host.subscriptions() or "[]")

    def host_has(self, interface: str) -> bool:
        """Whether the host has an optional interface, such as "mcp.store/1"."""
        return self._host.has_interface(interface)

    # What the client is asked. The function is left, and runs again from its beginning when the answers are there.

    def elicit(self, message: str, response_type: Any = None, *, key: str | None = None) -> Elicited:
        """Asks the user to fill in a form: the members of a dataclass or TypedDict, or a single value. They are texts,
        numbers, bool or choices; TypeError if they are not."""
        form = form_of(response_type if response_type not in (None, type(None)) else dict[str, Any])
        is_single = form.schema.get("type") != "object"
        schema = form.schema
        if is_single:
            schema = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
        fields = {name: _form_field(name, each) for name, each in schema.get("properties", {}).items()}
        schema = {**schema, "properties": fields}
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        return _elicited(self.ask("elicitation/create", params, key=key), form, is_single)

    def ask(self, method: str, params: dict, *, key: str | None = None) -> dict:
        """Any request of MCP to the client: its result. `key` tells two of them apart."""
        request = {"method": method, "params": params}
        name = key or self._name_of(request)
        if name in self._answers:
            return self._answers[name]
        self.has_asked = True
        raise Unanswered({name: request})

    def sample(self, message: str, *, system_prompt: str | None = None, max_tokens: int = 512) -> str:
        """Lets the client's model write, and returns its text."""
        messages = [{"role": "user", "content": {"type": "text", "text": message}}]
        params: dict = {"messages": messages, "maxTokens": max_tokens}
        if system_prompt is not None:
            params["systemPrompt"] = system_prompt
        content = self.ask("sampling/createMessage", params).get("content", [])
        blocks = content if isinstance(content, list) else [content]
        return "\n".join(block["text"] for block in blocks if block.get("type") == "text")

    def _name_of(self, request: dict) -> str:
        """By what it says, so that a function that asks something else the next time does not take the one's answer for
        the other's. The same request a second time is another one."""
        import hashlib  # here, because it takes long to import

        name = "input-" + hashlib.sha256(json_text(request).encode()).hexdigest()[:16]
        self._asked[name] = count = self._asked.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"


def _form_field(name: str, schema: dict) -> dict:
    """The schema of a member as forms have it: in place of null the member is left out."""
    not_null = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(not_null) == 1:
        schema = {**not_null[0], **{keyword: value for keyword, value in schema.items() if keyword != "anyOf"}}
    if "default" in schema and schema["default"] is None:
        schema = {keyword: value for keyword, value in schema.items() if keyword != "default"}
    items = schema.get("items", {})
    is_choice = schema.get("type") == "array" and isinstance(items, dict) and ("enum" in items or "anyOf" in items)
    if schema.get("type") not in ("string", "number", "integer", "boolean") and not is_choice:
        raise TypeError(
            f'"{name}" cannot be in a form: take a text, a number, bool, a Literal or Enum of values of one type, or a '
            "list of such a choice"
        )
    return schema


def _elicited(answer: dict, form: Form, is_single: bool) -> Elicited:
    action = answer.get("action", "cancel")
    if action != "accept":
        return Elicited(action)
    content = answer.get("content", {})
    return Elicited(action, form.decode(content["value"] if is_single else content))
