import { replyWorkflow } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Changed, WaitingSource } from '@mostrador/kit/step/waiting';
import { toWaitingItem, type WaitingCause } from '@mostrador/kit/step/waiting-item';
import { endTurn } from './end-turn.ts';
import { wakeReply } from './turn.ts';
import {
  findTurnStores,
  findWaitingTurns,
  lockWaitingTurn,
  saveTurnRetry,
  type WaitingTurnRow,
} from './waiting.repository.ts';

/** Leads who wait for an answer of the AI. Only an operator sees them: most wait for seconds. */
export const waitingTurns: WaitingSource = {
  async find(sql, storeId, rows) {
    const found = await findWaitingTurns(sql, storeId, rows);
    return found.map((row) =>
      toWaitingItem({ ...row, kind: 'ai_turn', workflow_id: replyWorkflow.workflowId(row.lead_id) }, causeOf(row)),
    );
  },

  findStores: findTurnStores,

  async retry(sql, storeId, { id }) {
    const found = await lockWaiting(sql, storeId, id);
    if (typeof found === 'string') return found;
    await saveTurnRetry(sql, storeId, id);
    await appendOutbox(sql, storeId, [wakeReply(found.lead_id, 'overdue')]);
    return 'done';
  },

  /** The AI does not answer what the lead wrote up to now, and the event `assistant.silent` says so. */
  async giveUp(sql, storeId, { id }) {
    const found = await lockWaiting(sql, storeId, id);
    if (typeof found === 'string') return found;
    await endTurn(sql, { storeId, id }, { state: 'silent', reason: 'too_late' });
    await appendOutbox(sql, storeId, [wakeReply(found.lead_id, 'overdue')]);
    return 'done';
  },
};

async function lockWaiting(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<Exclude<Changed, 'done'> | WaitingTurnRow> {
  const turn = await lockWaitingTurn(sql, storeId, id);
  if (!turn) return 'not_waiting';
  return causeOf(turn).reason === 'running' ? 'running' : turn;
}

/** Why a turn waits. Pure. */
function causeOf({ now, lease_until, next_attempt_at: until, error_code: code }: WaitingTurnRow): WaitingCause {
  if (lease_until && lease_until > now) return { reason: 'running', until: lease_until };
  if (until <= now) return { reason: 'due', until, code };
  if (code !== null) return { reason: 'failed_attempt', until, code };
  return { reason: 'postponed', until, detail: 'The AI waits for more that the lead may write.' };
}
