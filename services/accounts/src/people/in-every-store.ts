import type { AuditEntry } from '../audit/audit.repository.ts';
import type { FoundUser } from './person.repository.ts';

/** What the operator did to a person, who is given once for each of their stores: an entry for the log of each. */
export const inEveryStore = (users: readonly FoundUser[], { action }: Pick<AuditEntry, 'action'>): AuditEntry[] =>
  users.map(({ userId, user }) => ({ storeId: user.store_id, actorId: null, action, subjectId: userId }));
