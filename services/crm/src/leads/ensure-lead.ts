import type { ensureLead as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { insertOfChannel } from './insert-named.ts';
import { findLeadIdOfCustomer } from './lead.repository.ts';
import { leadCreated, newLead } from './lead.ts';

export const ensureLead =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const find = () => database.read(context, (sql) => findLeadIdOfCustomer(sql, storeId, body));
    const known = await find();
    if (known) return { id: known, created: false };

    const given = 'customer_phone' in body ? body : { ...body, customer_phone: null };
    const created = await database.write(context, async (sql) => {
      const row = await insertOfChannel(sql, storeId, newLead(given));
      if (!row) return undefined;
      await appendOutbox(sql, storeId, leadCreated(row));
      return row.id;
    });
    if (created) {
      relay.nudge();
      return { id: created, created: true };
    }
    // Another transaction was first. It has committed, because the insertion waited for it.
    return { id: (await find()) as string, created: false };
  };
