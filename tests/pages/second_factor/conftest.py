"""Fixtures of an operator who needs a second factor."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import time_machine

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import Member
    from tests.support.second_factor import Asked, Device


@pytest.fixture(autouse=True)
def required(settings: Any) -> None:
    """Require the second factor, as in production."""
    settings.ADMIN_SECOND_FACTOR = "required"


@pytest.fixture(autouse=True)
def early_in_a_step() -> Iterator[None]:
    """Stop the clock at the start of a step, so that an app's code does not change during a test."""
    with time_machine.travel(time.time() // 30 * 30 + 31, tick=True):
        yield


@pytest.fixture
def member(member: "Member") -> "Member":
    """An operator with a password."""
    member.is_staff = member.is_superuser = True
    member.save()
    return member


@pytest.fixture
def operator_browser(member: "Member") -> "Client":
    """The browser in which the operator signed in with a code."""
    from django.test import Client

    from tests.support.second_factor import sign_in_by_code

    client = Client()
    sign_in_by_code(client)
    return client


@pytest.fixture
def asked(operator_browser: "Client") -> "Asked":
    """Another browser, which must use the existing app."""
    from django.test import Client

    from tests.support.second_factor import Asked, enrolled_app, sign_in_by_code

    secret, codes = enrolled_app(operator_browser)
    browser = Client()
    sign_in_by_code(browser)
    return Asked(browser, secret, codes)


@pytest.fixture
def passkey(operator_browser: "Client", settings: Any) -> "Device":
    """The operator's passkey, set up on the pages."""
    from tests.support.second_factor import ORIGIN, PASSKEY, Device, options_on, recovery_codes_on

    settings.BASE_URL = ORIGIN
    device = Device(ORIGIN)
    options = options_on(operator_browser.get(PASSKEY))
    response = operator_browser.post(PASSKEY, {"name": "Laptop", "passkey": device.created(options)})
    assert len(recovery_codes_on(response)) == 10
    return device
