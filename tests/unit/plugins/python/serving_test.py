"""Files of a folder, served: what is described, calls, and the files' changes."""

import importlib.machinery
import json
import os
import re
import signal
import sys
import textwrap
import threading
import unittest
from typing import Any

from fake_host import FAILED, INPUT_REQUIRED, RESULT, PluginTest

ADD = """
    @tool(annotations={"readOnlyHint": True})
    def add(a: int, b: int = 2) -> int:
        "Adds two numbers."
        return a + b
"""


class DescriptionTest(PluginTest):
    def test_a_function_becomes_a_tool(self) -> None:
        self.assertEqual(
            self.serve(ADD)["tools"],
            [
                {
                    "name": "add",
                    "description": "Adds two numbers.",
                    "annotations": {"readOnlyHint": True},
                    "inputSchema": {
                        "type": "object",
                        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}},
                        "required": ["a"],
                        "additionalProperties": False,
                    },
                    "outputSchema": {
                        "type": "object",
                        "properties": {"result": {"type": "integer"}},
                        "required": ["result"],
                    },
                }
            ],
        )

    def test_resources_templates_and_prompts_are_listed(self) -> None:
        described = self.serve("""
            @resource("notes://index", mime_type="text/plain")
            def index() -> str: return "all"
            @resource("notes://{number}")
            def note(number: int) -> str: return str(number)
            @prompt
            def review(code: Annotated[str, "The code"], focus: str = "errors"): return code
        """)
        self.assertEqual(described["resources"], [{"name": "index", "mimeType": "text/plain", "uri": "notes://index"}])
        self.assertEqual(described["resourceTemplates"], [{"name": "note", "uriTemplate": "notes://{number}"}])
        arguments = [
            {"name": "code", "description": "The code", "required": True},
            {"name": "focus", "required": False},
        ]
        self.assertEqual(described["prompts"], [{"name": "review", "arguments": arguments}])

    def test_timeouts_and_tags_are_told_to_the_host(self) -> None:
        described = self.serve("""
            @tool(timeout=1.5, tags={"slow", "internal", "a.b-c_1"}, meta={"a": 1})
            def wait() -> None: pass
            @resource("notes://index", tags=["public"])
            def index() -> str: return "all"
            @prompt(tags=("public",))
            def review(): return "code"
        """)
        [tool] = described["tools"]
        self.assertEqual(tool["execution"], {"timeoutMs": 1500})
        self.assertEqual(tool["_meta"], {"a": 1, "mcp-plugin-host/tags": ["a.b-c_1", "internal", "slow"]})
        for kind in ("resources", "prompts"):
            self.assertEqual(described[kind][0]["_meta"], {"mcp-plugin-host/tags": ["public"]})

    def test_timeouts_and_tags_that_the_host_would_refuse_are_mistakes(self) -> None:
        for options, words in [
            ("timeout=0", "timeout is a number of seconds from 0.001 to 31536000, such as timeout=30.0, not 0"),
            ("timeout=31536001", "not 31536001"),
            ("timeout=float('nan')", "not nan"),
            ("timeout='30s'", "not '30s'"),
            ("timeout=True", "not True"),
            ("tags='slow'", """tags are a set of texts, such as tags={"slow", "internal"}, not 'slow'"""),
            ("tags={'not this'}", "a tag is a text of 1 to 128 characters of A-Za-z0-9_.-, not 'not this'"),
            ("tags=['']", "a tag is a text of 1 to 128 characters of A-Za-z0-9_.-, not ''"),
            ("tags={1}", "not 1"),
            (f"tags={{'{'x' * 129}'}}", "a tag is a text of 1 to 128 characters"),
        ]:
            with self.subTest(options):
                file = self.write("wrong.py", f"@tool({options})\ndef f(): pass\n")
                self.assertEqual(self.serve()["tools"], [])
                [(_, _, message)] = self.host.logged
                self.assertIn(f'File "{file}", line 2', message)
                self.assertIn(words, message)

    def test_what_is_no_json_is_a_mistake_of_its_file(self) -> None:
        for text in [
            "@tool(meta={'a': {1}})\ndef f(): pass\n",
            "@tool(annotations={'title': float('nan')})\ndef f(): pass\n",
            "@tool\ndef f(a: Annotated[int, Field(le=float('inf'))]): pass\n",
        ]:
            with self.subTest(text):
                file = self.write("wrong.py", text)
                self.assertEqual([tool["name"] for tool in self.serve(ADD)["tools"]], ["add"])
                [(_, _, message)] = self.host.logged
                self.assertIn(f'File "{file}", line 2', message)
                self.assertIn('what is said of "f" cannot be written as JSON: ', message)

    def test_a_default_that_json_cannot_say_is_left_to_python(self) -> None:
        described = self.serve("""
            import math
            unset = object()
            @tool
            def f(limit: float = math.inf, name: str = unset) -> bool: return limit == math.inf and name is unset
        """)
        properties = {"limit": {"type": "number"}, "name": {"type": "string"}}
        self.assertEqual(described["tools"][0]["inputSchema"]["properties"], properties)
        self.assertEqual(self.text("f"), "true")

    def test_contents_in_a_union_have_no_output_schema(self) -> None:
        described = self.serve("""
            @tool
            def report() -> list[str | Image]: return ["The map:", Image(b"png", "png")]
            @tool
            def picture() -> Annotated[list[Annotated[Image, "A map"]], "Maps"] | None: return [Image(b"png", "png")]
            @tool
            def names() -> list[str]: return ["Ada"]
        """)
        self.assertEqual([tool["name"] for tool in described["tools"] if "outputSchema" in tool], ["names"])
        picture = {"type": "image", "data": "cG5n", "mimeType": "image/png"}
        self.assertEqual(self.call("report"), {"content": [{"type": "text", "text": "The map:"}, picture]})
        self.assertEqual(self.call("picture"), {"content": [picture]})
        self.assertEqual(self.call("names")["structuredContent"], {"result": ["Ada"]})

    def test_what_would_be_served_as_it_stands_though_it_was_to_be_a_variable_is_a_mistake(self) -> None:
        for uri, words in [
            ("docs://*", "docs://*: `*` cannot be a parameter: write {name*}"),
            ("docs://{name}*", "write {name*}"),
            ("docs://{name", "docs://{name: a brace belongs to a variable, which is {name}"),
            ("docs://{}", "a brace belongs to a variable"),
        ]:
            with self.subTest(uri):
                file = self.write("wrong.py", f"@resource('{uri}')\ndef f(name: str = ''): pass\n")
                described = self.serve()
                self.assertEqual(described["resources"] + described["resourceTemplates"], [])
                [(_, _, message)] = self.host.logged
                self.assertIn(f'File "{file}", line 2', message)
                self.assertIn(words, message)

    def test_what_the_host_would_refuse_is_a_mistake_of_its_file(self) -> None:
        def of_pattern(pattern: str) -> str:
            return f"@tool\ndef f(a: Annotated[str, Field(pattern={pattern!r})]): pass\n"

        def of_uri(uri: str) -> str:
            return f"@resource({uri!r})\ndef f(a: str = '', b: str = ''): pass\n"

        no_pattern = "is no regular expression of JavaScript's: "
        for text, words in [
            ("@tool(name='a b')\ndef f(): pass\n", "name is 1 to 128 characters of A-Za-z0-9_.-, not 'a b'"),
            ("@prompt(name='a\\n')\ndef f(): pass\n", "name is a text of 1 to 128 bytes without control characters"),
            ("@tool(title=5)\ndef f(): pass\n", "title is a text, not 5"),
            ("@tool(meta=[1])\ndef f(): pass\n", "_meta is a dict, not [1]"),
            ("@tool(annotations=['x'])\ndef f(): pass\n", "annotations is a dict, not ['x']"),
            (
                "@tool(annotations={'readOnlyHint': 'yes'})\ndef f(): pass\n",
                "annotations: readOnlyHint is True or False, not 'yes'",
            ),
            (
                "@resource('a:b', annotations={'priority': 2})\ndef f(): pass\n",
                "annotations: priority is a number from 0 to 1, not 2",
            ),
            ("@prompt\ndef f(a: Annotated[str, Field(title=5)]): pass\n", '"a": title is a text, not 5'),
            (
                "@tool\ndef f(a: Annotated[int, Field(multiple_of=0)]): pass\n",
                "inputSchema: multipleOf is a number above 0, not 0",
            ),
            (
                "@tool\ndef f(a: list[Annotated[str, Field(min_length=-1)]]): pass\n",
                "inputSchema: minLength is a whole number from 0 on, not -1",
            ),
            (of_uri("notes"), "'notes': a URI begins with a scheme, as in \"notes://index\""),
            (of_uri("notes://100%"), "'notes://100%': a % is followed by two hexadecimal digits: write it as %25"),
            (of_uri("notes://%4{a}"), "a % is followed by two hexadecimal digits"),
            (of_uri("notes://a\n"), "a URI has no control characters"),
            (of_uri("notes://{a,b}"), "notes://{a,b}: a variable is {name}, {+name}, {#name}, {name*}, "),
            (of_uri("notes://{+a*}"), "a variable is {name}"),
            (of_uri("notes://{a}/{a}"), "a variable stands there twice"),
            (of_uri("notes://{a}{b}"), "there is no text between two variables"),
            (of_uri("notes://n{?a}/{b}"), "there is something after the query"),
            (of_uri("notes://n?x=1{?a}"), 'there is a "?" before the query'),
            (of_pattern("(?i)^[a-z]+$"), no_pattern + "it has nothing that begins with (?i"),
            (of_pattern("(?P<x>a)"), no_pattern + "it has nothing that begins with (?P"),
            (of_pattern(r"\Aa\Z"), no_pattern + r"it has nothing that begins with \Aa"),
            (of_pattern("[a-"), no_pattern + "it has nothing that begins with [a-"),
            (of_pattern("[b-a]"), no_pattern + "the range b-a is out of order"),
            (of_pattern(r"[\x7a-\x61]"), no_pattern + r"the range \x7a-\x61 is out of order"),
            (of_pattern(r"[\ud83d\ude4f-\u{1F600}]"), no_pattern + r"the range \ud83d\ude4f-\u{1F600} is out of order"),
            (of_pattern(r"\ud800"), no_pattern + r"it has nothing that begins with \ud"),
            (of_pattern(r"\u{0D800}"), no_pattern + r"it has nothing that begins with \u{"),
            (of_pattern(r"\u{110000}"), no_pattern + r"it has nothing that begins with \u{"),
            (of_pattern(r"\p{Block=Latin}"), no_pattern + r"it has nothing that begins with \p{"),
            (of_pattern("(?<=a+)b"), no_pattern + "+ has no end, as it needs one within (?<= or (?<!"),
            (of_pattern("(?<!(a{2,}?)c)b"), no_pattern + "{2,}? has no end"),
            (of_pattern("a++"), no_pattern + "there is nothing to repeat before +"),
            (of_pattern("a{2,1}"), no_pattern + "{2,1} is not from few to many times, 65535 at most"),
            (of_pattern("a)"), no_pattern + 'a ")" has no "("'),
            (of_pattern("(a"), no_pattern + 'a "(" has no ")"'),
            (of_pattern(r"(a)\2"), no_pattern + "it refers to a group that it does not have"),
            (of_pattern(r"(a)\k<1>"), no_pattern + "it refers to a group that it does not have"),
        ]:
            with self.subTest(text):
                file = self.write("wrong.py", text)
                self.assertEqual([tool["name"] for tool in self.serve(ADD)["tools"]], ["add"])
                [(_, _, message)] = self.host.logged
                self.assertIn(f'File "{file}", line 2', message)
                self.assertIn(words, message)

    def test_a_pattern_of_a_tool_is_one_of_javascript(self) -> None:
        for pattern in [
            r"^[\w.+-]+@[^\s@]+\.\p{L}{2,}$",
            r"^(?!.*\.\.)(?<=^)(?<year>\d{4})-\k<year>(?:a|b)*?\1$",
            r"^[^]\cA\x41\u0042\u{1F600}\0\/\-{[a-z\b\]-]}]$",
            "ä{1,65535}|[äöü-]|",
            r"(?<=(a)(?=b+))b+(?<2>a{2})\k<2>",
            r"[\ud83d\ude00-\ud83d\ude4f\t-\r\cA-\x02\d-!][\u{10FFFF}\u{00000041}\u{0}\ud7ff-\ue000]\p{sc=Greek}",
        ]:
            with self.subTest(pattern):
                text = f"@tool\ndef f(a: Annotated[str, Field(pattern={pattern!r})]): pass\n"
                [tool] = self.serve(text)["tools"]
                self.assertEqual(tool["inputSchema"]["properties"]["a"]["pattern"], pattern)

    def test_a_pattern_of_texts_is_one_of_python(self) -> None:
        self.write("wrong.py", "@prompt\ndef f(a: Annotated[str, Field(pattern='[')]): pass\n")
        self.assertEqual(self.serve()["prompts"], [])
        self.assertIn("unterminated character set", self.host.logged[0][2])

    def test_completions_of_what_is_not_there_or_no_completions_are_mistakes(self) -> None:
        for completions, words in [
            ({"place": []}, "completions are of the parameters of f, which lacks place"),
            ({"size": "small"}, """completions["size"] is a list of texts or a function, not 'small'"""),
            ({"size": [1]}, """completions["size"] is a list of texts or a function, not [1]"""),
        ]:
            with self.subTest(completions):
                self.write("wrong.py", f"@prompt(completions={completions})\ndef f(size: str): pass\n")
                self.serve()
                self.assertIn(words, self.host.logged[0][2])
        self.write("wrong.py", "def g(): pass\n@prompt(completions={'size': g})\ndef f(size: str): pass\n")
        self.serve()
        self.assertIn("def g(typed: str, chosen: dict[str, str])", self.host.logged[0][2])

    def test_a_mistake_is_told_with_file_and_line_and_the_other_files_are_served(self) -> None:
        file = self.write("wrong.py", "@tool\ndef f(*all): pass\n")
        self.assertEqual([tool["name"] for tool in self.serve(ADD)["tools"]], ["add"])
        [(_, _, message)] = self.host.logged
        self.assertIn(f'File "{file}", line 2', message)
        self.assertIn("f takes *all: name each parameter", message)

    def test_a_name_that_is_there_twice_is_told_with_both_places(self) -> None:
        self.write("another.py", "@tool\ndef add(): pass\n")
        self.serve(ADD)
        self.assertRegex(self.host.logged[0][2], r'"add" is there twice: .*another.py:2 and .*served.py:3')

    def test_a_uri_that_is_there_twice_is_told_however_it_is_written(self) -> None:
        for uri, again in [("n://a b", "n://a%20b"), ("n://ä/%7e", "n://%c3%A4/~"), ("n://a b/{c}", "n://a%20b/{c}")]:
            with self.subTest(uri):
                self.write("another.py", f"@resource('{uri}')\ndef first(c: str = ''): return 'first'\n")
                described = self.serve(f"@resource('{again}')\ndef second(c: str = ''): return 'second'\n")
                [one] = described["resources"] + described["resourceTemplates"]
                self.assertEqual(one["name"], "first")
                self.assertRegex(self.host.logged[0][2], r'" is there twice: .*another.py:2 and .*served.py:2')

    def test_of_a_file_with_a_name_that_is_there_already_nothing_is_served(self) -> None:
        self.write("another.py", "@tool\ndef add(): pass\n")
        described = self.serve("@tool\ndef first(): pass\n" + textwrap.dedent(ADD))
        self.assertEqual([tool["name"] for tool in described["tools"]], ["add"])
        self.assertEqual(len(self.host.logged), 1)

    def test_what_a_file_with_a_mistake_imports_is_served(self) -> None:
        self.write("a.py", "import served\nimport parts.first\nraise RuntimeError('a mistake')\n")
        self.write("parts/__init__.py", "")
        self.write("parts/first.py", "@tool\ndef part(): pass\n")
        self.write("z.py", "import parts.first\n")
        self.assertEqual([tool["name"] for tool in self.serve(ADD)["tools"]], ["add", "part"])
        [(_, _, message)] = self.host.logged
        self.assertIn("RuntimeError: a mistake", message)

    def test_a_file_that_only_has_a_name_that_is_there_already_can_be_imported(self) -> None:
        self.write("a.py", "@tool\ndef add(): pass\n")
        self.write("b.py", "import helper\nVALUE = 1\n@tool\ndef add(): pass\n")
        self.write("helper.py", "@tool\ndef helped(): pass\n")
        described = self.serve("import b\n@tool\ndef value() -> int: return b.VALUE\n")
        self.assertEqual([tool["name"] for tool in described["tools"]], ["add", "helped", "value"])
        self.assertEqual(len(self.host.logged), 1)

    def test_a_file_cannot_have_the_name_of_a_module_of_python(self) -> None:
        file = self.write("json.py", "")
        self.serve(ADD)
        self.assertIn(f"{file}: a module of Python has the name json; rename the file", self.host.logged[0][2])

    def test_packages_of_a_virtual_environment_are_found(self) -> None:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = self.folder / "venv" / "lib" / version / "site-packages"
        packages.mkdir(parents=True)
        (packages / "only_in_this_environment.py").write_text("VALUE = 1\n")
        self.addCleanup(sys.path.remove, str(packages))
        self.serve("import only_in_this_environment\n" + textwrap.dedent(ADD), venv=str(self.folder / "venv"))
        self.assertEqual((self.text("add", {"a": 1}), self.host.logged), ("3", []))
        with self.assertRaisesRegex(ValueError, f'"venv": /no is no virtual environment for {version}'):
            self.serve(venv="/no")

    def test_a_folder_that_is_missing_is_told(self) -> None:
        for folder, words in [
            (None, 'it has no "folder"'),
            ("tools", "must be an absolute path"),
            ("/no", "is no folder"),
        ]:
            with self.subTest(folder), self.assertRaisesRegex(ValueError, words):
                self.serve(folder=folder)


