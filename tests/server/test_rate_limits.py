"""Request rates: 120 per minute and credential, in fixed windows (spec, Limits)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from studyservice.rates.networks import networks_from
from tests.support.cases import each
from tests.support.world import Call, bearer, check_headers, error_of

pytestmark = pytest.mark.database("sqlite", "in-memory windows")

ME = Call("GET", "/v1/me")
NOW = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)


def peer(address: str) -> Call:
    """The call on a connection from `address`."""
    return Call("GET", "/v1/me", environ={"REMOTE_ADDR": address})


@pytest.fixture
def secret(owner_member: Member, make_key) -> str:
    """A key of the owner."""
    return str(make_key(owner_member)[0])


@pytest.fixture
def frozen() -> Iterator[Any]:
    """Stop the clock."""
    with time_machine.travel(NOW, tick=False) as clock:
        yield clock


def left(response: Any) -> int:
    """Remaining requests in the window."""
    return int(response.headers["RateLimit-Remaining"])


@pytest.mark.django_db
@pytest.mark.usefixtures("frozen")
class TestWindows:
    def test_each_request_counts_once(self, secret: str) -> None:
        first, second = (ME.send(**bearer(secret)) for _ in range(2))
        assert {name: first.headers[f"RateLimit-{name}"] for name in ("Limit", "Remaining", "Reset")} == {
            "Limit": "120",
            "Remaining": "119",
            "Reset": "60",
        }
        assert left(second) == 118

    def test_the_121st_request_is_rejected(self, secret: str) -> None:
        answers = [ME.send(**bearer(secret)) for _ in range(122)]
        assert [answer.status_code for answer in answers] == [200] * 120 + [429] * 2
        error = error_of(answers[120])
        assert error["type"] == "rate_limited"
        assert answers[120].headers["Retry-After"] == answers[120].headers["RateLimit-Reset"] == "60"
        assert left(answers[119]) == left(answers[120]) == 0

    def test_only_an_error_names_the_time_to_wait(self, secret: str) -> None:
        assert "Retry-After" not in ME.send(**bearer(secret)).headers

    def test_the_window_ends_a_minute_after_its_first_request(self, secret: str, frozen) -> None:
        """However late the others arrived: windows are fixed (spec, Limits)."""
        ME.send(**bearer(secret))
        frozen.shift(59.5)
        last = [ME.send(**bearer(secret)) for _ in range(120)][-1]
        assert (last.status_code, last.headers["Retry-After"]) == (429, "1")
        frozen.shift(0.6)
        renewed = ME.send(**bearer(secret))
        assert (renewed.status_code, left(renewed), renewed.headers["RateLimit-Reset"]) == (200, 119, "60")

    def test_rejected_requests_do_not_extend_the_window(self, secret: str, frozen) -> None:
        for _ in range(140):
            ME.send(**bearer(secret))
            frozen.shift(0.25)
        assert ME.send(**bearer(secret)).headers["Retry-After"] == "25"

    def test_each_credential_has_its_own_window(self, owner_member: Member, secret: str, make_key) -> None:
        for _ in range(121):
            ME.send(**bearer(secret))
        other, _ = make_key(owner_member)
        assert left(ME.send(**bearer(other))) == 119

    def test_one_credential_has_one_window_for_both_headers(self, secret: str) -> None:
        ME.send(**bearer(secret))
        assert left(ME.send(X_API_Key=secret)) == 118

    def test_one_credential_has_one_window_for_all_addresses(self, secret: str, settings) -> None:
        settings.TRUSTED_PROXIES = 1
        ME.send(**bearer(secret), X_Forwarded_For="192.0.2.1")
        assert left(ME.send(**bearer(secret), X_Forwarded_For="192.0.2.2")) == 118

    @each("headers", [{}, {"Authorization": "Bearer svc_sk_dead"}, {"X_API_Key": "x"}])
    def test_without_a_valid_credential_the_address_counts(self, headers: dict[str, str]) -> None:
        """Decisions 3."""
        answers = [ME.send(**headers) for _ in range(121)]
        assert [answer.status_code for answer in answers] == [401] * 120 + [429]
        assert left(answers[0]) == 119
        assert answers[120].headers["Retry-After"] == "60"

    def test_invalid_credentials_share_the_window_of_their_address(self) -> None:
        for number in range(120):
            ME.send(**bearer(f"svc_sk_guess{number}"))
        assert ME.send(**bearer("svc_sk_another")).status_code == 429

    def test_a_valid_key_is_not_limited_by_its_address(self, secret: str) -> None:
        for _ in range(121):
            ME.send()
        answer = ME.send(**bearer(secret))
        assert (answer.status_code, left(answer)) == (200, 119)

    def test_a_revoked_key_counts_against_its_address(self, secret: str, owner_member: Member) -> None:
        ME.send(**bearer(secret))
        owner_member.api_keys.update(revoked_at=NOW)
        ME.send()
        assert left(ME.send(**bearer(secret))) == 118

    @each("path", ["/v1/nothing", "/v1", "/v1/", "/mcp/nothing"])
    def test_unknown_routes_are_counted(self, secret: str, path: str) -> None:
        """Decisions 12, Counting."""
        answer = Call("GET", path).send(**bearer(secret))
        assert (answer.status_code, left(answer)) == (404, 119)
        assert left(ME.send(**bearer(secret))) == 118

    def test_rejected_requests_are_counted(self, secret: str) -> None:
        Call("GET", "/v1/courses/17").send(**bearer(secret))
        Call("PUT", "/v1/me").send(**bearer(secret))
        Call("POST", "/v1/courses").send_raw(b"{", **bearer(secret))
        assert left(ME.send(**bearer(secret))) == 116

    def test_preflight_is_not_counted(self, secret: str) -> None:
        ME.send()
        preflight = Call("OPTIONS", "/v1/me").send(Origin="https://app.example", Access_Control_Request_Method="GET")
        check_headers(preflight)
        assert left(preflight) == 119
        assert left(ME.send()) == 118

    def test_preflight_is_answered_when_the_address_is_exhausted(self) -> None:
        for _ in range(121):
            ME.send()
        preflight = Call("OPTIONS", "/v1/me").send(Origin="https://app.example", Access_Control_Request_Method="GET")
        assert (preflight.status_code, left(preflight)) == (200, 0)

    @each("path", ["/health", "/health/live", "/health/ready", "/openapi.json", "/admin/"])
    def test_other_addresses_are_not_counted(self, secret: str, path: str) -> None:
        answer = Call("GET", path).send(**bearer(secret))
        assert "RateLimit-Limit" not in answer.headers
        assert left(ME.send(**bearer(secret))) == 119


FORWARDED = "203.0.113.9, 192.0.2.1"
"""As set by a single proxy: the client's own value, then the peer that the proxy saw."""


