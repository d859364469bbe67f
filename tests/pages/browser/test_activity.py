"""A misled assistant: the member undoes its changes of today and keeps their own."""

from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import Any

import anyio
import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.mcp.test_mcp_oauth import assistant
from tests.oauth.test_oauth_clients import Memory
from tests.pages.browser.test_accessibility import audit
from tests.pages.browser.test_assistant import allowed
from tests.support.server import ADA, Server

pytestmark = pytest.mark.database("sqlite", "page layout")

ITEMS = 20


async def mislead(server: Server, allow: Any, callback: str, items: list[str], own: Any) -> None:
    """Rename, move and delete, while the member makes other changes."""
    async with assistant(server, allow, Memory(), callback, "Muddler") as session:
        for number, item_id in enumerate(items):
            call = [
                ("update_item", {"item_id": item_id, "title": f"Nonsense {number}"}),
                ("update_item", {"item_id": item_id, "due_on": "2031-01-01"}),
                ("delete_item", {"item_id": item_id}),
            ][number % 3]
            assert not (await session.call_tool(*call)).is_error
            if number % 5 == 0:
                await anyio.to_thread.run_sync(own, number)


@pytest.mark.thorough("tests/pages/test_activity.py undoes on the same pages, and test_assistant.py connects")
def test_two_clicks_undo_what_a_misled_assistant_did(server: Server, open_page: Any, callback: str) -> None:
    secret = server.command("createapikey", ADA, "Own")["api_key"]
    with httpx2.Client(base_url=f"{server.url}/v1", headers={"Authorization": f"Bearer {secret}"}) as api:

        def made(path: str, **fields: Any) -> Any:
            return api.post(path, json=fields).raise_for_status().json()

        course = made("/courses", name="Cell Biology")
        path = f"/courses/{course['id']}/items"
        items = [made(path, title=f"Lecture {number}", due_on="2030-01-31")["id"] for number in range(ITEMS)]

        def due_dates() -> Any:
            found = api.get("/items", params={"course_id": course["id"], "limit": 100}).raise_for_status().json()
            return {one["title"]: (one["id"], one["due_on"]) for one in found["data"]}

        before = due_dates()
        page: Page = open_page(base_url=server.url)
        asked: Queue[str] = Queue()
        answered: Queue[str] = Queue()

        def allow(address: str) -> str:
            asked.put(address)
            return answered.get(timeout=60)

        def own(number: int) -> None:
            made(path, title=f"Own {number}")

        with ThreadPoolExecutor(1) as pool:
            misled = pool.submit(anyio.run, mislead, server, allow, callback, items, own)
            answered.put(allowed(page, asked.get(timeout=60)))
            misled.result(timeout=120)
        assert due_dates() != before

        page.goto("/keys")
        page.get_by_role("main").get_by_role("link", name="Activity").click()
        expect(page.get_by_text("Muddler renamed “Lecture 0” to “Nonsense 0”.")).to_be_visible()
        expect(page.get_by_text("Muddler moved “Lecture 1” from 31 January 2030 to 1 January 2031.")).to_be_visible()
        audit(page)
        page.get_by_role("link", name="Undo all of today by Muddler").click()
        audit(page)
        page.get_by_role("button", name=f"Undo {ITEMS} changes").click()
        expect(page.get_by_role("status")).to_have_text(f"Undid {ITEMS} changes by Muddler.")
        audit(page)

        own_ones = {title: value for title, value in due_dates().items() if title.startswith("Own")}
        assert sorted(own_ones) == ["Own 0", "Own 10", "Own 15", "Own 5"]
        assert due_dates() == before | own_ones
    page.goto("/activity")
    audit(page)
