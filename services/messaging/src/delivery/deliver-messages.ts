import type { deliverMessages as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { CircuitOpen } from '@mostrador/kit/resilience/circuit';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { answer } from '@mostrador/kit/step/retry-engine';
import { callTimeMs, lookAgain, recordingMs } from '@mostrador/kit/step/step';
import { toChannelError, unforeseen } from '../channels/channel-provider.ts';
import { targetOf } from '../channels/providers.ts';
import { findContact } from '../conversations/find-contact.ts';
import type { Dependencies } from '../dependencies.ts';
import { type Claimed, type Contact, claimNext, type Taken } from './claim-next.ts';
import { type Outcome, recordOutcome } from './record-outcome.ts';

const messagesAtMost = 20;
// With less time left than this, the step leaves the call to the next request.
const leastCallMs = 5_000;

/**
 * Sends the due messages of a lead's queue, in order. It claims each message in a transaction and calls the provider
 * outside of any. One transaction records the outcome and claims the next message.
 */
export const deliverMessages =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { relay, limits } = dependencies;
    const { storeId } = context;
    const leadId = body.lead_id;
    const leastMs = Math.min(leastCallMs, limits.callLimitMs);
    const assertTime = () => callTimeMs(context.deadline, { callMs: limits.callLimitMs, leastMs });
    const leftMs = () => context.deadline - Date.now() - recordingMs;
    assertTime();
    let contact: Contact;
    const next: Work<Taken> = (sql, settled) =>
      claimNext(sql, { storeId, id: leadId }, { ...dependencies, contact, settled });
    let taken = await transact(dependencies, context, context.deadline, next);
    for (let messages = 0; taken.kind !== 'answer'; ) {
      if (taken.kind === 'ask_contact') {
        contact = await askContact(dependencies, context, leadId);
        assertTime();
        taken = await transact(dependencies, context, context.deadline, next);
        continue;
      }
      const { claimed } = taken;
      const outcome = await call(
        dependencies,
        context,
        claimed,
        Math.max(leastMs, Math.min(limits.callLimitMs, leftMs())),
      );
      messages += 1;
      // The next message needs time for a full call, because a call that is cut short has an unknown outcome.
      const goOn = !context.closing.aborted && messages < messagesAtMost && leftMs() >= limits.callLimitMs;
      // The step records the outcome even when its caller has timed out.
      const recordBy = Date.now() + limits.leaseMs - limits.callLimitMs;
      const record = (known: Outcome, andThen: Work<Taken>) =>
        transact(dependencies, context, recordBy, async (sql, settled) => {
          const { settled: id, pending } = await recordOutcome(sql, claimed, known, limits);
          if (id) settled.push(id);
          const [then] = await Promise.all([andThen(sql, settled), pending]);
          return then;
        });
      // If this transaction fails, the step records the outcome alone and leaves the rest to the next step. One cause
      // is that another lead of the store got the same `wa_id` at the same moment: that lead keeps it.
      taken = await record(outcome, goOn ? next : enough).catch(() => record(withoutWaId(outcome), enough));
    }
    relay.nudge();
    return taken.next;
  };

/** The statements of one transaction. They add to `settled` the messages whose outcome they decided. */
type Work<T> = (sql: TransactionSql, settled: string[]) => Promise<T>;

const enough: Work<Taken> = async () => answer(lookAgain('more may be due'));

const withoutWaId = (outcome: Outcome): Outcome =>
  outcome.kind === 'succeeded' ? { ...outcome, accepted: { ...outcome.accepted, waId: null } } : outcome;

/** Runs one transaction, then notifies the requests that wait for the outcomes it decided. */
async function transact<T>(
  { database, outcomes }: Dependencies,
  { storeId }: StoreContext,
  deadline: number,
  work: Work<T>,
): Promise<T> {
  let settled: string[] = [];
  const result = await database.write({ storeId, deadline }, (sql) => {
    settled = [];
    return work(sql, settled);
  });
  for (const id of settled) outcomes.announce(id);
  return result;
}

async function askContact({ rpc }: Dependencies, context: StoreContext, leadId: string): Promise<Contact> {
  try {
    const { customer_phone } = await findContact(rpc, context, leadId);
    return { phone: customer_phone };
  } catch (error) {
    if (error instanceof AppError && error.code === 'lead_not_found') return 'gone';
    throw error;
  }
}

/** Fewer may be a short fault of the provider. */
const attemptsUntilTold = 5;

async function call(
  { circuit, openChannel }: Dependencies,
  context: StoreContext,
  { attempt, message, channel, to, asTemplate }: Claimed,
  limitMs: number,
): Promise<Outcome> {
  const template = asTemplate ? message.template : null;
  const outbound = { id: message.id, to, text: message.body, template, attempt: attempt.number };
  const send = async () => {
    try {
      return await openChannel(attempt.storeId, channel).send(outbound, AbortSignal.timeout(limitMs));
    } catch (error) {
      throw toChannelError(error);
    }
  };
  try {
    const accepted = await circuit.run(targetOf(channel, to), send);
    return { kind: 'succeeded', accepted };
  } catch (error) {
    if (error instanceof CircuitOpen) return { kind: 'not_called', blocked: error.blocked };
    const failure = toChannelError(error);
    const { kind, code } = failure;
    const about = { channel_id: channel.id, message_id: message.id, attempts: attempt.number, kind, code };
    if (code === unforeseen)
      context.log.error({ ...about, err: failure.cause }, 'a channel adapter threw an unexpected error');
    else if (attempt.number === attemptsUntilTold) {
      context.log.warn(about, 'a message is stuck: look at its channel with `channel show`, and at its provider');
    } else context.log[kind === 'channel' ? 'warn' : 'info'](about, 'an attempt to send a message failed');
    return { kind: 'failed', error: failure };
  }
}
