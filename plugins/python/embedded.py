"""Makes the package mcp_plugin importable from the texts that the library carries: `sources` is {module: text}."""

import importlib.util
import linecache
import sys


class _Embedded:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in sources:  # noqa: F821
            return None
        return importlib.util.spec_from_loader(name, _Embedded, origin=f"<{name}>", is_package=name == "mcp_plugin")

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        text = sources[module.__name__]  # noqa: F821
        file = module.__spec__.origin
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), module.__dict__)


sys.meta_path.insert(0, _Embedded)
for stream in (sys.stdout, sys.stderr):
    if stream is not None:
        stream.reconfigure(line_buffering=True)  # what is printed is to be in the log at once
