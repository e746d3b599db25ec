import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AccountClaims, type AdapterConstructor, type Configuration, Provider } from 'oidc-provider';
// @ts-expect-error: it has no types. The provider warns of the same adapter when it chooses it itself.
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

/** An OpenID provider on this machine, in which people sign in with an email address alone. */
export type OpenIdServer = Awaited<ReturnType<typeof startOpenIdServer>>;

export type OpenIdServerOptions = {
  /** Whether the claims about the account stand in the ID token too, as with Keycloak and Google. */
  readonly hasClaimsInToken?: boolean;
  /** How the client shows its secret. */
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post';
};

const interactionPath = '/interaction/';
const secret = () => randomBytes(24).toString('base64url');

/**
 * Starts `oidc-provider`, which is certified. It accepts every address of a client that ends with the callback's path, so
 * it can start before the platform. An account's id is its email address, unless a test sets other claims.
 */
export async function startOpenIdServer({ hasClaimsInToken, clientAuth }: OpenIdServerOptions = {}) {
  const client = { id: 'mostrador', secret: secret() };
  /** What the provider says of an account, beside what it says by default. */
  const claims = new Map<string, Partial<AccountClaims>>();
  const server = createServer((request, response) => void answer(request, response)).listen(0, 'localhost');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(0) as AdapterConstructor,
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: ['https://mostrador.example/'],
        token_endpoint_auth_method: clientAuth ?? 'client_secret_basic',
      },
    ],
    ...(clientAuth && { clientAuthMethods: [clientAuth] }),
    conformIdTokenClaims: !hasClaimsInToken,
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: [secret()] },
    ttl: { AccessToken: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `${interactionPath}${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true, ...claims.get(id) }),
    }),
    // No account is asked whether this client may know its address.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  } satisfies Configuration);
  provider.Client.prototype.redirectUriAllowed = (uri) => uri.endsWith('/platform/v1/session/oidc/callback');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith(interactionPath)) return await provider.callback()(request, response);
    if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(page);
    const form = new URLSearchParams(await text(request));
    const isCancelled = form.has('cancel');
    const result = isCancelled ? { error: 'access_denied' } : { login: { accountId: form.get('account') ?? '' } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  return {
    issuer,
    client,
    claims,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const page = `<!doctype html><html lang="en"><title>Example provider</title><h1>Example provider</h1>
<form method="post"><label>Account <input name="account" autofocus></label>
<button>Go on</button> <button name="cancel" value="1">Cancel</button></form></html>`;
