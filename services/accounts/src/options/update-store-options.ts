import { faultsOfHours, type updateStoreOptions as operation, type StoreRecord } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import { changedMembers } from '../audit/audit-details.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { replanAfterZone } from '../stores/replan-after-zone.ts';
import { findStore, updateStoreRow } from '../stores/store.repository.ts';
import { askServices, partsOf, shownOf } from './ask-settings.ts';

/** The whole request is checked before any service changes its part, and the audit log records it first. */
export const updateStoreOptions =
  ({ database, systemDatabase, rpc, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    const faults = faultsOfHours(body.sending_windows ?? [], '#/sending_windows');
    if (faults.length > 0) throw validationFailed(faults);
    const parts = partsOf(body);
    const scope = { ...context, storeId };
    const store = await database.write(scope, async (sql) => {
      const entry = {
        storeId,
        actorId,
        action: 'store.changed' as const,
        subjectId: storeId,
        details: changedMembers(body),
      };
      await appendAudit(sql, context, [entry]);
      return parts.store ? await updateStoreRow(sql, storeId, parts.store) : await findStore(sql, storeId);
    });
    if (parts.store) announceAccessChange();
    const others = await askServices(rpc, scope, parts);
    if (body.timezone !== undefined) await replanAfterZone(rpc, scope);
    return { ...shownOf(store as StoreRecord), ...others };
  };
