import { type updateStore as operation, replanFollowups } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { updateStoreRow } from './store.repository.ts';

export const updateStore =
  ({ database, rpc, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, ...changes } }) => {
    const store = await database.write({ storeId, deadline: context.deadline }, (sql) =>
      updateStoreRow(sql, storeId, changes),
    );
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
