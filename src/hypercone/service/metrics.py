"""Metrics of the service in the text format of Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

# Seconds, from the time of a fast answer to the default deadline.
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
KIND = b"text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts of answers by route and status, and histograms of their durations.

    >>> metrics = Metrics()
    >>> metrics.count("/healthz", 200, 0.0007)
    >>> metrics.text({"pets": 3}).decode().splitlines()[2]
    'hypercone_requests_total{route="/healthz",status="200"} 1'
    """

    def __init__(self) -> None:
        self.in_flight = 0
        self._answers: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        self._answers[route, status] += 1
        self._buckets[route][bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] += seconds

    def text(self, nodes: dict[str, int]) -> bytes:
        """All metrics, with the number of nodes of each model."""
        lines = [
            *_heading("hypercone_requests_total", "counter", "Answers by route and status."),
            *(
                _line("hypercone_requests_total", {"route": route, "status": str(status)}, count)
                for (route, status), count in sorted(self._answers.items())
            ),
            *_heading("hypercone_request_duration_seconds", "histogram", "Time from the headers to the answer."),
            *(line for route in sorted(self._buckets) for line in self._histogram(route)),
            *_heading("hypercone_requests_in_flight", "gauge", "Requests that are being answered."),
            _line("hypercone_requests_in_flight", {}, self.in_flight),
            *_heading("hypercone_model_nodes", "gauge", "Nodes of each model that is served."),
            *(_line("hypercone_model_nodes", {"model": name}, count) for name, count in nodes.items()),
        ]
        return ("\n".join(lines) + "\n").encode()

    def _histogram(self, route: str) -> Iterable[str]:
        name, total = "hypercone_request_duration_seconds", 0
        for bound, count in zip((*BUCKETS, "+Inf"), self._buckets[route], strict=True):
            total += count
            yield _line(f"{name}_bucket", {"route": route, "le": str(bound)}, total)
        yield _line(f"{name}_sum", {"route": route}, self._seconds[route])
        yield _line(f"{name}_count", {"route": route}, total)


def _heading(name: str, kind: str, description: str) -> list[str]:
    return [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]


def _line(name: str, labels: dict[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escape(text)}"' for label, text in labels.items())
    return f"{name}{{{inside}}} {value!r}" if inside else f"{name} {value!r}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
