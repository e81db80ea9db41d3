"""What a plugin in Python asks of the host besides serving calls."""

import unittest

from fake_host import PluginTest

from mcp_plugin import Counter, extension, on_subscribed


class StoreTest(PluginTest):
    def test_values_are_bytes(self) -> None:
        self.serve("""
            @tool
            def keep(context: Context) -> str:
                store = context.store
                store.put("b", b"\\0\\xff")
                store.put("empty", b"")
                assert (store.get("b"), store.get("empty"), store.get("a")) == (b"\\0\\xff", b"", None)
                assert store.list() == ["b", "empty"] and store.list("e") == ["empty"]
                return f"{store.erase('b')} {store.erase('b')}"
            @tool
            def visit(context: Context) -> str:
                return context.store.update("n", lambda before: str(int(before or 0) + 1).encode()).decode()
            @tool
            def race(context: Context) -> str:
                assert context.store.put_if("k", b"1", 0)
                entry = context.store.find("k")
                context.store.put("k", b"of somebody else")
                return str(context.store.put_if("k", b"2", entry.revision))
            @tool
            def refused(context: Context) -> str:
                try:
                    context.store.put("", b"")
                except StoreError as error:
                    return str(error)
            @tool
            def text(context: Context) -> None:
                context.store.put("k", "text")
        """)
        self.assertEqual(self.text("keep"), "True False")
        self.assertEqual([self.text("visit"), self.text("visit")], ["1", "2"])
        self.assertEqual(self.text("race"), "False")
        self.assertEqual(self.text("refused"), 'cannot keep "": a key is not empty')
        self.assertIn("a bytes-like object is required, not 'str'", self.text("text"))


class MetricsTest(PluginTest):
    def test_are_recorded_by_labels(self) -> None:
        self.serve("""
            served = Counter("served", "Served.")
            took = Histogram("took_seconds", "Took.", [0.1, 1])
            open_now = Gauge("open", "Open.")
            @tool
            def work() -> None:
                served.add()
                served.add(2, kind="a", count=3)
                took.observe(0.5)
                open_now.set(5)
                open_now.add(-1)
        """)
        self.call("work")
        self.assertEqual(
            self.host.metrics,
            [(0, "served", "Served.", []), (2, "took_seconds", "Took.", [0.1, 1]), (1, "open", "Open.", [])],
        )
        self.assertEqual(
            self.host.recorded,
            [
                ("add", 1, 1, []),
                ("add", 1, 2, [("kind", "a"), ("count", "3")]),
                ("observe", 2, 0.5, []),
                ("set", 3, 5, []),
                ("add", 3, -1, []),
            ],
        )

    def test_a_name_that_the_host_refuses_is_a_mistake_of_the_file(self) -> None:
        self.serve('refused = Counter("not this", "")')
        [(_, _, message)] = self.host.logged
        self.assertIn('ValueError: "not this" is no name', message)
        self.assertIn("served.py", message)

    def test_nothing_is_recorded_without_a_host(self) -> None:
        Counter("not this", "").add()


class SubscriptionsTest(PluginTest):
    LISTENING = """
        heard = []
        @on_subscribed
        def begin(uri: str, context: Context) -> None:
            assert not context.cancelled
            heard.append("+" + uri)
        @on_unsubscribed
        async def end(uri: str) -> None:
            heard.append("-" + uri)
        @tool
        def all(context: Context) -> str:
            return " ".join(heard + context.subscriptions)
    """

    def test_are_told_and_can_be_asked_for(self) -> None:
        self.serve(self.LISTENING)
        self.assertEqual(self.host.listens, 1)
        self.plugin.subscription_changed("notes://x", True)
        self.plugin.subscription_changed("notes://x", False)
        self.assertEqual(self.text("all"), "+notes://x -notes://x notes://x")

    def test_a_function_may_fail(self) -> None:
        self.serve("""
            @on_subscribed
            def begin(uri: str) -> None:
                raise OSError("no inotify")
        """)
        self.plugin.subscription_changed("notes://x", True)
        [(call, _, message)] = self.host.logged
        self.assertEqual(call, 0)
        self.assertIn("OSError: no inotify", message)

    def test_who_does_not_listen_costs_nothing(self) -> None:
        self.serve("@tool\ndef a() -> None: pass")
        self.assertEqual(self.host.listens, 0)

    def test_a_function_takes_a_uri(self) -> None:
        self.serve("@on_subscribed\ndef begin() -> None: pass")
        self.assertIn("TypeError: begin takes the URI of a resource: def begin(uri: str)", self.host.logged[0][2])

    def test_a_function_stays_what_it_was(self) -> None:
        self.assertEqual(on_subscribed(str.upper)("a"), "A")


class CapabilitiesTest(PluginTest):
    def test_are_described(self) -> None:
        described = self.serve("""
            extension("com.example/search", {"languages": ["en"]})
            experimental("drafts")
        """)
        extensions = {"com.example/search": {"languages": ["en"]}}
        self.assertEqual(described["capabilities"], {"extensions": extensions, "experimental": {"drafts": {}}})

    def test_a_name_that_the_host_refuses_is_a_mistake_of_the_file(self) -> None:
        described = self.serve('extension("io.modelcontextprotocol/tasks")')
        self.assertNotIn("capabilities", described)
        self.assertIn("ValueError: it has a prefix that is reserved for MCP", self.host.logged[0][2])

    def test_nothing_is_added_without_a_host(self) -> None:
        extension("io.modelcontextprotocol/tasks")


class OlderHostTest(PluginTest):
    def test_is_named_to_whoever_needs_more(self) -> None:
        self.serve("""
            @tool
            def use(context: Context) -> str:
                return str(context.host_has("mcp.store/1")) + str(context.store.get("k"))
        """)
        self.assertEqual(self.text("use"), "TrueNone")
        self.host.lacks.add("mcp.store/1")
        self.assertIn(
            "the host does not have mcp.store/1, which mcp-plugin-host has from 0.1.0 on: update the host, or ask "
            'Context.host_has("mcp.store/1") beforehand',
            self.text("use"),
        )


if __name__ == "__main__":
    unittest.main()
