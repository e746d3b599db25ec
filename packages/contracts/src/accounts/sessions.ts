import { type Static, Type } from '@sinclair/typebox';
import { StoreTier, UserRoleWord } from '../core/access.ts';
import { About, Done, Exact, MapOf, Nullable, NullableString, NullableUuid, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { AuditActionWord } from './audit-log.ts';
import { TokenId } from './token-id.ts';

/** The hours without a request after which a session ends, and the days after which it ends in any case. */
export const sessionIdleHours = 12;
export const sessionDays = 14;

/** A person who is signed in to a store. */
export const PersonSession = Type.Object(
  {
    id: Type.String({ description: 'The id of the session. It is not secret.' }),
    user: Type.Object(
      {
        id: About(Uuid, 'The id of the person.'),
        name: Type.String({ description: 'The name of the person.' }),
        email: Type.String({ description: 'The email address of the person.' }),
      },
      { title: 'SessionUser', description: 'Who is signed in.' },
    ),
    store: Type.Object(
      {
        id: About(Uuid, 'The id of the store.'),
        name: Type.String({ description: 'The name of the store.' }),
      },
      { title: 'SessionStore', description: 'The store of the session. It never changes.' },
    ),
    role: UserRoleWord,
    seller_id: About(NullableUuid, 'The seller who this person is. Null: none.'),
    created_at: About(Timestamp, 'When the person signed in.'),
    expires_at: About(Timestamp, 'When the session ends, also when it is in use.'),
  },
  { title: 'PersonSession', description: 'A person who is signed in to a store.' },
);
export type PersonSession = Static<typeof PersonSession>;

const OpenSession = Type.Object(
  {
    id: Type.String({ description: 'The id of the session.' }),
    current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
    created_at: About(Timestamp, 'When the person signed in.'),
    last_seen_at: About(Timestamp, 'When it was last used, to the minute.'),
    expires_at: About(Timestamp, 'When it ends, also when it is in use.'),
    address: Type.String({ description: 'The network address from which the person signed in.' }),
    agent: About(NullableString, 'The browser in which the person signed in.'),
  },
  { title: 'OpenSession', description: 'An open session of the person who asks.' },
);

const PersonStore = Type.Object(
  {
    id: About(Uuid, 'The id of the store.'),
    name: Type.String({ description: 'The name of the store.' }),
    role: UserRoleWord,
    current: Type.Boolean({ description: 'Whether it is the store of the session.' }),
  },
  { title: 'PersonStore', description: 'A store to which the person may go.' },
);

export const OpenedSession = Type.Object({
  session_token: Type.String(),
  /** After a right password: of the browser in which it was given. */
  device_token: Type.Optional(Type.String()),
  session: PersonSession,
});

/** The gateway puts `session_token` and `device_token` into cookies, and answers the rest. */
export const createPersonSession = defineOperation({
  subject: 'accounts.platform.sessions.create',
  http: { method: 'POST', path: '/session', status: 201 },
  access: { role: 'guest' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Sign in with a login link, or with a password',
  description:
    'Send `token`, or `email` and `password`. A link works once, and ends the person’s other links of the store. A password opens the store that the person used last. ' +
    'The session that the browser had ends.',
  request: {
    body: Exact(
      {
        token: Type.Optional(Type.String({ maxLength: 200, description: 'The part of the link after `#`.' })),
        email: Type.Optional(Type.String({ text: true, maxLength: 254, description: 'The email address.' })),
        password: Type.Optional(Type.String({ maxLength: 1000, description: 'The password.' })),
      },
      { minProperties: 1 },
    ),
  },
  reply: OpenedSession,
  errors: ['invalid_login_link', 'invalid_credentials', 'quota_exceeded'],
});

const LoginLinkView = Type.Object(
  {
    user: Type.Object(
      {
        name: Type.String({ description: 'The name of the person, as the store calls them.' }),
        email: Type.String({ description: 'The email address of the person.' }),
      },
      { title: 'LoginLinkUser', description: 'The person whom the link signs in.' },
    ),
    store: Type.Object(
      { name: Type.String({ description: 'The name of the store.' }) },
      { title: 'LoginLinkStore', description: 'The store that the link opens.' },
    ),
    expires_at: About(Timestamp, 'Until when the link works.'),
  },
  { title: 'LoginLinkView', description: 'What a login link does when it is used.' },
);

/** It has a body, so that no address and no log has the token. It reads only. */
export const getLoginLink = defineOperation({
  subject: 'accounts.platform.login-links.get',
  http: { method: 'POST', path: '/login-link' },
  access: { role: 'guest' },
  queue: 'sign-in',
  tenancy: 'none',
  summary: 'Read whom a login link signs in, and to which store',
  description: 'It neither uses the link up nor opens a session: that is what `POST /session` does.',
  request: {
    body: Exact({ token: Type.String({ maxLength: 200, description: 'The part of the link after `#`.' }) }),
  },
  reply: LoginLinkView,
  errors: ['invalid_login_link', 'quota_exceeded'],
});

/** Another token: the gateway sets the cookie as when a person signs in. */
export const switchStore = defineOperation({
  subject: 'accounts.platform.sessions.switch',
  http: { method: 'POST', path: '/session/store', status: 201 },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'Go to another of your stores; the session in this one ends',
  request: { body: Exact({ store_id: About(Uuid, 'The id of the store, one of `GET /stores`.') }) },
  reply: OpenedSession,
  errors: ['invalid_session', 'store_not_found'],
});

export const listPersonStores = defineOperation({
  subject: 'accounts.platform.stores.list',
  http: { method: 'GET', path: '/stores' },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'List the stores to which you may go, by name',
  description:
    'After a sign-in with a password or a passkey: the stores that these open. After a sign-in with a link of a store: ' +
    'only that store. A page has 200.',
  request: {
    query: Exact({
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 2048, description: '`next_cursor` of the previous page.' }),
      ),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(PersonStore),
      next_cursor: About(NullableString, 'The `cursor` of the next page. Null: there is none.'),
    },
    { title: 'PersonStoreList', description: 'Your stores.' },
  ),
  errors: ['invalid_session'],
});

