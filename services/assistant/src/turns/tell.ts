import { acceptMessage, type SilentReason } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { changedAppointment } from '../tools/said-by-server.ts';
import { listResults } from '../tools/step.repository.ts';
import type { End } from './end-turn.ts';
import { tooLateMs } from './next-move.ts';
import { longestWaitAt } from './quiet.ts';
import type { StepCall } from './step-call.ts';
import type { TurnRow } from './turn.ts';

/** Why messaging does not take an answer, and never will. */
const refusals: Partial<Record<string, SilentReason>> = {
  ai_paused: 'ai_paused',
  lead_opted_out: 'lead_opted_out',
  lead_not_found: 'lead_not_found',
  channel_not_connected: 'channel_not_connected',
  messaging_window_closed: 'messaging_window_closed',
  message_budget_reached: 'message_budget_reached',
  message_expired: 'too_late',
};

/**
 * Gives messaging what was decided, under the id of the turn, so that a repeat has no effect. Returns how the turn ends, or
 * `hand_over` when the budget for messages refuses a reply that confirms what was done. The lead must learn that, and the
 * budget refuses no hand-over.
 */
export async function tell({ database, rpc }: Dependencies, call: StepCall, turn: TurnRow): Promise<End | 'hand_over'> {
  const { id, lead_id, action, action_reason, reply, answered_to, agent_id, agent_name } = turn;
  if (action === 'silent' || reply === null || !answered_to) {
    return { state: 'silent', reason: (action_reason ?? 'nothing_to_answer') as SilentReason };
  }
  // A lead who writes without a pause gets an answer, or a person's help, and what came meanwhile is answered next.
  const isFinal = await hasWaitedLongest(database, call, turn);
  try {
    const { status, error } = await rpc.call(
      acceptMessage,
      {
        body: {
          ...{ id, lead_id, source: 'ai', message: reply, hands_over: action === 'hand_over' },
          ...(agent_id !== null && agent_name !== null && { agent: { id: agent_id, name: agent_name } }),
          expires_at: toTimestamp(new Date(answered_to.getTime() + tooLateMs)),
          ...(isFinal ? {} : { unless_reply_after: toTimestamp(answered_to) }),
        },
      },
      call,
    );
    const refused = status === 'cancelled' && error ? refusals[error.code] : undefined;
    if (refused) return { state: 'silent', reason: refused };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'lead_replied') return { state: 'superseded' };
    const reason = refusals[error.code];
    if (!reason) throw error;
    if (reason === 'message_budget_reached' && action === 'reply') {
      const results = await database.read(call, (sql) => listResults(sql, call.storeId, id));
      if (results.some(changedAppointment)) return 'hand_over';
    }
    return { state: 'silent', reason };
  }
  if (action === 'reply') return { state: 'sent' };
  return { state: 'handed_over', reason: action_reason as Extract<End, { state: 'handed_over' }>['reason'] };
}

async function hasWaitedLongest(database: Dependencies['database'], call: StepCall, turn: TurnRow): Promise<boolean> {
  const settings = await database.read(call, (sql) => findSettings(sql, call.storeId));
  return longestWaitAt(turn, settings).getTime() <= Date.now();
}
