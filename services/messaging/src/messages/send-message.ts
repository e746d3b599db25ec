import { sendMessage as operation, type ReplyOf } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/context';
import { withDeferredIdempotency } from '@mostrador/kit/idempotency';
import type { Handler } from '@mostrador/kit/rpc-server';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { acceptOutbound } from './accept-outbound.ts';
import { findMessage } from './message.repository.ts';
import { isSettled, type MessageRow, presentOutcome } from './message.ts';

/** Left for the last look at the row, and for the way back of the answer. */
const lookMs = 750;
const wayBackMs = 250;

export const sendMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { database, relay } = dependencies;
    const arrivedMs = Date.now();
    const result = await withDeferredIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        await requireLead(dependencies, context, params.leadId);
        return await commit((sql) =>
          acceptOutbound(sql, context.storeId, { lead_id: params.leadId, source: 'api', body: body.message }),
        );
      },
      entityOf: ({ id }: MessageRow) => id,
      answer: (id, closing) => awaitOutcome(dependencies, context, { id, arrivedMs, closing }),
    });
    relay.nudge();
    return result;
  };

/** What became of a message that was accepted, as far as the store's wait tells. */
async function awaitOutcome(
  { database, outcomes }: Dependencies,
  context: StoreContext,
  { id, arrivedMs, closing }: { id: string; arrivedMs: number; closing: AbortSignal },
): Promise<ReplyOf<typeof operation>> {
  const scope = { storeId: context.storeId, deadline: context.deadline - wayBackMs };
  const lastMs = scope.deadline - lookMs;
  const enough = new AbortController();
  try {
    // It begins before the first look, so that no notice is missed between the two.
    const noticed = outcomes.wait(id, lastMs, AbortSignal.any([closing, enough.signal]));
    const [message, settings] = await database.read(scope, (sql) =>
      Promise.all([findMessage(sql, context.storeId, id), findSettings(sql, context.storeId)]),
    );
    const restMs = Math.min(arrivedMs + settings.message_wait_seconds * 1000, lastMs) - Date.now();
    if (message && (isSettled(message.status) || restMs <= 0)) return presentOutcome(message);

    const timer = setTimeout(() => enough.abort(), restMs);
    await noticed;
    clearTimeout(timer);
    const outcome = await database.read(scope, (sql) => findMessage(sql, context.storeId, id));
    if (outcome) return presentOutcome(outcome);
  } catch (error) {
    // It is accepted, whatever happens now: the answer is what is certain.
    context.log.warn({ err: error, message_id: id }, 'the outcome of a message could not be read');
  } finally {
    enough.abort();
  }
  return { sent: false, id, status: 'queued', error: null };
}
