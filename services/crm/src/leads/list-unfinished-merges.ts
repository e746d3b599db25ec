import type { listUnfinishedMerges as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listUnfinishedMerges as listRows } from './merged-lead.repository.ts';

/** The number that fits into one NATS message. */
const most = 5000;

export const listUnfinishedMerges =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => ({ merges: await database.read(context, (sql) => listRows(sql, context.storeId, most)) });
