import { Type } from '@sinclair/typebox';
import { About, Exact, Nullable, NullableString, NullableTimestamp, Timestamp } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { Passkey } from './passkeys.ts';

// How a person signs in. It belongs to the person, and opens the stores that they joined with it.

/** The least and the greatest number of characters of a password. Long ones are for password managers. */
export const passwordLength = { least: 12, most: 200 } as const;

/** The time after a sign-in with a link or a passkey in which a person sets a new password without the current one. */
export const freshSessionMinutes = 15;

/** How many days a browser counts its own wrong passwords after its person last gave the right one in it. */
export const deviceDays = 180;

const PasswordState = Type.Object(
  {
    changed_at: About(
      NullableTimestamp,
      'When it was set. Null: it opens only stores to which this session may not go.',
    ),
  },
  { title: 'PasswordState', description: 'A password that is set.' },
);

const OidcAccount = Type.Object(
  {
    name: Type.String({ description: 'How the operator calls the provider.' }),
    linked_at: About(Timestamp, 'When you first signed in with it.'),
    last_used_at: About(Timestamp, 'When it was last used to sign in.'),
  },
  { title: 'OidcAccount', description: 'An account at the OpenID provider of this deployment.' },
);

export const getCredentials = defineOperation({
  subject: 'accounts.platform.credentials.get',
  http: { method: 'GET', path: '/credentials' },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'Read how you can sign in',
  request: {},
  reply: Type.Object({
    password: Nullable(PasswordState, { description: 'Null: none is set.' }),
    needs_current_password: Type.Boolean({
      description: 'Whether a new password needs the current one. It does not shortly after a sign-in with a link.',
    }),
    passkeys: Type.Array(Passkey, { description: 'Your passkeys, oldest first.' }),
    passkey_host: About(NullableString, 'The host for which the passkeys are. Null: none can be made at this address.'),
    oidc: Type.Optional(Nullable(OidcAccount, { description: 'Null: none, or a link of a store opened the session.' })),
    may_join: Type.Optional(
      Type.Boolean({
        description: 'Whether a password, a passkey or an account of yours does not open this store yet.',
      }),
    ),
    may_create_passkey: Type.Boolean({ description: 'Whether a passkey can be made without the current password.' }),
  }),
  errors: ['invalid_session'],
});

/** A new password ends the sessions that were open before it: another person may have known the old one. */
export const setPassword = defineOperation({
  subject: 'accounts.platform.credentials.set-password',
  http: { method: 'PUT', path: '/password', status: 204 },
  access: { role: 'seller' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Set your password; your other sessions and links end',
  description:
    `It has ${passwordLength.least} to ${passwordLength.most} characters, and is not easy to guess. \`current_password\` is ` +
    `needed when there is one, except for ${freshSessionMinutes} minutes after a sign-in with a link.`,
  request: {
    body: Exact({
      current_password: Type.Optional(Type.String({ maxLength: 1000, description: 'The current password.' })),
      new_password: Type.String({ maxLength: 1000, description: 'The new password.' }),
    }),
  },
  /** The gateway puts `device_token` into a cookie. */
  reply: Type.Object({ device_token: Type.Optional(Type.String()) }),
  errors: ['invalid_session', 'wrong_password', 'proof_required', 'quota_exceeded'],
});
