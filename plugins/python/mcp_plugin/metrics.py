"""What a plugin counts and measures: shown beside the host's own metrics, as mcp_plugin_NAME."""

from typing import Any, Sequence

from .components import host_of_loading
from .interfaces import METRICS, need

_COUNTER, _GAUGE, _HISTOGRAM = 0, 1, 2


class _Metric:
    """Made at the top of a file, which is not served where the host refuses the name. Elsewhere it records nothing, as
    in a test of a function. Any thread may record; labels are few, with few values each, because every combination of
    them is a series that is kept."""

    def __init__(self, kind: int, name: str, help: str, bounds: Sequence[float] = ()):
        self._host: Any = host_of_loading()
        if self._host is None:
            return
        need(self._host, METRICS)
        self._number, error = self._host.declare_metric(kind, name, help, list(bounds))
        if self._number == 0:
            raise ValueError(error)

    def _record(self, function: str, value: float, labels: dict[str, Any]) -> None:
        if self._host is not None:
            texts = [(name, str(label)) for name, label in labels.items()]
            getattr(self._host, function)(self._number, value, texts)


class Counter(_Metric):
    """Grows. Its name ends with _total, which is added where it is missing."""

    def __init__(self, name: str, help: str):
        super().__init__(_COUNTER, name, help)

    def add(self, amount: float = 1, /, **labels: Any) -> None:
        self._record("metric_add", amount, labels)


class Gauge(_Metric):
    """Goes up and down."""

    def __init__(self, name: str, help: str):
        super().__init__(_GAUGE, name, help)

    def set(self, value: float, /, **labels: Any) -> None:
        self._record("metric_set", value, labels)

    def add(self, amount: float, /, **labels: Any) -> None:
        self._record("metric_add", amount, labels)


class Histogram(_Metric):
    """How many values were how large. The bounds grow, 32 at most; without any they are those of Prometheus for
    seconds."""

    def __init__(self, name: str, help: str, bounds: Sequence[float] = ()):
        super().__init__(_HISTOGRAM, name, help, bounds)

    def observe(self, value: float, /, **labels: Any) -> None:
        self._record("metric_observe", value, labels)
