import { Type } from '@sinclair/typebox';
import { Exact, Nullable } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { OpenedSession } from './sessions.ts';

// Sign-in with the OpenID provider that the operator configured for the deployment.

/** How long an attempt to sign in is valid. It works once, in the browser that began it. */
export const oidcAttemptMinutes = 10;
/** The most that a provider may add to the address to which the browser comes back. */
export const longestOidcAnswer = 8192;

const OidcProvider = Type.Object(
  { name: Type.String({ description: 'How the operator calls the provider.' }) },
  { title: 'OidcProvider', description: 'The OpenID provider with which people may sign in.' },
);

export const getSignInOptions = defineOperation({
  subject: 'accounts.platform.sign-in.get',
  http: { method: 'GET', path: '/sign-in' },
  access: { role: 'guest' },
  tenancy: 'none',
  summary: 'Read how people may sign in here, beside links, passwords and passkeys',
  request: {},
  reply: Type.Object({ oidc: Nullable(OidcProvider, { description: 'Null: the operator configured none.' }) }),
});

const OidcAuthorization = Type.Object(
  { url: Type.String({ description: 'Where the browser goes next.' }) },
  { title: 'OidcAuthorization', description: `It is good for one sign-in, within ${oidcAttemptMinutes} minutes.` },
);

/** The gateway puts `attempt_token` into a cookie, and answers the rest. */
export const startOidcSession = defineOperation({
  subject: 'accounts.platform.oidc-sessions.start',
  http: { method: 'POST', path: '/session/oidc' },
  access: { role: 'guest' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Begin to sign in with the OpenID provider',
  description: 'The provider sends the browser back to this address, which then opens the console.',
  request: {},
  reply: Type.Object({ attempt_token: Type.String(), authorization: OidcAuthorization }),
  errors: ['oidc_not_configured', 'oidc_unavailable', 'quota_exceeded'],
});

/** As `startOidcSession`. The browser comes back to the same address. */
export const startOidcJoin = defineOperation({
  subject: 'accounts.platform.joins.start-oidc',
  http: { method: 'POST', path: '/session/join/oidc' },
  access: { role: 'seller' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Begin to let your account at the OpenID provider open the store of the session too',
  description:
    'The provider asks you to sign in again. Your account there must be the one with which you sign in here.',
  request: {},
  reply: Type.Object({ attempt_token: Type.String(), authorization: OidcAuthorization }),
  errors: ['invalid_session', 'oidc_not_configured', 'oidc_unavailable', 'quota_exceeded'],
});

/** The browser comes back from the provider. The gateway answers with a redirect, so this is in no document. */
export const createOidcSession = defineOperation({
  subject: 'accounts.platform.oidc-sessions.create',
  queue: 'sign-in',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: 'Sign in with what the OpenID provider answered',
  request: {
    body: Exact({
      /** From the cookie; empty when there is none. */
      attempt_token: Type.String({ maxLength: 200 }),
      /** The query string of the address. */
      answer: Type.String({ maxLength: longestOidcAnswer }),
    }),
  },
  reply: OpenedSession,
  errors: [
    ...(['oidc_not_configured', 'oidc_unavailable', 'oidc_failed', 'oidc_cancelled'] as const),
    ...(['oidc_email_unverified', 'oidc_refused'] as const),
  ],
});
