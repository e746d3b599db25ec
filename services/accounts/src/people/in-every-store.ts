import type { StoreUser } from '@mostrador/contracts';
import type { AuditEntry } from '../audit/audit.repository.ts';

/** What the operator did to a person, who is given once for each of their stores: an entry for the log of each. */
export const inEveryStore = (users: readonly StoreUser[], { action }: Pick<AuditEntry, 'action'>): AuditEntry[] =>
  users.map(({ id, store_id }) => ({ storeId: store_id, actorId: null, action, subjectId: id }));