export const getPersonSession = defineOperation({
  subject: 'accounts.platform.sessions.get',
  http: { method: 'GET', path: '/session' },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'Read who is signed in',
  request: {},
  reply: PersonSession,
  errors: ['invalid_session'],
});

export const endPersonSession = defineOperation({
  subject: 'accounts.platform.sessions.end',
  http: { method: 'DELETE', path: '/session', status: 204 },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'Sign out',
  request: {},
  reply: Type.Object({}),
  errors: ['invalid_session'],
});

export const listPersonSessions = defineOperation({
  subject: 'accounts.platform.sessions.list',
  http: { method: 'GET', path: '/sessions' },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'List your open sessions, newest first',
  request: {},
  reply: Type.Object({ data: Type.Array(OpenSession) }, { title: 'OpenSessionList', description: 'Your sessions.' }),
  errors: ['invalid_session'],
});

export const revokePersonSession = defineOperation({
  subject: 'accounts.platform.sessions.revoke',
  http: { method: 'DELETE', path: '/sessions/:sessionId', status: 204 },
  access: { role: 'seller' },
  tenancy: 'none',
  summary: 'End one of your sessions',
  request: { params: Exact({ sessionId: TokenId }) },
  reply: Type.Object({}),
  errors: ['invalid_session', 'user_session_not_found'],
});

/** A session as the gateway needs it: who asks, and what their store may do. */
const Authorized = Type.Object({
  session_id: Type.String(),
  user_id: Uuid,
  /** Accounts of the previous version leaves it out. */
  user_name: Type.Optional(Type.String()),
  role: UserRoleWord,
  seller_id: NullableUuid,
  store_id: Uuid,
  tier: StoreTier,
  /** ISO 3166; null: the store has none. */
  country: NullableString,
});
export type Authorized = Static<typeof Authorized>;

/**
 * Who asks, for the gateway, which then calls the other services for this person. With `touch` the session is in use: a
 * page that only listens does not keep it open.
 */
export const authorizePerson = defineOperation({
  subject: 'accounts.platform.sessions.authorize',
  access: 'platform',
  tenancy: 'none',
  summary: 'Read who asks, and what their store may do',
  request: { body: Exact({ touch: Type.Boolean() }) },
  reply: Authorized,
  errors: ['invalid_session'],
});

/** The most sessions in one request. */
export const mostCheckedSessions = 1000;

/**
 * Which of many sessions are open, for the gateway: of the streams that it serves, and of a network that sends false
 * tokens. Each token proves its own session, and the answers have the order of the tokens. Null: it opens nothing. None
 * of them counts as in use.
 */
export const checkPersonSessions = defineOperation({
  subject: 'accounts.platform.sessions.check',
  access: 'platform',
  tenancy: 'none',
  summary: 'Read which of these sessions are open',
  request: {
    body: Exact({ tokens: Type.Array(Type.String({ maxLength: 200 }), { maxItems: mostCheckedSessions }) }),
  },
  reply: Type.Object({ sessions: Type.Array(Nullable(Authorized)) }),
});

/** Writes into the audit log what a person asks another service to change, before that service is asked. */
export const recordChange = defineOperation({
  subject: 'accounts.platform.changes.record',
  access: 'platform',
  tenancy: 'none',
  summary: 'Record what a person is about to change',
  request: {
    body: Exact({
      action: AuditActionWord,
      /** The last id in the request's path; empty when it creates something. */
      subject_id: Type.String({ maxLength: 200 }),
      /** Further details of a request that concerns many rows. Nothing personal and no secrets. */
      details: Type.Optional(MapOf(Type.Unknown())),
    }),
  },
  reply: Done,
  errors: ['invalid_session'],
});

/** Writes into a store's audit log what the operator is about to change with the admin command in another service. */
export const recordOperation = defineOperation({
  subject: 'accounts.admin.changes.record',
  access: 'platform',
  tenancy: 'none',
  summary: 'Record what the operator is about to change',
  request: {
    body: Exact({
      store_id: Uuid,
      action: AuditActionWord,
      /** As in `recordChange`. */
      details: MapOf(Type.Unknown()),
    }),
  },
  reply: Done,
  errors: ['store_not_found'],
});
