"""What functions return and raise, and what becomes of it on the wire."""

import base64
import dataclasses
import pathlib
from typing import Any

from .forms import Form, encode_any, json_text

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
FAILED_AS_TOLD = 1  # in words that are meant for the reader, which the host does not mask
RESOURCE_NOT_FOUND = -32002


class ToolError(Exception):
    """It failed, and the model, or who reads the resource or the prompt, is to read this text as it is."""


class ProtocolError(Exception):
    """The call ends with a JSON-RPC error: what the caller did wrong as a program."""

    def __init__(self, code: int, message: str, data: Any = None):
        super().__init__(message)
        self.code = code
        self.data = data


class NotFound(ProtocolError):
    """There is no such resource."""

    def __init__(self, message: str = "Resource not found"):
        super().__init__(RESOURCE_NOT_FOUND, message)


@dataclasses.dataclass(frozen=True)
class Image:
    """A picture: bytes, or the path of a file."""

    data: bytes | None = None
    format: str | None = None  # "png", "jpeg"; or image/png, in full
    path: str | pathlib.Path | None = None
    kind = "image"

    def content(self) -> dict:
        data, mime_type = self.data, self.format
        if self.path is not None:
            import mimetypes  # here, because it takes long to import

            data = pathlib.Path(self.path).read_bytes()
            mime_type = mime_type or mimetypes.guess_type(str(self.path))[0]
        if data is None:
            raise ValueError(f"{type(self).__name__} needs data or a path")
        mime_type = mime_type or ("image/png" if self.kind == "image" else "audio/wav")
        if "/" not in mime_type:
            mime_type = f"{self.kind}/{mime_type}"
        return {"type": self.kind, "data": base64.b64encode(data).decode(), "mimeType": mime_type}


@dataclasses.dataclass(frozen=True)
class Audio(Image):
    """A recording: bytes, or the path of a file."""

    kind = "audio"


@dataclasses.dataclass
class ToolResult:
    """Complete control of a tool's result. `content` is what a tool may return, or a list of it."""

    content: Any = None
    structured_content: dict | None = None
    is_error: bool = False
    meta: dict | None = None


@dataclasses.dataclass
class Message:
    """A message of a prompt: a text, an Image, or a content object of MCP."""

    content: Any
    role: str = "user"


def _content_of(value: Any) -> dict:
    if isinstance(value, Image):
        return value.content()
    return {"type": "text", "text": text_of(encode_any(value))}


def text_of(encoded: Any) -> str:
    """A text stays as it is, and anything else is written as JSON."""
    return encoded if isinstance(encoded, str) else json_text(encoded)


def _contents_of(value: Any) -> list[dict]:
    if value is None:
        return []
    is_mixed = isinstance(value, (list, tuple)) and any(isinstance(each, Image) for each in value)
    return [_content_of(each) for each in value] if is_mixed else [_content_of(value)]


def tool_result(value: Any, form: Form | None, is_wrapped: bool) -> dict:
    """Of what a tool returned. `form` is that of its output schema, if it has one."""
    if isinstance(value, ToolResult):
        return _written_result(value)
    if form is None:
        result: dict = {"content": _contents_of(value)}
        encoded = encode_any(value) if isinstance(value, dict) or dataclasses.is_dataclass(value) else None
        if isinstance(encoded, dict) and not isinstance(value, Image):
            result["structuredContent"] = encoded
        return result
    encoded = _encoded(value, form)
    structured = {"result": encoded} if is_wrapped else encoded
    return {"content": [{"type": "text", "text": text_of(encoded)}], "structuredContent": structured}


def _encoded(value: Any, form: Form) -> Any:
    try:
        return form.encode(value)
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(f"it returned {value!r}, which is not of the type that it is annotated with: {error}") from None


def _written_result(result: ToolResult) -> dict:
    parts = result.content if isinstance(result.content, list) else [result.content]
    written: dict = {"content": [content for part in parts for content in _contents_of(part)]}
    if result.structured_content is not None:
        written["structuredContent"] = encode_any(result.structured_content)
        if result.content is None:
            written["content"] = [{"type": "text", "text": json_text(written["structuredContent"])}]
    if result.is_error:
        written["isError"] = True
    if result.meta is not None:
        written["_meta"] = result.meta
    json_text(written)  # what is no JSON is the tool's mistake, and raised here as such
    return written


def resource_contents(value: Any, uri: str, mime_type: str | None) -> dict:
    if isinstance(value, bytes):
        content = {"blob": base64.b64encode(value).decode(), "mimeType": mime_type or "application/octet-stream"}
    elif isinstance(value, str):
        content = {"text": value, "mimeType": mime_type or "text/plain"}
    else:
        content = {"text": json_text(encode_any(value)), "mimeType": mime_type or "application/json"}
    return {"contents": [{"uri": uri, **content}]}


def prompt_messages(value: Any) -> dict:
    messages = value if isinstance(value, (list, tuple)) else [value]
    written = []
    for message in messages:
        if not isinstance(message, Message):
            message = Message(message)
        content = message.content
        is_content = isinstance(content, dict) and "type" in content
        written.append({"role": message.role, "content": content if is_content else _content_of(content)})
    return {"messages": written}
