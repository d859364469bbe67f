"""Runs asynchronous clients in synchronous tests."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio


def run_async(function: Callable[..., Awaitable[Any]], *args: Any) -> Any:
    """Run `function` on an event loop in another thread, because browser tests keep a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, function, *args).result()
