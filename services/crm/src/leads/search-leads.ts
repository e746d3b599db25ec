import type { searchLeads as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { countFound, listFoundIds } from './lead-list.repository.ts';
import { mostFound, readSearch } from './lead-search.ts';

export const searchLeads =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const search = readSearch(body.q);
    const rows = await database.read(context, async (sql) => {
      const isBroad = (await countFound(sql, storeId, search)) > mostFound;
      return await listFoundIds(sql, storeId, { search, visible_to: body.visible_to }, isBroad);
    });
    return { lead_ids: rows.map(({ id }) => id) };
  };
