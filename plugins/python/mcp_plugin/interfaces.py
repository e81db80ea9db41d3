"""The optional interfaces of the host, by their names. An older host may lack them."""

from typing import Any

SUBSCRIPTIONS = "mcp.subscriptions/1"
STORE = "mcp.store/1"
METRICS = "mcp.metrics/1"
CAPABILITIES = "mcp.capabilities/1"


def need(host: Any, name: str) -> None:
    if not host.has_interface(name):
        raise RuntimeError(
            f"the host does not have {name}, which mcp-plugin-host has from 0.1.0 on: update the host, or ask "
            f'Context.host_has("{name}") beforehand'
        )