class CompletionTest(PluginTest):
    def complete(self, ref: dict, name: str, typed: str, **chosen: str) -> Any:
        argument = {"name": name, "value": typed}
        params = {"ref": ref, "argument": argument, "context": {"arguments": chosen}}
        outcome, result = self.invoke("completion/complete", params)
        return result["completion"]["values"] if outcome == RESULT else result

    def test_values_are_offered_for_arguments_and_variables(self) -> None:
        described = self.serve("""
            from typing import Literal

            async def cities(begin: str, others: dict[str, str], context: Context) -> list[str]:
                context.throw_if_cancelled()
                return [begin + others.get("country", "")]

            @prompt(completions={"size": ["small", "Smart", "large"], "city": cities})
            def order(size: str, city: str, style: Literal["plain", "fancy", 3] = "plain", note: str = ""): return size

            @resource("notes://{kind}/{city}", completions={"city": lambda typed: (typed * 2,)})
            def note(kind: Literal["new", "old"], city: str) -> str: return kind
        """)
        self.assertIs(described["completions"], True)
        order = {"type": "ref/prompt", "name": "order"}
        for name, typed, values in [
            ("size", "", ["small", "Smart", "large"]),
            ("size", "sM", ["small", "Smart"]),
            ("size", "x", []),
            ("city", "Rom", ["RomItaly"]),
            ("style", "", ["plain", "fancy", "3"]),
            ("note", "", []),
        ]:
            with self.subTest(name, typed=typed):
                self.assertEqual(self.complete(order, name, typed, country="Italy"), values)
        note = {"type": "ref/resource", "uri": "notes://{kind}/{city}"}
        self.assertEqual(self.complete(note, "kind", "o"), ["old"])
        self.assertEqual(self.complete(note, "city", "ab"), ["abab"])

    def test_what_one_type_of_a_union_allows_is_offered(self) -> None:
        self.serve("""
            from enum import Enum
            from typing import Literal

            class Size(Enum):
                SMALL = 1.0
                BIG = 2.5

            @prompt
            def order(
                style: Literal["short", "long"] | None = None,
                size: Annotated[Annotated[Size, "How big"] | None, Field(description="How big")] = None,
                count: Literal["all"] | int = "all",
                note: str | None = None,
            ): return f"{style} {size}"
        """)
        order = {"type": "ref/prompt", "name": "order"}
        for name, values in {"style": ["short", "long"], "size": ["1.0", "2.5"], "count": ["all"], "note": []}.items():
            with self.subTest(name):
                self.assertEqual(self.complete(order, name, ""), values)
        for size, read in (("1.0", "None Size.SMALL"), ("2.5", "None Size.BIG")):
            with self.subTest(size):
                _, result = self.invoke("prompts/get", {"name": "order", "arguments": {"size": size}})
                self.assertEqual(result["messages"][0]["content"]["text"], read)

    def test_a_completion_that_fails_is_an_error(self) -> None:
        self.serve("""
            def none(typed: str): raise ValueError("no list today")
            def one(typed: str): return "small"
            @prompt(completions={"a": none, "b": one})
            def order(a: str, b: str): return a
        """)
        order = {"type": "ref/prompt", "name": "order"}
        self.assertEqual(self.complete(order, "a", ""), {"code": -32603, "message": "no list today"})
        self.assertIn("ValueError: no list today", self.host.logged[0][2])
        self.assertEqual(self.complete(order, "b", "")["message"], "one returned 'small' instead of a list of texts")
        unknown = self.complete({"type": "ref/prompt", "name": "no"}, "a", "")
        self.assertEqual(unknown, {"code": -32602, "message": "Unknown prompt: no"})

    def test_an_error_that_is_meant_for_the_reader_has_a_code_that_is_not_masked(self) -> None:
        self.serve("""
            def values(typed: str): raise ToolError("No list today.")
            @prompt(completions={"a": values})
            def order(a: str): raise ToolError("No orders today.")
            @resource("n://one")
            def one() -> str: raise ToolError("Not today.")
        """)
        values = self.complete({"type": "ref/prompt", "name": "order"}, "a", "")
        self.assertEqual(values, {"code": 1, "message": "No list today."})
        order = self.invoke("prompts/get", {"name": "order", "arguments": {"a": ""}})
        self.assertEqual(order, (FAILED, {"code": 1, "message": "No orders today."}))
        one = self.invoke("resources/read", {"uri": "n://one"})
        self.assertEqual(one, (FAILED, {"code": 1, "message": "Not today."}))
        self.assertEqual(self.host.logged, [])

    def test_where_nothing_is_offered_the_host_need_not_ask(self) -> None:
        self.assertNotIn("completions", self.serve("@prompt\ndef f(size: str): pass"))


