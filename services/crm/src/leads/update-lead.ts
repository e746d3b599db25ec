import { updateLead as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/delivery/idempotency';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockSeller } from '../sellers/seller.repository.ts';
import { assertAssignable } from '../sellers/seller.ts';
import { lockLead, saveLead } from './lead.repository.ts';
import { changeLead, type LeadRow, leadEtag, leadEvent, toLead } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { throwTaken } from './taken-lead.ts';

export const updateLead =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    const now = new Date();
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        // Every transaction locks the seller before the lead, so that two of them cannot deadlock.
        const seller = body.seller_id ? await lockSeller(sql, storeId, body.seller_id) : undefined;
        const current = await lockLead(sql, storeId, params.leadId);
        if (!current) throw await leadNotFound(sql, storeId, params.leadId);
        assertIfMatch(context, current.version);
        if (seller !== undefined) assertAssignable(seller);
        const changed = changeLead(current, body);
        if (!changed) return current;

        const saved = await saveLead(sql, current, changed);
        await appendOutbox(sql, storeId, [{ kind: 'event', type: 'crm.lead.updated', data: leadEvent(saved) }]);
        return saved;
      },
      toReply: (row: LeadRow) => toLead(row, now),
      etag: (row) => leadEtag(row, now),
    }).catch((error: unknown) => throwTaken(dependencies.database, context, body.external_id, error));
  };
