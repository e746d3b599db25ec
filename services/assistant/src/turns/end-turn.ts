import type { HandoverReason, NextStep, SilentReason } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutboxWithCommit } from '@mostrador/kit/outbox/outbox';
import { done, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import { findSettings } from '../settings/settings.repository.ts';
import { changedAppointments } from '../tools/said-by-server.ts';
import { listResults } from '../tools/step.repository.ts';
import { type EndingTurn, saveEnd } from './attempt.repository.ts';
import { quiet } from './next-move.ts';
import { replyAt } from './quiet.ts';
import { insertTurn } from './turn.repository.ts';
import { type TurnRow, turnEvents } from './turn.ts';

/** How a turn ends. */
export type End =
  | { readonly state: 'sent' | 'superseded'; readonly reason?: never }
  | { readonly state: 'silent'; readonly reason: SilentReason }
  | { readonly state: 'handed_over'; readonly reason: HandoverReason };

/**
 * Ends a locked open turn, or that of an attempt unless it has lost its lease. What the lead wrote meanwhile opens the next
 * one in the same transaction, so that nothing is lost between two turns. The workflow goes on with that one.
 */
export async function endTurn(sql: TransactionSql, turn: EndingTurn, end: End): Promise<NextStep> {
  const { storeId, id } = turn;
  const ended = await saveEnd(sql, turn, { state: end.state, reason: end.reason ?? null });
  if (!ended) return lookAgain();
  const changed = ended.state === 'silent' ? changedAppointments(await listResults(sql, storeId, id)) : [];
  appendOutboxWithCommit(sql, storeId, turnEvents(ended, changed));
  const left = leftOver(ended);
  if (!left) return done(end.reason ? `${end.state} (${end.reason})` : end.state);
  // What superseded the turn has just come, and its event may still be on its way.
  const last_received_at = end.state === 'superseded' ? ended.now : left.last_received_at;
  const next_attempt_at = replyAt({ ...left, last_received_at }, await findSettings(sql, storeId));
  const continues = end.state === 'superseded' ? { continues: id } : {};
  const next = { lead_id: ended.lead_id, ...left, next_attempt_at, ...continues };
  await insertTurn(sql, storeId, { ...next, isCarried: true });
  return waitUntil(next_attempt_at, quiet);
}

/**
 * What an ended turn leaves to the next one. Pure. A superseded turn leaves everything with its first moment, so that a
 * lead who writes without a pause gets an answer in time.
 */
export function leftOver(turn: Times): Pick<TurnRow, 'first_received_at' | 'last_received_at'> | undefined {
  const { state, first_received_at, last_received_at, next_received_at, answered_to } = turn;
  if (state === 'superseded') return { first_received_at, last_received_at };
  if (!answered_to || last_received_at <= answered_to) return undefined;
  const known = next_received_at && next_received_at > answered_to;
  return { first_received_at: known ? next_received_at : new Date(answered_to.getTime() + 1), last_received_at };
}

type Times = Pick<TurnRow, 'state' | 'first_received_at' | 'last_received_at' | 'next_received_at' | 'answered_to'>;
