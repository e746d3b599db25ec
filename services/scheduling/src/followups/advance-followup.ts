import {
  acceptMessage,
  getStoreSettings,
  listLeadContacts,
  type NextStep,
  type advanceFollowup as operation,
  type ReplyOf,
} from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { callTimeMs } from '@mostrador/kit/step/step';
import { invitationUrl } from '../calendars/invitation-link.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAnswer } from '../reminders/answer-reminder.ts';
import { type Claimed, claimNext, type Prepared } from './claim-next.ts';
import { findFollowup } from './followup.repository.ts';
import { type Outcome, outcomeOf, recordOutcome } from './record-outcome.ts';
import { findSendingWindows } from './sending-windows.repository.ts';

/** How long messaging may wait for the outcome. When it comes in time, the workflow ends with this step. */
const outcomeMs = 1_500;
/** The most steps that wait at once: far fewer than the worker runs, so that a stuck channel blocks no other step. */
const mostWaiting = 16;

/** One transaction claims the row and another records the outcome. The request to messaging runs outside of both. */
export const advanceFollowup = (dependencies: Dependencies): Handler<typeof operation> => {
  let waiting = 0;
  return async (context, { body: { followup_id: id } }) => {
    const { database } = dependencies;
    const prepared = await prepare(dependencies, context, id);
    const limitMs = callTimeMs(context.deadline);
    const claim = await database.write(context, (sql) => claimNext(sql, { storeId: context.storeId, id }, prepared));
    if (claim.kind === 'answer') {
      if (claim.next.done) await findAnswer(dependencies, context, id);
      return claim.next;
    }
    const { claimed } = claim;
    // A message that messaging already has was not settled quickly, so this step does not wait for it.
    const mayWait = claimed.followup.message_id === null && waiting < mostWaiting;
    if (!mayWait) return await handOver(dependencies, context, claimed, { limitMs, waitMs: 0 });
    waiting += 1;
    return later(async () => {
      try {
        return await handOver(dependencies, context, claimed, { limitMs, waitMs: Math.min(outcomeMs, limitMs / 2) });
      } finally {
        waiting -= 1;
      }
    });
  };
};

/** Looks up what only other services know: the zone if there are sending windows, and for a reminder whom it tells. */
async function prepare(dependencies: Dependencies, context: StoreContext, id: string): Promise<Prepared> {
  const { database, rpc, vault, publicUrl } = dependencies;
  const [[row], windows] = await database.read(context, (sql) =>
    Promise.all([findFollowup(sql, context.storeId, id), findSendingWindows(sql, context.storeId)]),
  );
  const isReminder = row?.status === 'pending' && row.reminder_minutes !== null;
  if (row?.status !== 'pending' || (windows.length === 0 && !isReminder)) return { zone: null };
  const { lead_id, appointment_id: appointmentId } = row;
  const [{ timezone, locale }, { contacts }] = await Promise.all([
    rpc.call(getStoreSettings, {}, context),
    isReminder ? rpc.call(listLeadContacts, { body: { lead_ids: [lead_id] } }, context) : { contacts: [] },
  ]);
  // Messaging refuses a message to a lead that is gone.
  const name = contacts[0]?.name ?? '';
  if (!isReminder || appointmentId === null) return { zone: timezone };
  const calendarLink = invitationUrl(vault, publicUrl, { storeId: context.storeId, appointmentId });
  return { zone: timezone, reader: { name, timezone, locale, calendarLink } };
}

async function handOver(
  { database, rpc, relay }: Dependencies,
  context: StoreContext,
  claimed: Claimed,
  { limitMs, waitMs }: { limitMs: number; waitMs: number },
): Promise<NextStep> {
  const { followup, recordBy } = claimed;
  // The outcome is recorded even when the deadline of the caller has passed.
  const scope = { storeId: context.storeId, deadline: recordBy };
  const { requestId, storeId, traceparent } = context;
  const record = async (outcome: Outcome): Promise<NextStep> => {
    const next = await database.write(scope, (sql) => recordOutcome(sql, claimed, outcome));
    relay.nudge();
    return next;
  };
  let message: ReplyOf<typeof acceptMessage>;
  try {
    message = await rpc.call(
      acceptMessage,
      {
        body: {
          id: followup.id,
          lead_id: followup.lead_id,
          source: 'followup',
          message: followup.message,
          ...(followup.template ? { template: followup.template } : {}),
          ...(followup.expires_at ? { expires_at: toTimestamp(followup.expires_at) } : {}),
          ...(followup.cancel_on_reply ? { unless_reply_after: toTimestamp(followup.created_at) } : {}),
          ...(waitMs > 0 ? { wait_ms: Math.floor(waitMs) } : {}),
        },
      },
      { requestId, storeId, traceparent, deadline: Date.now() + limitMs },
    );
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome?.kind === 'failed') return await record(outcome);
    // Without an outcome the request may still be running, so the row stays `sending`. The next attempt asks messaging
    // after the lease of this one.
    context.log.warn({ followup: followup.id, err: error }, 'the request to messaging for a follow-up failed');
    if (outcome) await record(outcome);
    throw error;
  }
  return await record({ kind: 'succeeded', message });
}
