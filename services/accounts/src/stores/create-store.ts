import { randomUUIDv7 } from 'node:crypto';
import type { createStore as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertStore } from './store.repository.ts';

/** The handler makes the id, because row-level security needs it before the store's row exists. */
export const createStore =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const storeId = randomUUIDv7();
    const { name, tier = 'free', timezone = 'UTC', locale = 'en', country = null, rate_limit = null } = body;
    return await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      const store = await insertStore(sql, storeId, { name, tier, timezone, locale, country, rate_limit });
      await appendAudit(sql, context, [{ storeId, actorId: null, action: 'store.created', subjectId: storeId }]);
      return store;
    });
  };
