import type { AiPauser, pauseAi, RequestOf, resumeAi, updateLead } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { authorOf, type StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
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

type Patch = RequestOf<typeof updateLead>['body'];

/** `patchOf`: what to change. It is not asked for a repeated request, which gets its first answer. */
type Change = { readonly leadId: string; readonly patchOf: () => Patch | Promise<Patch> };

/** Changes a lead as a request of the operation, and tells messaging what must hold from the answer on. */
export async function changeOneLead(
  dependencies: Dependencies,
  context: StoreContext,
  operation: typeof updateLead | typeof pauseAi | typeof resumeAi,
  { leadId, patchOf }: Change,
) {
  const { storeId } = context;
  const { database, relay } = dependencies;
  const now = new Date();
  let patch: Patch = {};
  let change: { readonly before: LeadRow; readonly after: LeadRow } | undefined;
  const answer = await withIdempotency({
    database,
    context,
    operation,
    run: async (commit) => {
      patch = await patchOf();
      return await commit(async (sql) => {
        change = undefined;
        // Every transaction locks the seller before the lead, so that two of them cannot deadlock.
        const seller = patch.seller_id ? await lockSeller(sql, storeId, patch.seller_id) : undefined;
        const current = await lockLead(sql, storeId, leadId);
        if (!current) throw await leadNotFound(sql, storeId, leadId);
        // What is not there comes before the state of what is.
        if (seller === null) throw new AppError('seller_not_found');
        assertIfMatch(context, current.version);
        if (seller !== undefined) assertAssignable(seller);
        const changed = changeLead(current, patch, pauserOf(context));
        if (!changed) return current;

        const saved = await saveChange(sql, current, changed);
        change = { before: current, after: saved };
        return saved;
      });
    },
    toReply: (row: LeadRow) => toLead(row, now),
    etag: (row) => leadEtag(row, now),
  }).catch((error: unknown) => throwTaken(database, context, { id: leadId, ...patch }, error));
  relay.nudge();
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
