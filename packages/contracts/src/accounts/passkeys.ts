import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, MapOf, NullableTimestamp, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { OpenedSession } from './sessions.ts';

// Passkeys (WebAuthn): a browser or a phone signs a challenge of ours with a key that never leaves it.

/** How long a challenge is valid. It works once. */
export const passkeyChallengeMinutes = 5;
/** The most passkeys of a person. */
export const mostPasskeys = 20;

export const Passkey = Type.Object(
  {
    id: About(Uuid, 'The id of the passkey.'),
    name: Type.String({ description: 'How the person calls it.' }),
    created_at: About(Timestamp, 'When it was made.'),
    last_used_at: About(NullableTimestamp, 'When it was last used to sign in. Null: never.'),
    synced: Type.Boolean({ description: 'Whether the person’s other devices have it too.' }),
  },
  { title: 'Passkey', description: 'A passkey of the person who asks.' },
);
export type Passkey = Static<typeof Passkey>;

const passkeyParams = { params: Exact({ passkeyId: About(Uuid, 'The id of the passkey.') }) };
const ForBrowser = (title: string, description: string) => MapOf(Type.Unknown(), { title, description });
const PasskeyAnswer = ForBrowser('PasskeyAnswer', 'What the browser returned, as its `toJSON()` writes it.');
const PasskeyQuestion = Type.Object(
  { options: ForBrowser('PasskeyOptions', 'What the browser gets as `publicKey`, in the form of `parse…FromJSON()`.') },
  { title: 'PasskeyQuestion', description: `It can be answered once, within ${passkeyChallengeMinutes} minutes.` },
);

export const startPasskey = defineOperation({
  subject: 'accounts.platform.passkeys.start',
  http: { method: 'POST', path: '/passkeys/options' },
  access: { role: 'seller' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Begin to make a passkey',
  description:
    'It needs a proof that it is you: a sign-in with a password or a passkey in the last 15 minutes, the current ' +
    'password, or a sign-in with a link when you have neither yet.',
  request: {
    body: Exact({
      current_password: Type.Optional(Type.String({ maxLength: 1000, description: 'The current password.' })),
    }),
  },
  reply: PasskeyQuestion,
  errors: [
    ...(['invalid_session', 'wrong_password', 'proof_required', 'quota_exceeded'] as const),
    ...(['passkeys_unavailable', 'passkey_limit'] as const),
  ],
});

export const createPasskey = defineOperation({
  subject: 'accounts.platform.passkeys.create',
  http: { method: 'POST', path: '/passkeys', status: 201 },
  access: { role: 'seller' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Make a passkey of what the browser answered',
  request: {
    body: Exact({ name: Text(100, { description: 'How you call it.' }), answer: PasskeyAnswer }),
  },
  reply: Passkey,
  errors: ['invalid_session', 'passkey_rejected', 'proof_required', 'passkeys_unavailable', 'passkey_limit'],
});

export const renamePasskey = defineOperation({
  subject: 'accounts.platform.passkeys.rename',
  http: { method: 'PATCH', path: '/passkeys/:passkeyId' },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'Rename a passkey',
  request: { ...passkeyParams, body: Exact({ name: Text(100, { description: 'How you call it.' }) }) },
  reply: Passkey,
  errors: ['invalid_session', 'passkey_not_found'],
});

export const removePasskey = defineOperation({
  subject: 'accounts.platform.passkeys.remove',
  http: { method: 'DELETE', path: '/passkeys/:passkeyId', status: 204 },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'Remove a passkey; it opens no session from then on',
  request: passkeyParams,
  reply: Type.Object({}),
  errors: ['invalid_session', 'passkey_not_found'],
});

export const startJoin = defineOperation({
  subject: 'accounts.platform.joins.start',
  http: { method: 'POST', path: '/session/join/options' },
  access: { role: 'seller' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Begin to let one of your passkeys open the store of the session',
  request: {},
  reply: PasskeyQuestion,
  errors: ['invalid_session', 'passkeys_unavailable'],
});

/** Another token: the gateway sets the cookie as when a person signs in. */
export const joinStore = defineOperation({
  subject: 'accounts.platform.joins.create',
  http: { method: 'POST', path: '/session/join', status: 201 },
  access: { role: 'seller' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Let your password or a passkey open the store of the session too',
  description:
    'Send `password`, or `answer` of the passkey. From then on it opens this store as it opens your others, for anyone who ' +
    'has it. The store’s audit log records this. A link alone opens only its store, and lets in nothing else.',
  request: {
    body: Exact(
      {
        password: Type.Optional(Type.String({ maxLength: 1000, description: 'Your password.' })),
        answer: Type.Optional(PasskeyAnswer),
      },
      { minProperties: 1 },
    ),
  },
  reply: OpenedSession,
  errors: ['invalid_session', 'wrong_password', 'invalid_credentials', 'passkeys_unavailable', 'quota_exceeded'],
});

export const startPasskeySession = defineOperation({
  subject: 'accounts.platform.passkey-sessions.start',
  http: { method: 'POST', path: '/session/passkey/options' },
  access: { role: 'guest' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Begin to sign in with a passkey',
  description: 'It needs no email address: the browser shows the passkeys that it has for this address.',
  request: {},
  reply: PasskeyQuestion,
  errors: ['passkeys_unavailable', 'quota_exceeded'],
});

export const createPasskeySession = defineOperation({
  subject: 'accounts.platform.passkey-sessions.create',
  http: { method: 'POST', path: '/session/passkey', status: 201 },
  access: { role: 'guest' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Sign in with what the passkey answered',
  description: 'It opens the store that the person used last. The session that the browser had ends.',
  request: { body: Exact({ answer: PasskeyAnswer }) },
  reply: OpenedSession,
  errors: ['invalid_credentials', 'passkeys_unavailable', 'quota_exceeded'],
});
