import type { listPersonStores as operation } from '@mostrador/contracts';
import { encodeCursor, readCursor } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { listReachableStores } from './reach.repository.ts';
import { requireSession } from './session.ts';

const pageSize = 200;
const Position = Type.Object({ name: Type.String(), id: Type.String({ format: 'uuid' }) });

export const listPersonStores =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const session = await requireSession(systemDatabase, context);
    const after = readCursor(query, {}, Position);
    // One extra row shows whether there is a next page.
    const stores = await systemDatabase.read(context, (sql) =>
      listReachableStores(sql, session, { after, limit: pageSize + 1 }),
    );
    const shown = stores.slice(0, pageSize);
    const last = stores.length > pageSize ? shown.at(-1) : undefined;
    return {
      data: shown.map((store) => ({ ...store, current: store.id === session.store_id })),
      next_cursor: last ? encodeCursor({ name: last.name, id: last.id }, {}) : null,
    };
  };
