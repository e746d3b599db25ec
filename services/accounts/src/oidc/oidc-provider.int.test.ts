import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOidcSession, getSignInOptions, startOidcSession } from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import { silentLog } from '@mostrador/testing/context';
import { type OpenIdServerOptions, startOpenIdServer } from '@mostrador/testing/providers/openid/server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { publicUrl, startAccounts, type TestAccounts } from '../../test/accounts.ts';
import { openProvider } from '../../test/openid.ts';
import { createPeople } from '../../test/people.ts';
import { visitProvider } from '../../test/provider-visit.ts';
import { secretsOf } from './attempt-secrets.ts';
import { createOidcProvider, type OidcProvider } from './oidc-provider.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const visit = { asksAgain: false, log: silentLog() };
const secrets = secretsOf('a token');
const unavailable = { code: 'oidc_unavailable', retryable: true };
const begin = (provider: OidcProvider) => provider.authorizationUrl(secrets, visit);
const identify = async (provider: OidcProvider, account = 'ana@example.com') =>
  provider.identify(await visitProvider(await begin(provider), account, publicUrl), secrets, visit);

async function startServer(options?: OpenIdServerOptions) {
  const server = await startOpenIdServer(options);
  closing.push(() => server.close());
  return server;
}

describe.each<[string, OpenIdServerOptions]>([
  ['tells claims where they are asked for', {}],
  ['has them in the ID token', { hasClaimsInToken: true }],
  ['takes the secret in the body', { clientAuth: 'client_secret_post' }],
])('a provider that %s', (_what, options) => {
  test('names the account and its verified address', async () => {
    const server = await startServer(options);
    const found = await identify(openProvider(server));
    expect(found).toEqual({ issuer: server.issuer, subject: 'ana@example.com', email: 'ana@example.com' });
  });
});

test.each([
  [true, true, 'ana@example.com'],
  [true, undefined, 'ana@example.com'],
  [true, false, null],
  [true, 'false', null],
  [false, undefined, null],
])('when the operator trusts addresses: %s, one with email_verified %s is %s', async (trustsEmail, verified, email) => {
  const server = await startServer({ hasClaimsInToken: true });
  server.claims.set('ana@example.com', { email_verified: verified as boolean });
  expect(await identify(openProvider(server, { trustsEmail }))).toMatchObject({ email });
});

test('the browser is sent with a state, a nonce and a code challenge, and with no secret', async () => {
  const server = await startServer();
  const url = new URL(await begin(openProvider(server)));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    ...{ client_id: 'mostrador', response_type: 'code', scope: 'openid email', code_challenge_method: 'S256' },
    ...{ state: secrets.state, nonce: secrets.nonce, code_challenge: expect.stringMatching(/^[\w-]{43}$/) },
    redirect_uri: `${publicUrl}/platform/v1/session/oidc/callback`,
  });
  expect(url.href).not.toContain(server.client.secret);
  expect(url.href).not.toContain(secrets.codeVerifier);
});

describe('the provider is not available', () => {
  test('when it does not answer, before and after the person signed in there', async () => {
    const server = await startOpenIdServer();
    const provider = openProvider(server);
    const answer = await visitProvider(await begin(provider), 'ana@example.com', publicUrl);
    await server.close();
    await expect(provider.identify(answer, secrets, visit)).rejects.toMatchObject(unavailable);
    await expect(begin(provider)).rejects.toMatchObject(unavailable);
    await expect(begin(openProvider(server))).rejects.toMatchObject(unavailable);
  });

  test('when it has another name than the configured one', async () => {
    const server = await startServer();
    const issuer = new URL(`${server.issuer}/realms/other`);
    await expect(begin(openProvider(server, { issuer }))).rejects.toMatchObject(unavailable);
  });

  test('when the secret is wrong', async () => {
    const provider = openProvider(await startServer(), { clientSecret: 'not this one' });
    await expect(identify(provider)).rejects.toMatchObject(unavailable);
  });

  test('when it is in a private network and the operator did not choose it', async () => {
    const { issuer, client } = await startServer();
    const settings = { issuer: new URL(issuer), clientId: client.id, clientSecret: client.secret };
    const provider = createOidcProvider({
      settings: { ...settings, name: 'Example', scopes: 'openid', trustsEmail: false },
      ...{ publicUrl, egress: createEgress({}) },
    });
    await expect(begin(provider)).rejects.toMatchObject(unavailable);
  });

  test.each<[string, RequestListener]>([
    ['with an error', (_request, response) => response.writeHead(500).end('no')],
    ['with a page', (_request, response) => response.setHeader('content-type', 'text/html').end('<p>Hello</p>')],
    ['with no object', (_request, response) => response.setHeader('content-type', 'application/json').end('[]')],
    [
      'without end',
      (_request, response) => {
        response.setHeader('content-type', 'application/json');
        const more = () => response.write(' '.repeat(65_536), (error) => error || more());
        more();
      },
    ],
    [
      'as an address of Microsoft for all organizations',
      ({ headers }, response) => {
        const issuer = `http://${headers.host}/{tenantid}/v2.0`;
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer }));
      },
    ],
  ])('when it answers %s', async (_what, listener) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = openProvider({ issuer, client: { id: 'x', secret: 'y' } } as never);
    await expect(begin(provider)).rejects.toMatchObject(unavailable);
  });

  test('until it answers again', async () => {
    let isUp = false;
    const server = createServer((_request, response) => {
      if (!isUp) return response.writeHead(503).end();
      const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = openProvider({ issuer, client: { id: 'x', secret: 'y' } } as never);
    await expect(begin(provider)).rejects.toMatchObject(unavailable);
    isUp = true;
    expect(await begin(provider)).toContain(`${issuer}/auth?`);
    isUp = false;
    expect(await begin(provider)).toContain(`${issuer}/auth?`);
  });
});

describe('without a provider', () => {
  let accounts: TestAccounts;
  beforeAll(async () => {
    accounts = await startAccounts();
  });
  afterAll(() => accounts?.stop());

  test('the sign-in page learns it, and every attempt gets 404', async () => {
    const { ask } = createPeople(accounts);
    expect(await ask(getSignInOptions, {})).toEqual({ oidc: null });
    const missing = { code: 'oidc_not_configured', status: 404 };
    await expect(ask(startOidcSession, {})).rejects.toMatchObject(missing);
    const body = { attempt_token: '', answer: '' };
    await expect(ask(createOidcSession, { body })).rejects.toMatchObject(missing);
  });
});
