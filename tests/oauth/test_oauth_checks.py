"""`manage.py check --deploy`: the authorization server follows RFC 9700."""

from django.core import checks


def test_the_authorization_server_has_no_warning() -> None:
    """The toolkit's own checks W001 to W011 among them.

    W007 asks for a setting that only the toolkit's validator reads: that reuse of a refresh token is noticed, ours sees
    to, as `test_oauth_token.py` tells.
    """
    messages = checks.run_checks(include_deployment_checks=True)
    found = [(message.id, message.is_silenced()) for message in messages if "oauth2_provider." in str(message.id)]
    assert found == [("oauth2_provider.W007", True)]
