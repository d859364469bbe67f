"""Running asynchronous clients in synchronous tests."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio


def run_async(function: Callable[..., Awaitable[Any]], *args: Any) -> Any:
    """The result of `function` on an event loop in a thread of its own; browser tests keep one in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, function, *args).result()
