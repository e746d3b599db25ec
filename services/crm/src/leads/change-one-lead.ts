import type { AiPauser, pauseAi, RequestOf, resumeAi, updateLead } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { authorOf, type StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { lockSeller } from '../sellers/seller.repository.ts';
import { assertAssignable } from '../sellers/seller.ts';
import { lockLead } from './lead.repository.ts';
import { changeLead, isAnotherPhone, type LeadRow, leadEtag, toLead } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { saveChange } from './save-change.ts';
import { throwTaken } from './taken-lead.ts';
import { tellPause } from './tell-pause.ts';
import { tellPhone } from './tell-phone.ts';

type Change = { readonly leadId: string; readonly patch: RequestOf<typeof updateLead>['body'] };

/** Changes a lead as a request of the operation, and tells messaging what must hold from the answer on. */
export async function changeOneLead(
  dependencies: Dependencies,
  context: StoreContext,
  operation: typeof updateLead | typeof pauseAi | typeof resumeAi,
  { leadId, patch }: Change,
) {
  const { storeId } = context;
  const now = new Date();
  let change: { readonly before: LeadRow; readonly after: LeadRow } | undefined;
  const answer = await writeOnce(dependencies, context, operation, {
    work: async (sql) => {
      change = undefined;
      // Every transaction locks the seller before the lead, so that two of them cannot deadlock.
      const seller = patch.seller_id ? await lockSeller(sql, storeId, patch.seller_id) : undefined;
      const current = await lockLead(sql, storeId, leadId);
      if (!current) throw await leadNotFound(sql, storeId, leadId);
      assertIfMatch(context, current.version);
      if (seller !== undefined) assertAssignable(seller);
      const changed = changeLead(current, patch, pauserOf(context));
      if (!changed) return current;

      const saved = await saveChange(sql, current, changed);
      change = { before: current, after: saved };
      return saved;
    },
    toReply: (row: LeadRow) => toLead(row, now),
    etag: (row) => leadEtag(row, now),
  }).catch((error: unknown) => throwTaken(dependencies.database, context, { id: leadId, ...patch }, error));
  if (change) {
    const { before, after } = change;
    const { customer_phone } = after;
    if (customer_phone !== null && isAnotherPhone(before, after)) {
      await tellPhone(dependencies, context, { ...after, customer_phone });
    }
    if (Number(before.ai_paused_until) !== Number(after.ai_paused_until)) await tellPause(dependencies, context, after);
  }
  return answer;
}

const system: AiPauser = { kind: 'system', id: null, name: null };

/** Who asks. Null: a gateway of the previous version does not say so. */
const pauserOf = (context: StoreContext): AiPauser | null =>
  context.actor === null ? null : (authorOf(context) ?? system);
