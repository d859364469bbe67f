"""`manage.py check --deploy`: the authorization server follows RFC 9700."""

from django.core import checks


def test_the_authorization_server_has_no_warning() -> None:
    """The toolkit's own checks W001 to W011 among them."""
    messages = checks.run_checks(include_deployment_checks=True)
    assert [message for message in messages if str(message.id).startswith("oauth2_provider.")] == []
