import type { listPeople as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { listPersonRows } from './person.repository.ts';

const most = 1000;

export const listPeople =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { store_id: storeId } = await requireSession(systemDatabase, context);
    return { data: await systemDatabase.read(context, (sql) => listPersonRows(sql, storeId, most)) };
  };
