import type { deliverMessages as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { answer } from '@mostrador/kit/step/retry-engine';
import { callTimeMs, lookAgain, recordingMs } from '@mostrador/kit/step/step';
import type { Dependencies } from '../dependencies.ts';
import { callProvider } from './call-provider.ts';
import { type Contact, claimNext, type Taken } from './claim-next.ts';
import { askContact, recordAnd, transact, type Work } from './transact.ts';

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
    let taken = await transact(dependencies, context, next);
    for (let messages = 0; taken.kind !== 'answer'; ) {
      if (taken.kind === 'ask_contact') {
        contact = await askContact(dependencies, context, leadId);
        assertTime();
        taken = await transact(dependencies, context, next);
        continue;
      }
      const { claimed } = taken;
      const limitMs = Math.max(leastMs, Math.min(limits.callLimitMs, leftMs()));
      const outcome = await callProvider({ ...dependencies, log: context.log }, claimed, limitMs);
      messages += 1;
      // The next message needs time for a full call, because a call that is cut short has an unknown outcome.
      const goOn = !context.closing.aborted && messages < messagesAtMost && leftMs() >= limits.callLimitMs;
      taken = (await recordAnd(dependencies, claimed, outcome, goOn ? next : undefined)) ?? enough();
    }
    relay.nudge();
    return taken.next;
  };

const enough = (): Taken => answer(lookAgain('more may be due'));
