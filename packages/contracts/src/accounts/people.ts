import { type Static, Type } from '@sinclair/typebox';
import { UserRoleWord } from '../core/access.ts';
import { About, Exact, Nullable, NullableTimestamp, NullableUuid, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { WebhookCreator, WebhookStatusWord } from '../events/webhook-creator.ts';
import { ApiKey } from './keys.ts';
import { Email, endsCreations } from './users.ts';

// The people of a store as its owner manages them. The store is that of the session.

/** A person of the store. */
export const Person = Type.Object(
  {
    id: About(Uuid, 'The id of the person.'),
    email: Type.String({ description: 'The email address, by which the person is known in every store.' }),
    name: Type.String({ description: 'The name of the person in this store.' }),
    role: UserRoleWord,
    seller_id: About(NullableUuid, 'The seller who this person is. Null: none.'),
    created_at: About(Timestamp, 'When the person was invited to this store.'),
    last_seen_at: About(
      NullableTimestamp,
      'When the person last used the console in this store, to the minute. Null: not in the last 30 days.',
    ),
    disabled_at: About(NullableTimestamp, 'When the operator disabled the person in all stores. Null: not disabled.'),
  },
  { title: 'Person', description: 'A person of the store.' },
);
export type Person = Static<typeof Person>;

const userParams = { params: Exact({ userId: About(Uuid, 'The id of the person.') }) };
const sellerErrors = ['seller_not_found', 'seller_inactive'] as const;

const PersonLink = Type.Object({
  user: Person,
  login_url: Type.String({ description: 'Opens one session, once. It is shown only here: give it to the person.' }),
  expires_at: About(Timestamp, 'Until when the link works.'),
});

export const listPeople = defineOperation({
  subject: 'accounts.platform.users.list',
  http: { method: 'GET', path: '/users' },
  access: { role: 'manager' },
  tenancy: 'none',
  summary: 'List the people of the store by email, up to 1,000',
  request: {},
  reply: Type.Object({ data: Type.Array(Person) }, { title: 'PersonList', description: 'The people of the store.' }),
  errors: ['invalid_session', 'role_required'],
});

export const invitePerson = defineOperation({
  subject: 'accounts.platform.users.invite',
  http: { method: 'POST', path: '/users', status: 201 },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Give a person access to the store, and make their first login link',
  description: 'The link works once, for 7 days, and only in this store.',
  request: {
    body: Exact({
      email: About(Email, 'The email address of the person.'),
      name: Text(200, { description: 'The name of the person in this store.' }),
      role: UserRoleWord,
      seller_id: About(NullableUuid, 'The seller who this person is; needed for the role `seller`. Null: none.'),
    }),
  },
  reply: PersonLink,
  errors: ['invalid_session', 'role_required', 'user_exists', ...sellerErrors],
});

export const updatePerson = defineOperation({
  subject: 'accounts.platform.users.update',
  http: { method: 'PATCH', path: '/users/:userId' },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Change the name, the role or the seller of a person in the store',
  description: 'Send at least one member; members left out stay as they are. It applies from the next request on.',
  request: {
    ...userParams,
    body: Exact(
      {
        name: Type.Optional(Text(200, { description: 'The name of the person in this store.' })),
        role: Type.Optional(UserRoleWord),
        seller_id: Type.Optional(About(NullableUuid, 'The seller who this person is. Null: none.')),
      },
      { minProperties: 1 },
    ),
  },
  reply: Person,
  errors: ['invalid_session', 'role_required', 'user_not_found', 'last_owner', ...sellerErrors],
});

/** It is also how a person gets back in who has lost their password. */
export const createPersonLink = defineOperation({
  subject: 'accounts.platform.users.login-link',
  http: { method: 'POST', path: '/users/:userId/login-link', status: 201 },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Make a login link for a person of the store',
  description: 'The link works once, for an hour, and only in this store.',
  request: userParams,
  reply: PersonLink,
  errors: ['invalid_session', 'role_required', 'user_not_found', 'user_disabled'],
});

/** An endpoint that a person, or a key of theirs, created. */
const EndpointOfPerson = Type.Object(
  {
    id: About(Uuid, 'The id of the endpoint.'),
    url: Type.String({ description: 'Where events are sent.' }),
    status: WebhookStatusWord,
    created_by: Type.Optional(Nullable(WebhookCreator)),
  },
  { title: 'EndpointOfPerson', description: 'A webhook endpoint that the person created, or an API key of theirs.' },
);

export const listPersonCreations = defineOperation({
  subject: 'accounts.platform.users.creations',
  http: { method: 'GET', path: '/users/:userId/creations' },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'List the API keys that a person created and that are valid, and their webhook endpoints',
  description: 'They go on working when the person leaves. `DELETE /users/{userId}` can end them.',
  request: userParams,
  reply: Type.Object(
    {
      keys: Type.Array(ApiKey, { description: 'The valid API keys, newest first.' }),
      webhook_endpoints: Type.Array(EndpointOfPerson, {
        description: 'The webhook endpoints that the person created, or one of their API keys, oldest first.',
      }),
    },
    { title: 'PersonCreations', description: 'What goes on working when the person leaves.' },
  ),
  errors: ['invalid_session', 'role_required', 'user_not_found'],
});

export const removePerson = defineOperation({
  subject: 'accounts.platform.users.remove',
  http: { method: 'DELETE', path: '/users/:userId', status: 204 },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Remove a person from the store; their sessions and login links in it end at once',
  description:
    'The API keys and the webhook endpoints that they created go on working, unless the request says otherwise: see ' +
    '`GET /users/{userId}/creations`.',
  request: { ...userParams, query: Exact(endsCreations) },
  reply: Type.Object({}),
  errors: ['invalid_session', 'role_required', 'user_not_found', 'last_owner'],
});