class CallTest(PluginTest):
    def test_a_result_is_text_and_structure(self) -> None:
        self.serve(ADD)
        expected = {"content": [{"type": "text", "text": "5"}], "structuredContent": {"result": 5}}
        self.assertEqual(self.call("add", {"a": 2, "b": 3}), expected)
        self.assertEqual(self.text("add", {"a": 2}), "4")

    def test_what_is_raised_is_a_tool_error_and_its_traceback_is_logged(self) -> None:
        self.serve("""
            @tool
            def divide(a: int) -> float: return a / 0
            @tool
            def refuse() -> None: raise ToolError("Not today.")
            @tool
            def leave() -> None: raise SystemExit("bye")
            @tool
            def lie() -> int: return "five"
            @tool
            def mean(): return ToolResult("It is not known.", {"mean": float("nan")})
        """)
        divided = self.call("divide", {"a": 1})
        self.assertTrue(divided["isError"])
        self.assertEqual(divided["content"][0]["text"], "Error calling tool 'divide': division by zero")
        self.assertIn(f'File "{self.folder}/served.py", line 4, in divide', self.host.logged[0][2])
        self.assertNotIn("mcp_plugin", self.host.logged[0][2])
        self.assertEqual(divided["_meta"], {"mcp-plugin-host/unexpected": True}, "nobody has meant it for the model")
        self.assertEqual(self.call("refuse"), {"content": [{"type": "text", "text": "Not today."}], "isError": True})
        self.assertEqual(len(self.host.logged), 1)
        self.assertEqual(self.text("leave"), "Error calling tool 'leave': bye")
        self.assertIn("it returned 'five', which is not of the type", self.text("lie"))
        self.assertIn("Error calling tool 'mean': Out of range float values", self.text("mean"))

    def test_what_the_type_of_an_argument_raises_is_a_tool_error(self) -> None:
        self.serve("""
            from dataclasses import dataclass
            @dataclass
            class Span:
                first: int
                last: int
                def __post_init__(self):
                    if self.last < self.first: raise ValueError("it ends before it begins")
            @tool
            def length(span: Span) -> int: return span.last - span.first
        """)
        failed = self.call("length", {"span": {"first": 2, "last": 1}})
        self.assertTrue(failed["isError"])
        self.assertEqual(failed["content"][0]["text"], "Error calling tool 'length': it ends before it begins")

    def test_contents_are_mixed(self) -> None:
        self.serve("""
            @tool
            def report(): return ["Here it is:", Image(b"png", "png")]
            @tool
            def said(): return ToolResult("words", {"a": 1}, is_error=True)
            @tool
            def nothing() -> None: pass
        """)
        picture = {"type": "image", "data": "cG5n", "mimeType": "image/png"}
        self.assertEqual(self.call("report"), {"content": [{"type": "text", "text": "Here it is:"}, picture]})
        said = {"content": [{"type": "text", "text": "words"}], "structuredContent": {"a": 1}, "isError": True}
        self.assertEqual(self.call("said"), said)
        self.assertEqual(self.call("nothing"), {"content": []})

    def test_an_async_function_is_awaited_and_cancelled(self) -> None:
        self.serve("""
            import asyncio
            @tool
            async def add(a: int, b: int) -> int:
                await asyncio.sleep(0)
                return a + b
            @tool
            async def wait(context: Context) -> str:
                await context.report_progress(1, 2, "waiting")
                await asyncio.sleep(100)
        """)
        self.assertEqual(self.text("add", {"a": 1, "b": 2}), "3")
        self._cancel_in_the_middle("wait")

    def test_a_sleep_ends_when_the_call_is_cancelled(self) -> None:
        self.serve("""
            @tool
            def wait(context: Context) -> str:
                context.progress(1, 2, "waiting")
                context.sleep(100)
                context.throw_if_cancelled()
        """)
        self._cancel_in_the_middle("wait")

    def test_a_sleep_does_not_begin_when_the_call_was_cancelled_before_it_was_known_here(self) -> None:
        self.serve("""
            @tool
            def wait(context: Context) -> bool: return context.sleep(100)
        """)
        self.host.cancelled[7] = 1
        call = threading.Thread(target=self.invoke, args=("tools/call", {"name": "wait"}, 7), daemon=True)
        call.start()
        call.join(60)
        self.assertFalse(call.is_alive())

    def _cancel_in_the_middle(self, name: str) -> None:
        call = threading.Thread(target=self.invoke, args=("tools/call", {"name": name, "arguments": {}}, 77))
        call.start()
        with self.host.heard:
            self.assertTrue(self.host.heard.wait_for(lambda: self.host.progressed, 60))
        self.tell_cancelled(77)
        call.join(60)
        self.assertFalse(call.is_alive())
        text = {"type": "text", "text": "The call was cancelled by the client."}
        self.assertEqual(self.host.answers[77], (RESULT, {"content": [text], "isError": True}))

    def test_the_client_is_asked_and_the_function_runs_again(self) -> None:
        self.serve("""
            from dataclasses import dataclass
            @dataclass
            class Name:
                name: str
            @tool
            def ask(context: Context) -> str:
                answer = context.elicit("Who?", Name, key="who")
                number = context.elicit("How many?", int)
                return f"{answer.action} {answer.data} {number.data}"
            @tool
            def swallow(context: Context) -> str:
                try:
                    context.elicit("Who?", Name)
                except BaseException:
                    return "nobody"
        """)
        outcome, asked = self.invoke("tools/call", {"name": "ask", "arguments": {}})
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        params = {"mode": "form", "message": "Who?", "requestedSchema": schema}
        self.assertEqual(outcome, INPUT_REQUIRED)
        self.assertEqual(asked, {"inputRequests": {"who": {"method": "elicitation/create", "params": params}}})

        answers = {"who": {"action": "accept", "content": {"name": "Ada"}}}
        outcome, asked = self.invoke("tools/call", {"name": "ask", "arguments": {}, "inputResponses": answers})
        self.assertEqual(outcome, INPUT_REQUIRED)
        [(key, request)] = asked["inputRequests"].items()
        self.assertEqual(request["params"]["requestedSchema"]["properties"], {"value": {"type": "integer"}})
        answers[key] = {"action": "accept", "content": {"value": 3}}
        result = self.call("ask", inputResponses=answers)
        self.assertEqual(result["content"][0]["text"], "accept Name(name='Ada') 3")

        outcome, error = self.invoke("tools/call", {"name": "swallow", "arguments": {}})
        self.assertEqual(outcome, FAILED)
        self.assertIn("The function caught the exception by which it asks", error["message"])

    def test_the_client_is_asked_within_a_group_of_tasks(self) -> None:
        self.serve("""
            import asyncio
            async def both(context: Context) -> str:
                async def ask(question: str) -> str:
                    return context.elicit(question, str, key=question).data
                async with asyncio.TaskGroup() as outer:
                    name = outer.create_task(ask("name"))
                    async with asyncio.TaskGroup() as inner:
                        city = inner.create_task(ask("city"))
                return f"{name.result()} of {city.result()}"
            tool(both)
            prompt(both)
            @tool
            def within(context: Context) -> str:
                return asyncio.run(both(context))
            @tool
            async def fail(context: Context) -> str:
                async with asyncio.TaskGroup() as group:
                    group.create_task(asyncio.to_thread(int, "x"))
        """)
        answers: dict = {}
        for key in ("name", "city"):
            for method, name in (("tools/call", "both"), ("tools/call", "within"), ("prompts/get", "both")):
                with self.subTest(method, name=name, key=key):
                    outcome, asked = self.invoke(method, {"name": name, "inputResponses": answers})
                    self.assertEqual((outcome, list(asked["inputRequests"])), (INPUT_REQUIRED, [key]))
            answers[key] = {"action": "accept", "content": {"value": {"name": "Ada", "city": "London"}[key]}}
        result = self.call("both", inputResponses=answers)
        self.assertEqual(result["content"][0]["text"], "Ada of London")
        self.assertIn("Error calling tool 'fail': unhandled errors in a TaskGroup", self.text("fail"))

    def test_a_form_has_the_fields_that_clients_have(self) -> None:
        self.serve("""
            from dataclasses import dataclass
            from enum import Enum
            from typing import Literal
            class Size(Enum):
                SMALL = 1
                LARGE = 2
            @dataclass
            class Order:
                size: Size
                slices: Literal[4, 8]
                toppings: list[Literal["ham", "olives"]]
                note: Annotated[str | None, Field(description="For the cook")] = None
                count: int = Field(1, ge=1)
            @tool
            def order(context: Context) -> str:
                return str(context.elicit("What?", Order, key="order").data)
            @tool
            def wrong(context: Context) -> str:
                return str(context.elicit("Where?", dict[str, str] | None))
        """)
        _, asked = self.invoke("tools/call", {"name": "order"})
        schema = asked["inputRequests"]["order"]["params"]["requestedSchema"]
        properties = {
            "size": {"type": "integer", "enum": [1, 2]},
            "slices": {"type": "integer", "enum": [4, 8]},
            "toppings": {"type": "array", "items": {"type": "string", "enum": ["ham", "olives"]}},
            "note": {"type": "string", "description": "For the cook"},
            "count": {"type": "integer", "minimum": 1, "default": 1},
        }
        required = ["size", "slices", "toppings"]
        self.assertEqual(schema, {"type": "object", "properties": properties, "required": required})
        content = {"size": 2, "slices": 8, "toppings": ["ham"]}
        answered = self.call("order", inputResponses={"order": {"action": "accept", "content": content}})
        self.assertEqual(
            answered["content"][0]["text"],
            "Order(size=<Size.LARGE: 2>, slices=8, toppings=['ham'], note=None, count=1)",
        )
        self.assertIn('"value" cannot be in a form: take a text, a number, bool', self.text("wrong"))

    def test_what_is_not_given_is_the_default_of_its_field_and_bounds_hold(self) -> None:
        self.serve("""
            @prompt
            def plan(place: str, days: int = Field(2, ge=1, le=7)): return f"{days} days in {place}"
            @resource("search://notes{?words,limit}")
            def search(words: Annotated[str, Field(default="all")], limit: int = Field(10, le=20)):
                return f"{words} {limit}"
        """)

        def plan(**arguments: str) -> Any:
            outcome, result = self.invoke("prompts/get", {"name": "plan", "arguments": {"place": "Rome", **arguments}})
            return result["messages"][0]["content"]["text"] if outcome == RESULT else result

        self.assertEqual([plan(), plan(days="7")], ["2 days in Rome", "7 days in Rome"])
        self.assertEqual(plan(days="99"), {"code": -32602, "message": '"days" must be at most 7, not 99'})
        template = {"uriTemplate": "search://notes{?words,limit}", "uri": "search://notes"}
        _, found = self.invoke("resources/read", {**template, "variables": {}})
        self.assertEqual(found["contents"][0]["text"], "all 10")
        outcome, refused = self.invoke("resources/read", {**template, "variables": {"limit": "21"}})
        self.assertEqual((outcome, refused["message"]), (FAILED, '"limit" must be at most 20, not 21'))

    def test_resources_and_prompts_are_read(self) -> None:
        self.serve("""
            @resource("n://{n}")
            def square(n: int) -> str: return str(n * n)
            @resource("n://all")
            def everything(): return {"all": [1]}
            @resource("n://bytes")
            def raw() -> bytes: return b"hi"
            @resource("n://none")
            def none(): return None
            @prompt
            def review(code: str): return ["Please review:", Message(code, role="assistant")]
        """)

        def read(uri: str, **more: Any) -> tuple[int, dict]:
            return self.invoke("resources/read", {"uri": uri, **more})

        template = {"uriTemplate": "n://{n}", "variables": {"n": "12"}}
        text = {"uri": "n://12", "text": "144", "mimeType": "text/plain"}
        self.assertEqual(read("n://12", **template), (RESULT, {"contents": [text]}))
        wrong = read("n://x", **{**template, "variables": {"n": "x"}})
        self.assertEqual(wrong, (FAILED, {"code": -32602, "message": '"n" must be an integer, not "x"'}))
        self.assertEqual(read("n://all")[1]["contents"][0]["text"], '{"all":[1]}')
        self.assertEqual(read("n://bytes")[1]["contents"][0]["blob"], "aGk=")
        self.assertEqual(read("n://none")[1]["code"], -32002)
        _, prompt = self.invoke("prompts/get", {"name": "review", "arguments": {"code": "x"}})
        roles = [(message["role"], message["content"]["text"]) for message in prompt["messages"]]
        self.assertEqual(roles, [("user", "Please review:"), ("assistant", "x")])

    def test_the_context_knows_the_call(self) -> None:
        self.serve(
            """
            @tool
            def told(context: Context, more: str) -> str:
                return f"{context.protocol_version} {context.client.name} {context.configuration['greeting']} {more}"
        """,
            greeting="Hi",
        )
        self.assertEqual(self.text("told", {"more": "!"}), "2026-07-28 tests Hi !")


