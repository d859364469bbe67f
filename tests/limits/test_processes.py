"""A change of a credential's limits takes effect immediately in every process."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from accounts.credentials.keys import limit_api_key
from accounts.models import ApiKey
from studyservice.rows.limits import Limits
from tests.support import server
from tests.support.databases import connected
from tests.support.redis_server import start_redis

pytestmark = [pytest.mark.rest, pytest.mark.database("postgresql")]


def _limit(url: str, key_id: str) -> None:
    from studyservice.changes.calls import acting, command

    with connected(url), acting(command("test")):
        limit_api_key(ApiKey.objects.get(id=key_id), Limits((), grades=False))


@pytest.mark.parametrize("processes", [1, 2])
def test_the_next_call_is_limited_in_each_process(tmp_path: Path, processes: int) -> None:
    with start_redis(tmp_path) as redis:
        variables = {"REDIS_URL": redis.url, "WEB_CONCURRENCY": "2"} if processes == 2 else {"WEB_CONCURRENCY": "1"}
        with server.running(tmp_path, **variables) as running:
            made: Any = running.command("createmember", "ada@example.org", "--api-key", "Script")
            secret = made["api_key"]
            headers = {"Authorization": f"Bearer {secret}", "Connection": "close"}
            with httpx2.Client(base_url=running.url, headers=headers) as client:

                def names() -> list[str]:
                    return [course["name"] for course in client.get("/v1/courses").json()["data"]]

                client.post("/v1/courses", json={"name": "Botany"}).raise_for_status()
                assert [names() for _ in range(20)] == [["Botany"]] * 20
                with ThreadPoolExecutor(1) as thread:
                    thread.submit(_limit, running.environment["DATABASE_URL"], _key_of(running)).result()
                assert [names() for _ in range(20)] == [[]] * 20


def _key_of(running: Any) -> str:
    def find() -> str:
        with connected(running.environment["DATABASE_URL"]):
            return str(ApiKey.objects.values_list("id", flat=True).get())

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(find).result()
