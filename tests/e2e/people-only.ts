import { type UserRole, userRoles } from '@mostrador/contracts';
import type { Owned } from './operations.ts';
import { publicOperations } from './operations.ts';
import { document } from './platform.ts';

/** What a request needs beside the rows of a store: a key and a person of it. */
export type OwnedByPeople = Owned & { readonly keyId: string; readonly userId: string };

/** An operation that only people have. */
export type PeopleOnly = {
  /** The lowest role that may call it. `none`: it needs no session. */
  readonly role: UserRole | 'none';
  readonly body?: (owned: OwnedByPeople) => Record<string, unknown>;
};

/** Every operation that the public API does not have. One without an entry fails the test. */
export const peopleOnly: Readonly<Record<string, PeopleOnly>> = {
  getLoginLink: { role: 'none', body: () => ({ token: 'ml_unknown' }) },
  createPersonSession: { role: 'none', body: () => ({ token: 'ml_unknown' }) },
  getSignInOptions: { role: 'none' },
  startOidcSession: { role: 'none' },
  startPasskeySession: { role: 'none' },
  createPasskeySession: { role: 'none', body: () => ({ answer: {} }) },
  getPersonSession: { role: 'seller' },
  endPersonSession: { role: 'seller' },
  switchStore: { role: 'seller', body: ({ leadId }) => ({ store_id: leadId }) },
  startJoin: { role: 'seller' },
  joinStore: { role: 'seller', body: () => ({ password: 'x' }) },
  startOidcJoin: { role: 'seller' },
  listPersonSessions: { role: 'seller' },
  revokePersonSession: { role: 'seller' },
  listPersonStores: { role: 'seller' },
  getCredentials: { role: 'seller' },
  setPassword: { role: 'seller', body: () => ({ current_password: 'x', new_password: 'trinta e nove pratos' }) },
  startPasskey: { role: 'seller', body: () => ({ current_password: 'x' }) },
  createPasskey: { role: 'seller', body: () => ({ name: 'X', answer: {} }) },
  renamePasskey: { role: 'seller', body: () => ({ name: 'X' }) },
  removePasskey: { role: 'seller' },
  listStoreKeys: { role: 'owner' },
  createStoreKey: { role: 'owner', body: () => ({ name: 'Site', scopes: ['leads:read'], expires_at: null }) },
  rotateStoreKey: { role: 'owner', body: () => ({ overlap_seconds: 0 }) },
  revokeStoreKey: { role: 'owner' },
  listPeople: { role: 'manager' },
  invitePerson: {
    role: 'owner',
    body: () => ({ email: 'leo@example.com', name: 'Leo', role: 'owner', seller_id: null }),
  },
  updatePerson: { role: 'owner', body: () => ({ role: 'owner' }) },
  createPersonLink: { role: 'owner' },
  removePerson: { role: 'owner' },
  listAuditLog: { role: 'owner' },
  getStoreOptions: { role: 'manager' },
  updateStoreOptions: { role: 'owner', body: () => ({ session_idle_hours: 48 }) },
  listConversations: { role: 'seller' },
  markConversationRead: { role: 'seller', body: ({ messageId }) => ({ message_id: messageId }) },
  listStoreAgents: { role: 'seller' },
  createStoreAgent: { role: 'manager', body: () => ({ name: 'Mine', priority: 1 }) },
  updateStoreAgent: { role: 'manager', body: () => ({ name: 'Mine' }) },
  importStoreDocument: {
    role: 'manager',
    body: () => ({ name: 'mine.md', title: 'Mine', content: 'Mine', locale: 'pt-BR' }),
  },
  getStoreChannel: { role: 'manager' },
  connectStoreChannel: { role: 'owner', body: () => ({ provider: 'sandbox', rotate: true }) },
  disconnectStoreChannel: { role: 'owner' },
  getStoreCalendar: { role: 'manager' },
  connectStoreCalendar: { role: 'owner', body: () => ({ provider: 'feed' }) },
  disconnectStoreCalendar: { role: 'owner' },
  listWaiting: { role: 'manager' },
  retryWaiting: { role: 'owner', body: ({ followupId }) => ({ kind: 'followup', ids: [followupId], dry_run: false }) },
  giveUpWaiting: { role: 'owner', body: ({ followupId }) => ({ kind: 'followup', ids: [followupId], dry_run: false }) },
  getEnvironment: { role: 'manager' },
};

/** The roles that an operation refuses. */
export const refusedRoles = ({ role }: PeopleOnly): readonly UserRole[] =>
  role === 'none' ? [] : userRoles.slice(userRoles.indexOf(role) + 1);

/** Where the gateway serves each operation that only people have. */
export async function servedToPeople(): Promise<Map<string, { readonly method: string; readonly path: string }>> {
  const { paths } = await document('/platform/v1/openapi.json');
  const served = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { method, path }] as const),
  );
  return new Map(
    served
      .filter(([name]) => !(name in publicOperations))
      .map(([name, { method, path }]) => [name, { method: method.toUpperCase(), path }]),
  );
}