@pytest.mark.django_db
@pytest.mark.usefixtures("frozen")
class TestClientAddress:
    """TRUSTED_PROXIES: the number of trusted proxies in front of the service (decisions 2)."""

    def test_by_default_no_header_is_trusted(self) -> None:
        ME.send(X_Forwarded_For="192.0.2.1")
        assert left(ME.send(X_Forwarded_For="192.0.2.2")) == 118

    def test_one_proxy_is_trusted_about_its_peer(self, settings) -> None:
        settings.TRUSTED_PROXIES = 1
        ME.send(X_Forwarded_For=FORWARDED)
        assert left(ME.send(X_Forwarded_For="192.0.2.1")) == 118
        assert left(ME.send(X_Forwarded_For="192.0.2.2")) == 119

    def test_addresses_invented_by_the_client_are_ignored(self, settings) -> None:
        settings.TRUSTED_PROXIES = 1
        for number in range(120):
            ME.send(X_Forwarded_For=f"203.0.113.{number}, 192.0.2.1")
        assert ME.send(X_Forwarded_For="203.0.113.200, 192.0.2.1").status_code == 429

    def test_two_proxies_are_trusted_about_the_second_address_from_the_right(self, settings) -> None:
        settings.TRUSTED_PROXIES = 2
        ME.send(X_Forwarded_For="192.0.2.1, 198.51.100.1")
        assert left(ME.send(X_Forwarded_For="spoofed, 192.0.2.1, 198.51.100.2")) == 118

    @pytest.mark.parametrize("header", ["", "unknown", "192.0.2.1:80", "192.0.2.1,", "<script>"])
    def test_an_invalid_address_falls_back_to_the_peer(self, settings, header: str) -> None:
        settings.TRUSTED_PROXIES = 1
        ME.send(REMOTE_ADDR="127.0.0.1")
        assert left(ME.send(X_Forwarded_For=header)) == 118

    def test_a_header_with_too_few_addresses_is_ignored(self, settings) -> None:
        settings.TRUSTED_PROXIES = 2
        ME.send()
        assert left(ME.send(X_Forwarded_For="192.0.2.1")) == 118

    def test_two_notations_of_one_address_are_equal(self, settings) -> None:
        settings.TRUSTED_PROXIES = 1
        ME.send(X_Forwarded_For="2001:db8::1")
        assert left(ME.send(X_Forwarded_For="2001:0DB8:0:0::0001")) == 118

    def test_an_ipv6_64_network_is_one_client(self, settings) -> None:
        """A household or a server has at least that many addresses to send from."""
        settings.TRUSTED_PROXIES = 1
        for number in range(120):
            ME.send(X_Forwarded_For=f"2001:db8:0:1:{number:x}::1")
        assert ME.send(X_Forwarded_For="2001:db8:0:1:ffff:ffff:ffff:ffff").status_code == 429
        assert left(ME.send(X_Forwarded_For="2001:db8:0:2::1")) == 119

    def test_an_ipv6_64_network_is_one_peer(self) -> None:
        peer("2001:db8::1").send()
        assert left(peer("2001:db8::2").send()) == 118

    def test_an_ipv4_address_is_equal_in_both_notations(self) -> None:
        peer("192.0.2.7").send()
        assert left(peer("::ffff:192.0.2.7").send()) == 118
        assert left(peer("::ffff:192.0.2.8").send()) == 119


