// An identity provider by `oidc-provider`, for one client. Prints its issuer, and ends with its standard input.
//
// Arguments: the client's id, its secret, its redirect URI, its way to send the secret, and "token" or "userinfo" for where
// the claims are. Whoever signs in is the account with the typed name: an
// address at example.org, verified unless the name begins with "unverified".
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

const [clientId, secret, redirectUri, method, place] = process.argv.slice(2);
const key = (type, options) => ({
  ...generateKeyPairSync(type, options).privateKey.export({ format: "jwk" }),
  kid: type,
  use: "sig",
});
const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: place === "token" ? "ES256" : "RS256",
      },
    ],
    clientAuthMethods: [method],
    conformIdTokenClaims: place !== "token",
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256"] },
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    jwks: { keys: [key("rsa", { modulusLength: 2048 }), key("ec", { namedCurve: "P-256" })] },
    cookies: { keys: ["a key of a test"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.org`,
        email_verified: !id.startsWith("unverified"),
        name: id,
        groups: ["students"],
      }),
    }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
process.stdin.on("end", () => process.exit()).resume();
