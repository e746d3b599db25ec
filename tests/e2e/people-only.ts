import { type PersonAccess, type PublicOperation, publicOperations, userRoles } from '@mostrador/contracts';
import type { Owned } from './operations.ts';

/** What a request needs beside the rows of a store: a key and a person of it. */
export type OwnedByPeople = Owned & { readonly keyId: string; readonly userId: string };

/** An operation that only people have. */
type PeopleOnly = PublicOperation & { readonly access: PersonAccess };

export const peopleOnly: readonly { readonly name: string; readonly operation: PeopleOnly }[] = Object.entries(
  publicOperations,
).flatMap(([name, operation]) => ('role' in operation.access ? [{ name, operation: operation as PeopleOnly }] : []));

/** The valid body of each that has one: their document shows no examples. */
export const bodies: Readonly<Record<string, (owned: OwnedByPeople) => Record<string, unknown>>> = {
  getLoginLink: () => ({ token: 'ml_unknown' }),
  createPersonSession: () => ({ token: 'ml_unknown' }),
  createPasskeySession: () => ({ answer: {} }),
  switchStore: ({ leadId }) => ({ store_id: leadId }),
  joinStore: () => ({ password: 'x' }),
  setPassword: () => ({ current_password: 'x', new_password: 'trinta e nove pratos' }),
  startPasskey: () => ({ current_password: 'x' }),
  createPasskey: () => ({ name: 'X', answer: {} }),
  renamePasskey: () => ({ name: 'X' }),
  createStoreKey: () => ({ name: 'Site', scopes: ['leads:read'], expires_at: null }),
  rotateStoreKey: () => ({ overlap_seconds: 0 }),
  invitePerson: () => ({ email: 'leo@example.com', name: 'Leo', role: 'owner', seller_id: null }),
  updatePerson: () => ({ role: 'owner' }),
  updateStoreOptions: () => ({ session_idle_hours: 48 }),
  markConversationRead: ({ messageId }) => ({ message_id: messageId }),
  connectStoreChannel: () => ({ provider: 'sandbox', rotate: true }),
  connectStoreCalendar: () => ({ provider: 'feed' }),
  connectStoreModel: () => ({ provider: 'demo' }),
  switchStoreAi: () => ({ ai: false }),
  retryWaiting: ({ followupId }) => ({ kind: 'followup', ids: [followupId], dry_run: false }),
  giveUpWaiting: ({ followupId }) => ({ kind: 'followup', ids: [followupId], dry_run: false }),
};

/** The roles that an operation refuses. */
export const refusedRoles = ({ access: { role } }: PeopleOnly) =>
  role === 'guest' ? [] : userRoles.slice(userRoles.indexOf(role) + 1);