@pytest.mark.django_db
@pytest.mark.usefixtures("frozen")
class TestRateNetworks:
    """RATE_NETWORKS: networks where many people share an address."""

    @pytest.fixture(autouse=True)
    def networks(self, settings) -> None:
        settings.RATE_NETWORKS = networks_from("10.0.0.0/8=2, 10.20.0.0/16=40, 2001:db8::/32=3,")

    @each(
        ("address", "limit"),
        [
            ("10.20.1.2", 4800),
            ("10.21.1.2", 240),
            ("::ffff:10.20.1.2", 4800),
            ("2001:db8:0:1::7", 360),
            ("192.0.2.1", 120),
            ("2001:db9::1", 120),
        ],
    )
    def test_the_narrowest_network_multiplies_the_rate_of_an_address(self, address: str, limit: int) -> None:
        answer = peer(address).send()
        assert (answer.headers["RateLimit-Limit"], left(answer)) == (str(limit), limit - 1)

    def test_requests_beyond_the_higher_rate_are_rejected(self) -> None:
        answers = [peer("10.21.1.2").send().status_code for _ in range(241)]
        assert answers == [401] * 240 + [429]

    def test_each_address_in_it_has_its_own_window(self) -> None:
        peer("10.20.1.2").send()
        assert left(peer("10.20.1.3").send()) == 4799

    def test_the_client_behind_a_trusted_proxy_counts(self, settings) -> None:
        settings.TRUSTED_PROXIES = 1
        answer = ME.send(X_Forwarded_For="10.20.1.2")
        assert answer.headers["RateLimit-Limit"] == "4800"
        assert ME.send(X_Forwarded_For="10.20.1.2, 192.0.2.1").headers["RateLimit-Limit"] == "120"

    def test_the_rate_of_a_credential_stays(self, secret: str) -> None:
        answer = Call("GET", "/v1/me", environ={"REMOTE_ADDR": "10.20.1.2"}).send(**bearer(secret))
        assert answer.headers["RateLimit-Limit"] == "120"
