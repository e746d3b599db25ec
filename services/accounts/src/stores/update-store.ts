import type { updateStore as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import { changedMembers } from '../audit/audit-details.ts';
import type { Dependencies } from '../dependencies.ts';
import { replanAfterZone } from './replan-after-zone.ts';
import { updateStoreRow } from './store.repository.ts';

export const updateStore =
  ({ database, rpc, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, ...changes } }) => {
    const store = await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      const updated = await updateStoreRow(sql, storeId, changes);
      const details = changedMembers(changes);
      const entry = { storeId, actorId: null, action: 'store.changed', subjectId: storeId, details } as const;
      if (updated) await appendAudit(sql, context, [entry]);
      return updated;
    });
    if (!store) throw new AppError('store_not_found');
    announceAccessChange();
    if (changes.timezone !== undefined) await replanAfterZone(rpc, { ...context, storeId });
    return store;
  };
