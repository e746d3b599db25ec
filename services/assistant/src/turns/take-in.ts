import type { AssistantSettings } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { earliest, latest, replyAt } from './quiet.ts';
import { extendTurn, insertTurn, isSettled, lockOpenTurn } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';

/** What a lead wrote. `left`: by a lead that was merged into this one. */
export type Received = Pick<TurnRow, 'lead_id' | 'first_received_at' | 'last_received_at'> & {
  readonly left?: { readonly continues: string; readonly notBefore: Date };
};

/**
 * Opens a turn for what a lead wrote, or adds it to the open one. Returns when an opened turn is due.
 *
 * @throws AppError `lead_busy`: what a merged lead wrote comes while a turn is decided or told. Retry later
 */
export async function takeIn(
  sql: TransactionSql,
  storeId: string,
  received: Received,
  settings: AssistantSettings,
): Promise<Date | undefined> {
  const { lead_id, first_received_at: first, last_received_at: last, left } = received;
  const { turn } = await lockOpenTurn(sql, storeId, lead_id);
  const times = {
    first_received_at: turn ? earliest(first, turn.first_received_at) : first,
    last_received_at: turn ? latest(last, turn.last_received_at) : last,
  };
  const quietAt = replyAt(times, settings);
  const answerAt = left ? latest(quietAt, left.notBefore) : quietAt;
  if (!turn) {
    if (!left && (await isSettled(sql, storeId, lead_id, last))) return undefined;
    const continues = left && { continues: left.continues };
    const opened = await insertTurn(sql, storeId, { lead_id, ...times, next_attempt_at: answerAt, ...continues });
    // Undefined: another event has just opened one, and committed.
    return opened ? answerAt : await takeIn(sql, storeId, received, settings);
  }
  // A turn that is being decided or told is not held back: messaging sees whether the answer is outdated.
  const waits = turn.action === null && turn.lease_until === null;
  const { next_attempt_at } = turn as { next_attempt_at: Date };
  if (left && !waits) throw new AppError('lead_busy');
  await extendTurn(sql, storeId, {
    id: turn.id,
    ...times,
    next_received_at: waits || last <= turn.last_received_at ? turn.next_received_at : (turn.next_received_at ?? first),
    // The pause after a failure holds.
    next_attempt_at: !waits ? next_attempt_at : turn.error_code === null ? answerAt : latest(answerAt, next_attempt_at),
  });
  return undefined;
}
