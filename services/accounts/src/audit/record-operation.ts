import type { recordOperation as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { storeExists } from '../stores/store.repository.ts';
import { appendAudit } from './audit.repository.ts';

export const recordOperation =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, action, details } }) => {
    await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      if (!(await storeExists(sql, storeId))) throw new AppError('store_not_found');
      const entry = { storeId, actorId: null, action: action as `${string}.${string}`, subjectId: '', details };
      await appendAudit(sql, context, [entry]);
    });
    return { done: true };
  };
