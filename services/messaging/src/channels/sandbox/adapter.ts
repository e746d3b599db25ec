import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Sql } from '@mostrador/kit/database/database';
import { type ChannelAdapter, ChannelError, type OutboundMessage, type Template } from '../channel-provider.ts';
import { renderTemplate } from '../render-template.ts';
import { channelErrorOf } from '../whatsapp/errors.ts';
import { answerTo, type Behaviour, behaviourOf } from './magic-numbers.ts';
import { providerIdOf, toPayload } from './payload.ts';
import { insertDelivery, planStatusUpdates } from './sandbox.repository.ts';
import { categoryOf, sandboxTemplates } from './templates.ts';

const writeLimitMs = 5_000;

/**
 * Stores each message for the sandbox page. A duplicate changes nothing. A magic number provokes its outcome here, on the
 * provider's side: the engine does not know of it.
 */
export function createSandboxAdapter(database: Database, storeId: string, channelId: string): ChannelAdapter {
  const accept = async (message: OutboundMessage, behaviour: Behaviour) => {
    const { id, to, text, template } = message;
    const { arrivesAfterMs, updates } = behaviour;
    const body = template ? shownOf(template, text) : text;
    const scope = { storeId, deadline: Date.now() + writeLimitMs };
    const insert = (sql: Sql, afterMs: number) =>
      insertDelivery(sql, storeId, { id, channelId, phone: to, body, afterMs });
    try {
      if (updates.length === 0) {
        if (arrivesAfterMs !== null) await database.execute(scope, (sql) => insert(sql, arrivesAfterMs));
        return;
      }
      await database.write(scope, async (sql) => {
        if (arrivesAfterMs !== null) await insert(sql, arrivesAfterMs);
        await planStatusUpdates(sql, storeId, channelId, planOf(message, behaviour, Date.now()));
      });
    } catch (cause) {
      // A retry is safe even if the row was written, because a duplicate changes nothing.
      const detail = 'The sandbox could not store the message.';
      throw new ChannelError('not_sent', 'sandbox_unavailable', detail, { cause });
    }
  };
  return {
    async send(message, signal) {
      const behaviour = behaviourOf(message.to);
      if (behaviour.answersAfterMs > 0) await answerTime(behaviour.answersAfterMs, signal);
      const answer = answerTo(behaviour, message.attempt);
      if (answer.kind === 'unreachable') {
        const detail = 'The sandbox could not be reached.';
        throw new ChannelError('not_sent', 'sandbox_unreachable', detail, { outage: true });
      }
      if (answer.kind === 'refused') throw channelErrorOf(answer, answer.retryAfterSeconds);
      await accept(message, behaviour);
      if (answer.kind === 'lost') {
        throw new ChannelError('ambiguous', 'sandbox_answer_lost', "The sandbox's answer was lost.");
      }
      return { providerMessageId: providerIdOf(message.id), waId: /^[0-9]+$/.test(message.to) ? message.to : null };
    },
    // Only a number that provokes an outcome refuses the channel, and no other message.
    check: () => Promise.resolve(),
  };
}

/** What the telephone shows of a template. One that the sandbox does not have, from before it had any, is named. */
function shownOf({ name, language, components }: Template, text: string): string {
  const known = sandboxTemplates.find((one) => one.name === name && one.language === language);
  return known ? renderTemplate(known, components) : `[${name}] ${text}`.trimEnd();
}

/** Each status update as a webhook of its own, because each comes at its own time. */
const planOf = ({ id, to, template }: OutboundMessage, { updates }: Behaviour, nowMs: number) =>
  updates.map(({ afterMs, ...update }) => ({
    afterMs,
    payload: toPayload([
      { id, ...update, at: new Date(nowMs + afterMs).toISOString(), category: categoryOf(template), recipient: to },
    ]),
  }));

async function answerTime(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch {
    throw new ChannelError('ambiguous', 'sandbox_timeout', 'The sandbox did not answer in time.', { outage: true });
  }
}
