import { type Static, Type } from '@sinclair/typebox';
import { UserRoleWord } from '../core/access.ts';
import { About, Exact, Nullable, NullableTimestamp, NullableUuid, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { WebhookStatusWord } from '../events/webhook-creator.ts';
import { ApiKey } from './keys.ts';

export const Email = Type.String({ text: true, format: 'email', minLength: 3, maxLength: 254 });

/** What the removal of a person ends beside their ways in. */
export const endsCreations = {
  revoke_keys: Type.Optional(
    Type.Boolean({ default: false, description: 'Also revoke the valid API keys that the person created.' }),
  ),
  pause_webhooks: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also pause the webhook endpoints that the person created, or one of their API keys.',
    }),
  ),
};

/** A person in one store, as the admin command sees them. */
export const StoreUser = Type.Object({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  store_id: Uuid,
  role: UserRoleWord,
  seller_id: NullableUuid,
  created_at: Timestamp,
  disabled_at: NullableTimestamp,
});
export type StoreUser = Static<typeof StoreUser>;

/** `login_url` opens one session, once. It is shown only here. */
const LoginLink = Type.Object({ user: StoreUser, login_url: Type.String(), expires_at: Timestamp });

export const inviteUser = defineOperation({
  subject: 'accounts.admin.users.invite',
  access: 'platform',
  tenancy: 'none',
  summary: 'Give a person access to a store, and make their first login link',
  description: 'A person who is in the store already gets the role and a new link. A disabled person stays disabled.',
  request: {
    body: Exact({
      store_id: Uuid,
      email: Email,
      name: Text(200),
      role: UserRoleWord,
      seller_id: Type.Optional(About(Uuid, 'The seller who this person is; needed for the role `seller`.')),
    }),
  },
  reply: LoginLink,
  errors: ['store_not_found'],
});

export const createLoginLink = defineOperation({
  subject: 'accounts.admin.users.login-link',
  access: 'platform',
  tenancy: 'none',
  summary: 'Make a login link for a person',
  request: {
    body: Exact({
      email: Email,
      store_id: Type.Optional(About(Uuid, 'Needed when the person is in several stores.')),
    }),
  },
  reply: LoginLink,
  errors: ['user_not_found', 'user_disabled'],
});

export const listUsers = defineOperation({
  subject: 'accounts.admin.users.list',
  access: 'platform',
  tenancy: 'none',
  summary: "List a store's people by email, up to 1,000",
  request: { body: Exact({ store_id: Uuid }) },
  reply: Type.Object({ users: Type.Array(StoreUser) }),
  errors: ['store_not_found'],
});

/** What the person created: the keys that were valid, and the webhook endpoints. Null: events did not answer. */
const creations = {
  keys: Type.Optional(Type.Array(ApiKey)),
  webhook_endpoints: Type.Optional(
    Nullable(Type.Array(Type.Object({ store_id: Uuid, id: Uuid, url: Type.String(), status: WebhookStatusWord }))),
  ),
};

export const disableUser = defineOperation({
  subject: 'accounts.admin.users.disable',
  access: 'platform',
  tenancy: 'none',
  summary: 'Disable a person in every store; their sessions, links, password and passkeys end at once',
  request: { body: Exact({ email: Email, ...endsCreations }) },
  reply: Type.Object({ users: Type.Array(StoreUser), ended_sessions: Type.Integer(), ...creations }),
  errors: ['user_not_found'],
});

export const enableUser = defineOperation({
  subject: 'accounts.admin.users.enable',
  access: 'platform',
  tenancy: 'none',
  summary: 'Enable a disabled person again in every store; they need a new login link',
  request: { body: Exact({ email: Email }) },
  reply: Type.Object({ users: Type.Array(StoreUser) }),
  errors: ['user_not_found'],
});

export const unlinkUser = defineOperation({
  subject: 'accounts.admin.users.unlink',
  access: 'platform',
  tenancy: 'none',
  summary: 'Forget the account at the OpenID provider with which a person signs in; their sessions end at once',
  description: 'The next account there with their verified email address takes its place.',
  request: { body: Exact({ email: Email }) },
  reply: Type.Object({ users: Type.Array(StoreUser), unlinked: Type.Boolean(), ended_sessions: Type.Integer() }),
  errors: ['user_not_found'],
});

export const removeUser = defineOperation({
  subject: 'accounts.admin.users.remove',
  access: 'platform',
  tenancy: 'none',
  summary: 'Remove a person from a store; every way into it ends at once',
  request: { body: Exact({ store_id: Uuid, email: Email, ...endsCreations }) },
  reply: Type.Object({ ...StoreUser.properties, ...creations }),
  errors: ['user_not_found'],
});
