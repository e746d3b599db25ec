import { type updateStore as operation, replanFollowups } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { updateStoreRow } from './store.repository.ts';

export const updateStore =
  ({ database, rpc, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, ...changes } }) => {
    const store = await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      const updated = await updateStoreRow(sql, storeId, changes);
      const entry = { storeId, actorId: null, action: 'store.changed', subjectId: storeId } as const;
      if (updated) await appendAudit(sql, context, [entry]);
      return updated;
    });
    if (!store) throw new AppError('store_not_found');
    announceAccessChange();
    // Runs for every given zone, even an unchanged one, so that the same command retries it after a failure.
    if (changes.timezone !== undefined) {
      await rpc.call(replanFollowups, {}, { ...context, storeId }).catch((cause) => {
        const detail = 'The store was changed, but some follow-ups were not replanned. Run the same command again.';
        throw new AppError('upstream_timeout', { detail, cause });
      });
    }
    return store;
  };