class StopTest(PluginTest):
    def test_a_process_that_was_forked_and_lives_on_does_not_delay_the_end(self) -> None:
        self.serve("""
            import os, time
            @tool
            def fork() -> int:
                child = os.fork()
                if child == 0:
                    time.sleep(100)
                    os._exit(0)
                return child
        """)
        child = int(self.text("fork"))
        stopping = threading.Thread(target=self.doCleanups)
        stopping.start()
        stopping.join(60)
        is_late = stopping.is_alive()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        stopping.join(60)
        self.assertFalse(is_late)


class ReloadTest(PluginTest):
    def await_log(self, words: str) -> None:
        def is_said() -> bool:
            return any(re.search(words, message) for _, _, message in self.host.logged)

        with self.host.heard:
            self.assertTrue(self.host.heard.wait_for(is_said, 60), self.host.logged)

    def changed(self) -> list[str]:
        self.assertTrue(self.host.changed.wait(60))
        self.host.changed.clear()
        return [tool["name"] for tool in json.loads(self.plugin.describe())["tools"]]

    def test_a_file_that_changes_is_served_anew_with_what_it_imports(self) -> None:
        self.write("helper.py", "VALUE = 1\n")
        self.serve("import helper\n@tool\ndef value() -> int: return helper.VALUE\n")
        self.assertEqual(self.text("value"), "1")
        self.write("helper.py", "VALUE = 2\n")
        self.await_log("loaded .* anew")
        self.assertEqual(self.text("value"), "2")
        self.write("more.py", "@tool\ndef more() -> int: return 3\n")
        self.assertEqual(self.changed(), ["more", "value"])
        (self.folder / "more.py").unlink()
        self.assertEqual(self.changed(), ["value"])

    def test_what_was_served_is_served_on_while_a_file_is_wrong(self) -> None:
        self.serve(ADD)
        file = self.write("served.py", "def broken(:\n")
        self.await_log(f'File "{file}", line 2')
        self.assertEqual(self.text("add", {"a": 1}), "3")
        self.write("served.py", ADD.replace("a + b", "a - b"))
        self.await_log("loaded .* anew")
        self.assertEqual(self.text("add", {"a": 1}), "-1")

    def test_what_was_served_is_served_on_when_the_new_cannot_be_described(self) -> None:
        self.serve(ADD)
        self.write("served.py", """
            said = {}
            @tool(meta=said)
            def add(a: int) -> int: return -a
            said["wrong"] = {1}
        """)
        self.assertTrue(self.host.changed.wait(60))
        with self.assertRaises(TypeError):
            self.plugin.describe()
        self.assertEqual(self.text("add", {"a": 1}), "3")

    def test_packages_that_are_installed_below_the_folder_stay_as_they_are(self) -> None:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        for environment in (".venv", "env"):
            with self.subTest(environment):
                package = f"stays_in_{environment.strip('.')}"
                packages = self.folder / environment / "lib" / version / "site-packages"
                (packages / package).mkdir(parents=True)
                (packages / package / "__init__.py").write_text("from . import part\n")
                (packages / package / "part.py").write_text("calls = []\n")
                self.addCleanup(sys.path.remove, str(packages))
                text = f"from {package}.part import calls\n@tool\ndef count() -> int:\n    calls.append(1)\n"
                self.serve(text + "    return len(calls)\n", venv=str(self.folder / environment))
                self.assertEqual(self.text("count"), "1")
                self.assertIs(type(sys.modules[f"{package}.part"].__loader__), importlib.machinery.SourceFileLoader)
                self.write("served.py", text + "    return 10 * len(calls)\n")
                self.await_log("loaded .* anew")
                self.assertEqual(self.text("count"), "20")

    def test_what_was_served_is_served_on_when_the_folder_is_gone(self) -> None:
        self.serve(ADD)
        self.folder.rename(f"{self.folder}.aside")
        self.await_log(f"{self.folder} is no folder any more")
        self.assertEqual(self.text("add", {"a": 1}), "3")
        os.rename(f"{self.folder}.aside", self.folder)
        self.await_log("loaded .* anew")

    def test_a_look_that_fails_is_told_and_followed_by_others(self) -> None:
        self.serve(ADD)
        folder, failures = self.plugin._folder, iter([OSError("the drive is away")])

        def fingerprint() -> dict:
            for failure in failures:
                raise failure
            return type(folder).fingerprint(folder)

        folder.fingerprint = fingerprint
        self.await_log("(?s)could not be looked at:.*OSError: the drive is away")
        self.write("served.py", ADD.replace("a + b", "a - b"))
        self.await_log("loaded .* anew")

    def test_a_package_of_the_folder_is_loaded_anew_and_other_folders_are_not_looked_at(self) -> None:
        self.write("numbers_of_mine/__init__.py", "")
        self.write("numbers_of_mine/first.py", "FIRST = 1\n")
        self.write("data/other.py", "")
        self.serve("from numbers_of_mine.first import FIRST\n@tool\ndef first() -> int: return FIRST\n")
        self.assertEqual(self.text("first"), "1")
        self.write("data/other.py", "changed = True\n")
        self.write("numbers_of_mine/first.py", "FIRST = 2\n")
        self.await_log("loaded .* anew")
        self.assertEqual(self.text("first"), "2")
        self.assertEqual(len(self.host.logged), 1)

    def test_a_call_of_a_tool_that_has_just_gone_is_served(self) -> None:
        self.serve(ADD)
        self.write("served.py", "@tool\ndef other(): pass\n")
        self.assertEqual(self.changed(), ["other"])
        self.assertEqual(self.text("add", {"a": 1}), "3")


if __name__ == "__main__":
    unittest.main()
