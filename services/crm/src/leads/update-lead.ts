import { updateLead as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockSeller } from '../sellers/seller.repository.ts';
import { assertAssignable } from '../sellers/seller.ts';
import { lockLead } from './lead.repository.ts';
import { changeLead, isAnotherPhone, type LeadRow, leadEtag, toLead } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { saveChange } from './save-change.ts';
import { throwTaken } from './taken-lead.ts';
import { tellPhone } from './tell-phone.ts';

export const updateLead =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    const now = new Date();
    let moved: LeadRow | undefined;
    const answer = await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        moved = undefined;
        // Every transaction locks the seller before the lead, so that two of them cannot deadlock.
        const seller = body.seller_id ? await lockSeller(sql, storeId, body.seller_id) : undefined;
        const current = await lockLead(sql, storeId, params.leadId);
        if (!current) throw await leadNotFound(sql, storeId, params.leadId);
        assertIfMatch(context, current.version);
        if (seller !== undefined) assertAssignable(seller);
        const changed = changeLead(current, body);
        if (!changed) return current;

        const saved = await saveChange(sql, current, changed);
        if (isAnotherPhone(current, saved)) moved = saved;
        return saved;
      },
      toReply: (row: LeadRow) => toLead(row, now),
      etag: (row) => leadEtag(row, now),
    }).catch((error: unknown) => throwTaken(dependencies.database, context, { id: params.leadId, ...body }, error));
    if (moved) await tellPhone(dependencies, context, moved);
    return answer;
  };
