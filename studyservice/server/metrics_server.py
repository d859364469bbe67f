"""Serves the metrics of all server processes from gunicorn's first process, on a separate address.

Each process keeps its counts in files, which the first one sums up on request. Files are named after a slot. A new
process takes over the slot of one that has ended, including its counts. So there are never more slots than simultaneous
processes.
"""

import os
import shutil
import tempfile

from prometheus_client import CollectorRegistry, start_http_server, values
from prometheus_client.multiprocess import MultiProcessCollector


class MetricsServer:
    """The listening socket, created before the server processes are forked."""

    def __init__(self, host: str, port: int) -> None:
        self._slot = 0
        self._directory = tempfile.mkdtemp(prefix="studyservice-metrics-")
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = self._directory
        values.ValueClass = values.MultiProcessValue(lambda: self._slot)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, self._directory)
        try:
            self._server, _ = start_http_server(port, host, registry)
        except OSError as error:
            self.close()
            raise SystemExit(f"Not started: METRICS_ADDRESS cannot be used: {error}") from None

    def close(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def enter(self, slot: int) -> None:
        """Use the metric files of `slot` in a new process, and close the socket, which the first process keeps."""
        self._slot = slot
        self._server.socket.close()
