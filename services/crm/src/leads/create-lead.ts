import { createLead as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockSeller } from '../sellers/seller.repository.ts';
import { assertAssignable } from '../sellers/seller.ts';
import { insertNamed } from './insert-named.ts';
import { type LeadRow, leadCreated, leadEtag, newLead, toLead } from './lead.ts';
import { leadTaken } from './taken-lead.ts';

export const createLead =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const now = new Date();
    const lead = newLead(body);
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        // Every transaction locks the seller before the lead, so that two of them cannot deadlock.
        if (lead.seller_id) assertAssignable(await lockSeller(sql, context.storeId, lead.seller_id));
        const row = await insertNamed(sql, context.storeId, lead);
        if (!row) throw await leadTaken(sql, context.storeId, lead);
        await appendOutbox(sql, context.storeId, leadCreated(row));
        return row;
      },
      toReply: (row: LeadRow) => toLead(row, now),
      etag: (row) => leadEtag(row, now),
    });
  };
