import {
  createPersonSession,
  createStoreKey,
  endPersonSession,
  getPersonSession,
  listConversations,
  listPersonSessions,
  listStoreKeys,
  markConversationRead,
  type Operation,
  revokePersonSession,
  revokeStoreKey,
  rotateStoreKey,
  type UserRole,
} from '@mostrador/contracts';
import { routes } from '../routes/index.ts';
import { route as apiRoute, del, type Endpoint, get, post, put, type Route } from '../routes/route.ts';
import { leastRoleWith } from './role-scopes.ts';

/** Every path below this prefix is for people. The session in the cookie says who, and in which store. */
export const platformPrefix = '/platform/v1';

/** A route of accounts, which checks the session itself: the path of an operation, and its status. 204 has no body. */
export type AccountRoute = Endpoint & {
  readonly operation: Operation;
  readonly status: 200 | 201 | 204;
};

const ofAccount = (
  endpoint: Endpoint,
  operation: Operation,
  { status = 200 }: { status?: AccountRoute['status'] } = {},
): AccountRoute => ({ ...endpoint, operation, status });

/** What people do with their session, and with the accounts and keys of their store. */
export const accountRoutes: readonly AccountRoute[] = [
  ofAccount(post('/session'), createPersonSession, { status: 201 }),
  ofAccount(get('/session'), getPersonSession),
  ofAccount(del('/session'), endPersonSession, { status: 204 }),
  ofAccount(get('/sessions'), listPersonSessions),
  ofAccount(del('/sessions/:sessionId'), revokePersonSession, { status: 204 }),
  ofAccount(get('/keys'), listStoreKeys),
  ofAccount(post('/keys'), createStoreKey, { status: 201 }),
  ofAccount(post('/keys/:keyId/rotate'), rotateStoreKey, { status: 201 }),
  ofAccount(del('/keys/:keyId'), revokeStoreKey),
];

/** A route of another service, which the gateway asks for the person. */
export type PersonRoute = Route & { readonly role: UserRole };

type PersonRouteOptions = {
  /** The lowest role that may call it. Default: every role. */
  readonly role?: UserRole;
  /** Default: 200. */
  readonly status?: Route['status'];
};

const forPeople = (
  endpoint: Endpoint,
  operation: Operation,
  { role = 'seller', status = 200 }: PersonRouteOptions = {},
): PersonRoute => ({ ...apiRoute(endpoint, operation, { scope: 'store:read', tag: 'Store', status }), role });

/** What only people do, in services other than accounts. */
const peopleOnlyRoutes: readonly PersonRoute[] = [
  forPeople(get('/conversations'), listConversations),
  forPeople(put('/leads/:leadId/read'), markConversationRead),
];

/** What the gateway asks other services for a person: also everything of the public API, by the scopes of the role. */
export const personRoutes: readonly PersonRoute[] = [
  ...routes.map((one): PersonRoute => ({ ...one, role: leastRoleWith(one.scope) })),
  ...peopleOnlyRoutes,
];
