"""The admin's rate limits per client address and per signed-in member."""

from typing import Any

import pytest
from django.test import Client

from studyservice.rates.limiter import Rate, hit
from tests.support.cases import each

LIMIT = Rate.ADMIN.item.amount


def exhaust(key: str) -> None:
    for _ in range(LIMIT):
        hit(Rate.ADMIN, key)


def test_an_operator_over_the_limit_is_rejected_from_every_address(admin: Client, operator: Any) -> None:
    exhaust(f"member:{operator.pk}")
    response = admin.get("/admin/", REMOTE_ADDR="192.0.2.7")
    page = response.content.decode()
    assert response.status_code == 429
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert ("Too many requests" in page, "Wait 1 minute, then try again." in page) == (True, True)


@each("path", ["/admin/", "/admin/accounts/member/", "/admin/nothing", "/admin/jsi18n/"])
def test_an_address_over_the_limit_is_rejected_on_every_page(client: Client, db: None, path: str) -> None:
    """Without a session, and before any query."""
    exhaust("192.0.2.7")
    assert client.get(path, REMOTE_ADDR="192.0.2.7").status_code == 429
    assert client.get(path, REMOTE_ADDR="192.0.2.8").status_code == 302


@pytest.mark.same_statements
def test_each_page_counts_once(admin: Client, operator: Any) -> None:
    answers = [admin.get("/admin/nothing").status_code for _ in range(LIMIT + 1)]
    assert answers == [404] * LIMIT + [429]


def test_the_admin_does_not_use_the_rate_of_the_api(admin: Client, owner: Any) -> None:
    exhaust("127.0.0.1")
    assert owner.call("get_me").error is None
