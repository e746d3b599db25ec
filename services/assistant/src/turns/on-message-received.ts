import type { AssistantSettings } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { EventOf } from '@mostrador/kit/outbox/events-consumer';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findSettingsIfOn } from '../settings/settings.repository.ts';
import { earliest, latest, replyAt } from './quiet.ts';
import { extendTurn, insertTurn, isSettled, lockOpenTurn } from './turn.repository.ts';
import { wakeReply } from './turn.ts';

type Received = { readonly lead_id: string; readonly at: Date };

/**
 * Opens a turn for a message of a lead, or adds the message to the open one. Idempotent, in any order and after any delay.
 * A store without AI costs one look-up.
 */
export const onMessageReceived =
  ({ database, relay }: Pick<Dependencies, 'database' | 'relay'>) =>
  async (event: EventOf<'messaging.message.received'>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId, data } = event;
    const scope = { storeId, deadline };
    const [settings] = await database.lookUp(scope, (sql) => findSettingsIfOn(sql, storeId));
    if (!settings) return;
    const received = { lead_id: data.lead_id, at: toInstant(data.received_at) };
    // People have what came before.
    if (settings.ai_since && received.at < settings.ai_since) return;
    await database.write(scope, (sql) => takeIn(sql, storeId, received, settings));
    relay.nudge();
  };

async function takeIn(
  sql: TransactionSql,
  storeId: string,
  received: Received,
  settings: AssistantSettings,
): Promise<void> {
  const { lead_id, at } = received;
  const { turn } = await lockOpenTurn(sql, storeId, lead_id);
  if (!turn) {
    if (await isSettled(sql, storeId, lead_id, at)) return;
    const times = { first_received_at: at, last_received_at: at };
    const opened = await insertTurn(sql, storeId, { lead_id, ...times, next_attempt_at: replyAt(times, settings) });
    if (opened) await appendOutbox(sql, storeId, [wakeReply(lead_id, 'received')]);
    // Another event has just opened one, and committed.
    else await takeIn(sql, storeId, received, settings);
    return;
  }
  const times = {
    first_received_at: earliest(at, turn.first_received_at),
    last_received_at: latest(at, turn.last_received_at),
  };
  // A turn that is being decided or told is not held back: messaging sees whether the answer is outdated.
  const waits = turn.action === null && turn.lease_until === null;
  const { next_attempt_at } = turn as { next_attempt_at: Date };
  const quietAt = replyAt(times, settings);
  await extendTurn(sql, storeId, {
    id: turn.id,
    ...times,
    next_received_at: waits || at <= turn.last_received_at ? turn.next_received_at : (turn.next_received_at ?? at),
    // The pause after a failure holds.
    next_attempt_at: !waits ? next_attempt_at : turn.error_code === null ? quietAt : latest(quietAt, next_attempt_at),
  });
}
