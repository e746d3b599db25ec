import {
  connectStoreCalendar,
  connectStoreChannel,
  createPasskey,
  createPasskeySession,
  createPersonLink,
  createPersonSession,
  createStoreAgent,
  createStoreKey,
  disconnectStoreCalendar,
  disconnectStoreChannel,
  endPersonSession,
  getCredentials,
  getEnvironment,
  getLoginLink,
  getPersonSession,
  getSignInOptions,
  getStoreCalendar,
  getStoreChannel,
  getStoreOptions,
  giveUpWaiting,
  importStoreDocument,
  invitePerson,
  joinStore,
  listAuditLog,
  listConversations,
  listPeople,
  listPersonSessions,
  listPersonStores,
  listStoreAgents,
  listStoreKeys,
  listWaiting,
  markConversationRead,
  type Operation,
  type RetryWaiting,
  removePasskey,
  removePerson,
  renamePasskey,
  retryWaiting,
  revokePersonSession,
  revokeStoreKey,
  rotateStoreKey,
  setPassword,
  startJoin,
  startOidcJoin,
  startOidcSession,
  startPasskey,
  startPasskeySession,
  switchStore,
  type UserRole,
  updatePerson,
  updateStoreAgent,
  updateStoreOptions,
} from '@mostrador/contracts';
import { routes } from '../routes/index.ts';
import { route as apiRoute, del, type Endpoint, get, patch, post, put, type Route } from '../routes/route.ts';
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
  ofAccount(post('/login-link'), getLoginLink),
  ofAccount(post('/session'), createPersonSession, { status: 201 }),
  ofAccount(get('/session'), getPersonSession),
  ofAccount(del('/session'), endPersonSession, { status: 204 }),
  ofAccount(post('/session/store'), switchStore, { status: 201 }),
  ofAccount(post('/session/passkey/options'), startPasskeySession),
  ofAccount(post('/session/passkey'), createPasskeySession, { status: 201 }),
  ofAccount(get('/sign-in'), getSignInOptions),
  ofAccount(post('/session/oidc'), startOidcSession),
  ofAccount(post('/session/join/options'), startJoin),
  ofAccount(post('/session/join'), joinStore, { status: 201 }),
  ofAccount(post('/session/join/oidc'), startOidcJoin),
  ofAccount(get('/sessions'), listPersonSessions),
  ofAccount(del('/sessions/:sessionId'), revokePersonSession, { status: 204 }),
  ofAccount(get('/stores'), listPersonStores),
  ofAccount(get('/credentials'), getCredentials),
  ofAccount(put('/password'), setPassword, { status: 204 }),
  ofAccount(post('/passkeys/options'), startPasskey),
  ofAccount(post('/passkeys'), createPasskey, { status: 201 }),
  ofAccount(patch('/passkeys/:passkeyId'), renamePasskey),
  ofAccount(del('/passkeys/:passkeyId'), removePasskey, { status: 204 }),
  ofAccount(get('/keys'), listStoreKeys),
  ofAccount(post('/keys'), createStoreKey, { status: 201 }),
  ofAccount(post('/keys/:keyId/rotate'), rotateStoreKey, { status: 201 }),
  ofAccount(del('/keys/:keyId'), revokeStoreKey),
  ofAccount(get('/users'), listPeople),
  ofAccount(post('/users'), invitePerson, { status: 201 }),
  ofAccount(patch('/users/:userId'), updatePerson),
  ofAccount(post('/users/:userId/login-link'), createPersonLink, { status: 201 }),
  ofAccount(del('/users/:userId'), removePerson, { status: 204 }),
  ofAccount(get('/audit-log'), listAuditLog),
  ofAccount(get('/settings'), getStoreOptions),
  ofAccount(patch('/settings'), updateStoreOptions),
];

/** A route of another service, which the gateway asks for the person. */
export type PersonRoute = Route & {
  readonly role: UserRole;
  /** What the audit log says of a request beside its path; null: the request changes nothing, and has no entry. */
  readonly audited?: (body: unknown) => Readonly<Record<string, unknown>> | null;
};

type PersonRouteOptions = {
  /** The lowest role that may call it. Default: every role. */
  readonly role?: UserRole;
  /** Default: 200. */
  readonly status?: Route['status'];
  readonly audited?: PersonRoute['audited'];
};

const forPeople = (
  endpoint: Endpoint,
  operation: Operation,
  { role = 'seller', status = 200, audited }: PersonRouteOptions = {},
): PersonRoute => ({
  ...apiRoute(endpoint, operation, { scope: 'store:read', tag: 'Store', status }),
  role,
  ...(audited && { audited }),
});

/** Which rows a retry or a give-up names. A dry run changes nothing. */
const auditedChange = (body: unknown) => {
  const { dry_run: isDryRun, cursor: _, ...asked } = body as RetryWaiting;
  return isDryRun ? null : asked;
};

/** Which provider a connection is to. Its other members are secrets, or lead to them. */
const auditedConnection = (body: unknown) => ({ provider: (body as { provider: string }).provider });

/** What only people do, in services other than accounts. */
const peopleOnlyRoutes: readonly PersonRoute[] = [
  forPeople(get('/conversations'), listConversations),
  // It happens many times an hour, and changes nothing that the audit log is read for.
  forPeople(put('/leads/:leadId/read'), markConversationRead, { audited: () => null }),
  forPeople(get('/agents/all'), listStoreAgents),
  forPeople(post('/agents'), createStoreAgent, { role: 'manager', status: 201 }),
  forPeople(patch('/agents/:agentId'), updateStoreAgent, { role: 'manager' }),
  forPeople(post('/knowledge/documents'), importStoreDocument, { role: 'manager' }),
  forPeople(get('/channel'), getStoreChannel, { role: 'manager' }),
  forPeople(put('/channel'), connectStoreChannel, { role: 'owner', audited: auditedConnection }),
  forPeople(del('/channel'), disconnectStoreChannel, { role: 'owner' }),
  forPeople(get('/calendar'), getStoreCalendar, { role: 'manager' }),
  forPeople(put('/calendar'), connectStoreCalendar, { role: 'owner', audited: auditedConnection }),
  forPeople(del('/calendar'), disconnectStoreCalendar, { role: 'owner' }),
  forPeople(get('/waiting'), listWaiting, { role: 'manager' }),
  forPeople(post('/waiting/retry'), retryWaiting, { role: 'owner', audited: auditedChange }),
  forPeople(post('/waiting/give-up'), giveUpWaiting, { role: 'owner', audited: auditedChange }),
  forPeople(get('/environment'), getEnvironment, { role: 'manager' }),
];

/** What the gateway asks other services for a person: also everything of the public API, by the scopes of the role. */
export const personRoutes: readonly PersonRoute[] = [
  ...routes.map((one): PersonRoute => ({ ...one, role: leastRoleWith(one.scope) })),
  ...peopleOnlyRoutes,
];
