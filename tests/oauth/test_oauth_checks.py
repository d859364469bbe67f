"""`manage.py check --deploy`: the authorization server follows RFC 9700."""

import pytest
from django.core import checks


@pytest.mark.django_db
def test_the_authorization_server_has_no_warning() -> None:
    """Includes the toolkit's own checks W001 to W011.

    W007 asks for a setting that only the toolkit's validator reads. This service detects refresh token reuse itself, as
    `test_oauth_token.py` tests.
    """
    messages = checks.run_checks(include_deployment_checks=True)
    found = [(message.id, message.is_silenced()) for message in messages if "oauth2_provider." in str(message.id)]
    assert found == [("oauth2_provider.W007", True)]
