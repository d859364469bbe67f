"""Serves the metrics of all server processes from gunicorn's first process, on a separate address.

Each process keeps its counts in files, which the first one adds up when it is asked. Processes come and go; files are
named after a slot, which a new process takes over, counts included, from one that has ended. So there are never more
of them than processes at once.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable
from itertools import count

from prometheus_client import CollectorRegistry, start_http_server, values
from prometheus_client.multiprocess import MultiProcessCollector


class MetricsServer:
    """Listens from the start on; made before the processes that it serves are forked."""

    def __init__(self, host: str, port: int) -> None:
        self._slot = 0
        self._directory = tempfile.mkdtemp(prefix="studyservice-metrics-")
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = self._directory
        values.ValueClass = values.MultiProcessValue(self._taken_slot)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, self._directory)
        try:
            self._server, _ = start_http_server(port, host, registry)
        except OSError as error:
            self.close()
            raise SystemExit(f"Not started: METRICS_ADDRESS cannot be used: {error}") from None

    def _taken_slot(self) -> int:
        return self._slot

    def close(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def enter(self, slot: int) -> None:
        """In a new process: use the metric files of `slot`, and close the address, which the first process keeps."""
        self._slot = slot
        self._server.socket.close()


def free_slot(taken: Iterable[int]) -> int:
    """The first slot that no running process has."""
    used = set(taken)
    return next(slot for slot in count() if slot not in used)
