"""The token endpoint (RFC 6749 sections 4.1.3 and 6).

The path of a token request: parse it (`token_requests`), find its code or token (`presented_grant`), check it with
oauthlib's grant and our validator (`token_validator`), store the pair (`issuing`).
"""

from django.http import HttpRequest, HttpResponse
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.mixins import OAuthLibMixin

from oauthserver.clients import named_client
from oauthserver.endpoints import OAuthEndpoint, count, unstored_json
from oauthserver.presented_grant import PresentedGrant
from oauthserver.server import Backend
from oauthserver.token_requests import TokenRequest
from oauthserver.token_validator import TokenValidator
from studyservice.http.request_keys import CALLER
from studyservice.rates.limiter import Rate


class TokenView(OAuthLibMixin, OAuthEndpoint):
    """`POST /oauth/token`.

    Attributes:
        wanted: the request.
        presented_grant: the code or refresh token in it.
    """

    wanted: TokenRequest
    presented_grant: PresentedGrant

    def post(self, request: HttpRequest) -> HttpResponse:
        """Exchange a code, or refresh."""
        count(Rate.TOKEN, request)
        self.wanted = TokenRequest.parse(request)
        CALLER.set(request, named_client(self.wanted.credentials.client_id))
        self.presented_grant = PresentedGrant.by(self.wanted)
        CALLER.set(
            request, {"member": self.presented_grant.member.id, "client_id": self.presented_grant.client.client_id}
        )
        _, _, tokens, _ = self.create_token_response(self.wanted)
        return unstored_json(tokens)

    def get_oauthlib_core(self) -> Backend:  # type: ignore[override]  # the toolkit shares one core in the class
        """Return the toolkit's core, with a validator for this request."""
        server_class = self.get_server_class()
        return Backend(server_class(TokenValidator(self.wanted, self.presented_grant), **oauth2_settings.server_kwargs))
