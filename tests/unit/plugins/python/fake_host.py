"""A host for tests: keeps what the plugin says, and answers what the plugin asks."""

import json
import os
import pathlib
import sys
import tempfile
import textwrap
import threading
import unittest
from typing import Any

from mcp_plugin.serving import Plugin

RESULT, FAILED, INPUT_REQUIRED = 0, 1, 2


class FakeHost:
    def __init__(self, configuration: dict):
        self._configuration = configuration
        self.answers: dict[int, tuple[int, dict]] = {}
        self.logged: list[tuple[int, int, str]] = []
        self.progressed: list[tuple[float, float, str]] = []
        self.cancelled: dict[int, int] = {}
        self.changed = threading.Event()
        self.heard = threading.Condition()
        self.lacks: set[str] = set()
        self.listens = 0
        self.stored: dict[str, tuple[bytes, int]] = {}
        self.puts = 0
        self.metrics: list[tuple] = []
        self.recorded: list[tuple] = []

    def configuration(self) -> str:
        return json.dumps(self._configuration)

    def data_directory(self) -> str:
        return "/data"

    def complete(self, call: int, outcome: int, text: str) -> None:
        self.answers[call] = outcome, json.loads(text)

    def progress(self, call: int, value: float, total: float, message: str) -> None:
        with self.heard:
            self.progressed.append((value, total, message))
            self.heard.notify_all()

    def log(self, call: int, level: int, message: str) -> None:
        with self.heard:
            self.logged.append((call, level, message))
            self.heard.notify_all()

    def is_cancelled(self, call: int) -> int:
        return self.cancelled.get(call, 0)

    def call_context(self, call: int) -> str:
        return '{"protocolVersion": "2026-07-28", "client": {"name": "tests", "version": "1"}}'

    def caller(self, call: int) -> str:
        return ""

    def components_changed(self) -> None:
        self.changed.set()

    def resource_updated(self, uri: str) -> None:
        pass

    # The optional interfaces.

    def has_interface(self, name: str) -> bool:
        return name not in self.lacks

    def subscriptions(self) -> str:
        return '["notes://x"]'

    def listen(self) -> None:
        self.listens += 1

    def store_get(self, key: str) -> tuple[int, bytes, int, str]:
        value, revision = self.stored.get(key, (b"", 0))
        return (0 if revision else 1), value, revision, ""

    def store_put(self, key: str, value: bytes, if_revision: int) -> tuple[int, bytes, int, str]:
        if not key:
            return 3, b"", 0, "a key is not empty"
        if if_revision not in (2**64 - 1, self.store_get(key)[2]):
            return 2, b"", 0, ""
        self.puts += 1
        self.stored[key] = bytes(value), self.puts
        return 0, b"", 0, ""

    def store_erase(self, key: str) -> tuple[int, bytes, int, str]:
        return (0 if self.stored.pop(key, None) else 1), b"", 0, ""

    def store_list(self, prefix: str) -> tuple[int, bytes, int, str]:
        keys = sorted(key for key in self.stored if key.startswith(prefix))
        return 0, json.dumps(keys).encode(), 0, ""

    def declare_metric(self, kind: int, name: str, help: str, bounds: list[float]) -> tuple[int, str]:
        if " " in name:
            return 0, f'"{name}" is no name'
        self.metrics.append((kind, name, help, bounds))
        return len(self.metrics), ""

    def metric_add(self, *recorded: Any) -> None:
        self.recorded.append(("add", *recorded))

    def metric_set(self, *recorded: Any) -> None:
        self.recorded.append(("set", *recorded))

    def metric_observe(self, *recorded: Any) -> None:
        self.recorded.append(("observe", *recorded))

    def check_capabilities(self, text: str) -> str:
        return "it has a prefix that is reserved for MCP" if "modelcontextprotocol" in text else ""


class PluginTest(unittest.TestCase):
    """With a folder of its own, and a plugin that serves it once `serve` is called."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self._last_call = 0

    def write(self, name: str, text: str) -> pathlib.Path:
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        # As a whole, because the plugin may look while it is written.
        new = file.with_name(file.name + ".new")
        new.write_text("from typing import Annotated; from mcp_plugin import *\n" + textwrap.dedent(text))
        os.replace(new, file)
        return file

    def serve(self, text: str = "", **configuration: Any) -> dict:
        """Returns what the plugin describes."""
        if text:
            self.write("served.py", text)
        self.host = FakeHost({"folder": str(self.folder), **configuration})
        self.plugin = Plugin(self.host)
        self.addCleanup(self._forget)
        self.addCleanup(self.plugin.stop)
        described = json.loads(self.plugin.describe())
        self.plugin.start()
        return described

    def _forget(self) -> None:
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", "")).startswith(str(self.folder)):
                del sys.modules[name]

    def tell_cancelled(self, call: int, reason: int = 1) -> None:
        self.host.cancelled[call] = reason
        os.write(self.plugin.cancellations, call.to_bytes(8, sys.byteorder))

    def invoke(self, method: str, params: dict, call: int | None = None) -> tuple[int, dict]:
        self._last_call += 1
        number = call or self._last_call
        self.plugin.invoke(number, method, json.dumps(params))
        return self.host.answers[number]

    def call(self, name: str, arguments: dict | None = None, **more: Any) -> dict:
        outcome, result = self.invoke("tools/call", {"name": name, "arguments": arguments or {}, **more})
        self.assertEqual(outcome, RESULT, result)
        return result

    def text(self, name: str, arguments: dict | None = None) -> str:
        return self.call(name, arguments)["content"][0]["text"]
