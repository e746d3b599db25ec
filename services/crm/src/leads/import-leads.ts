import type { importLeads as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockSellers } from '../sellers/seller.repository.ts';
import { insertAllNamed } from './insert-named.ts';
import { leadFact, newLead } from './lead.ts';
import { oneOfEachPhone, splitByAssignable } from './lead-import.ts';

export const importLeads =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const leads = body.leads.map(newLead);
    const sellerIds = [...new Set(leads.flatMap(({ seller_id }) => seller_id ?? []))];
    const result = await database.write(context, async (sql) => {
      // Every transaction locks sellers before leads, so that two of them cannot deadlock.
      const sellers = sellerIds.length > 0 ? await lockSellers(sql, context.storeId, sellerIds) : [];
      const { accepted, refused } = splitByAssignable(leads, sellers);
      const rows = await insertAllNamed(sql, context.storeId, oneOfEachPhone(accepted));
      // One event for all leads: a million events would push all others out of the stream. The feed has one for each.
      if (rows.length > 0) {
        await appendOutbox(sql, context.storeId, [
          { kind: 'event', type: 'crm.leads.imported', data: { lead_ids: rows.map(({ id }) => id) } },
          ...rows.map((row) => leadFact(row)),
        ]);
      }
      return { created: rows.length, existing: accepted.length - rows.length, refused };
    });
    if (result.created > 0) relay.nudge();
    return result;
  };
