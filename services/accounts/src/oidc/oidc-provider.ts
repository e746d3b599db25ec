import { readBody } from '@mostrador/kit/clients/body';
import type { Egress } from '@mostrador/kit/clients/egress';
import type { Log } from '@mostrador/kit/process/log';
import { BulkheadRejectedError, bulkhead } from 'cockatiel';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
} from 'openid-client';
import type { AttemptSecrets } from './attempt-secrets.ts';
import { oidcFailure, ProviderUnusable } from './oidc-failure.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** Whom the provider names. */
export type OidcIdentity = {
  readonly issuer: string;
  /** The provider's name for the account, which never changes. */
  readonly subject: string;
  /** Only an address that the provider has verified. */
  readonly email: string | null;
};

/** The OpenID provider of the deployment. Its methods throw `oidc_unavailable`, and `oidc_failed` or `oidc_cancelled`. */
export type OidcProvider = {
  readonly name: string;
  /** Where a browser signs in, for one attempt. */
  authorizationUrl(secrets: AttemptSecrets, visit: OidcVisit): Promise<string>;
  /** Who signed in. `answer` is the query string with which the browser came back. */
  identify(answer: string, secrets: AttemptSecrets, visit: OidcVisit): Promise<OidcIdentity>;
};

/** A visit of a browser to the provider. */
export type OidcVisit = {
  /** Whether the person must sign in there again, and the provider must say that they just did. */
  readonly asksAgain: boolean;
  readonly log: Log;
};

export type OidcProviderOptions = {
  readonly settings: OidcSettings;
  readonly publicUrl: string;
  readonly egress: Egress;
};

/** A sign-in takes two or three requests, within the 10 s that a request of a person has. */
const requestLimitSeconds = 3;
/** What a provider says about itself changes rarely. New keys are read when a signature needs them. */
const cachedMs = 3_600_000;
/** A slow provider keeps no more than these requests waiting, so that every other request of a person goes on. */
const mostAtOnce = 8;
/** A person who signed in at the provider within this time, before they came back, has done so for this visit. */
const justNowSeconds = 60;

export const callbackPath = '/platform/v1/session/oidc/callback';

export function createOidcProvider({ settings, publicUrl, egress }: OidcProviderOptions): OidcProvider {
  const { issuer, clientId, clientSecret, name, scopes, trustsEmail } = settings;
  const redirectUri = new URL(`${publicUrl}${callbackPath}`).href;
  const slots = bulkhead(mostAtOnce, mostAtOnce);
  let known: { readonly metadata: Promise<Configuration>; readonly untilMs: number } | undefined;

  const discover = async (): Promise<Configuration> => {
    const found = await discovery(issuer, clientId, clientSecret, clientAuth(clientSecret), {
      timeout: requestLimitSeconds,
      [customFetch]: async (url, options) => {
        const { status, headers, body } = await egress.fetch(url, options as RequestInit);
        return new Response(body && (await readBody(body)), { status, headers: [...headers] });
      },
      // The egress refuses requests without TLS beyond this machine, unless the operator allows the host.
      execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
    });
    // Microsoft's address for every organization names another issuer. Accounts of any of them could enter.
    if (new URL(found.serverMetadata().issuer).href !== issuer.href) throw new WrongIssuer();
    return found;
  };
  const read = (): Promise<Configuration> => {
    if (known === undefined || performance.now() > known.untilMs) {
      known = { metadata: discover(), untilMs: performance.now() + cachedMs };
    }
    return known.metadata.catch((cause) => {
      throw new ProviderUnusable('', { cause });
    });
  };
  /** A failure forgets what the provider said about itself, in case that is the reason. */
  const ask = async <T>(log: Log, work: (provider: Configuration) => Promise<T>): Promise<T> => {
    try {
      return await slots.execute(async () => await work(await read()));
    } catch (error) {
      const { failure, reason } = oidcFailure(error);
      if (failure.code === 'oidc_unavailable' && !(error instanceof BulkheadRejectedError)) known = undefined;
      log.warn({ reason, code: failure.code }, 'a sign-in with the OpenID provider failed');
      throw failure;
    }
  };

  return {
    name,
    authorizationUrl: ({ state, nonce, codeVerifier }, { asksAgain, log }) =>
      ask(log, async (provider) => {
        const challenge = await calculatePKCECodeChallenge(codeVerifier);
        const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
        const again: Record<string, string> = asksAgain ? { prompt: 'login', max_age: '0' } : {};
        const asked = { redirect_uri: redirectUri, scope: scopes, state, nonce, ...pkce, ...again };
        return buildAuthorizationUrl(provider, asked).href;
      }),
    identify: (answer, { state, nonce, codeVerifier }, { asksAgain, log }) =>
      ask(log, async (provider) => {
        const tokens = await authorizationCodeGrant(provider, new URL(`${redirectUri}?${answer}`), {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true },
          ...(asksAgain && { maxAge: justNowSeconds }),
        });
        const { iss, sub, ...claims } = tokens.claims() as IDToken;
        const hasMore = claims.email === undefined && provider.serverMetadata().userinfo_endpoint !== undefined;
        const about = hasMore ? await fetchUserInfo(provider, tokens.access_token, sub) : claims;
        return { issuer: iss, subject: sub, email: verifiedEmail(about, trustsEmail) };
      }),
  };
}

function verifiedEmail(claims: Readonly<Record<string, unknown>>, trustsEmail: boolean): string | null {
  const { email, email_verified: verified = trustsEmail } = claims;
  return typeof email === 'string' && verified === true ? email : null;
}

/** Every provider has the first way (RFC 6749, 2.3.1), unless it says otherwise. */
function clientAuth(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (provider, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = provider;
    return (methods.includes('client_secret_basic') ? basic : post)(provider, ...request);
  };
}

/** `OIDC_ISSUER` must be exactly what the provider calls itself. */
class WrongIssuer extends Error {
  override readonly name = 'WrongIssuer';
}
