import { randomUUID } from 'node:crypto';
import type { HandoverReason } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { Attempt, RowKey } from '@mostrador/kit/step/retry-engine';
import type { ProviderFailures } from '../models/choose-model.ts';
import { tooLateMs } from './next-move.ts';
import { turnColumns } from './turn.repository.ts';
import type { TurnRow } from './turn.ts';

const leased = (sql: TransactionSql, leaseMs: number) => sql`
  lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
  next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond', updated_at = clock_timestamp()`;

/** Begins an attempt for a locked open turn, with the commit. Others wait while the lease is valid. */
export function claim(
  sql: TransactionSql,
  storeId: string,
  { id, attempts }: Pick<TurnRow, 'id' | 'attempts'>,
  leaseMs: number,
): Attempt {
  const attempt = { storeId, id, leaseToken: randomUUID(), number: attempts + 1 };
  sql.withCommit(sql`
    update ai_turns set attempts = ${attempt.number}, lease_token = ${attempt.leaseToken}, ${leased(sql, leaseMs)}
    where store_id = ${storeId} and id = ${id}`);
  return attempt;
}

const ofAttempt = (sql: TransactionSql, { storeId, id, leaseToken }: Attempt) =>
  sql`where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}`;
const over = (sql: TransactionSql) => sql`lease_token = null, lease_until = null, updated_at = clock_timestamp()`;

// Each of these functions returns a falsy value and writes nothing when the attempt has lost its lease.

/** What was decided, and from what. Action null: the model asked for tools. */
export type Decided = Pick<
  TurnRow,
  | 'answered_to'
  | 'action'
  | 'action_reason'
  | 'reply'
  | 'agent_id'
  | 'agent_name'
  | 'agent_reason'
  | 'considered'
  | 'passages'
  | 'model'
  | 'latency_ms'
>;

/**
 * Records the decision. `leaseMs`: the attempt keeps the turn for as long, and begins to tell it. Without that the next step
 * is due at once.
 */
export async function recordDecided(
  sql: TransactionSql,
  attempt: Attempt,
  decided: Decided,
  leaseMs?: number,
): Promise<TurnRow | undefined> {
  const { considered, passages, ...columns } = decided;
  const then =
    leaseMs === undefined
      ? sql`attempts = 0, next_attempt_at = ${dueNow(sql)}, ${over(sql)}`
      : sql`attempts = 1, ${leased(sql, leaseMs)}`;
  const [saved] = await sql<TurnRow[]>`
    update ai_turns
    set ${sql(columns)}, considered = ${sql.json(considered)}, passages = ${sql.json(passages)},
        error_code = null, model_failures = '{}', ${then}
    ${ofAttempt(sql, attempt)} returning ${turnColumns(sql)}`;
  return saved;
}

/** Makes a reply that was decided a hand-over. The next step is due at once. */
export async function recordHandOver(sql: TransactionSql, attempt: Attempt, reason: HandoverReason): Promise<boolean> {
  const saved = await sql`
    update ai_turns
    set action = 'hand_over', action_reason = ${reason}, next_attempt_at = ${dueNow(sql)}, attempts = 0,
        error_code = null, ${over(sql)}
    ${ofAttempt(sql, attempt)} returning 1`;
  return saved.length > 0;
}

/** Whether the attempt still has the turn, which is locked then. */
export async function lockOwn(sql: TransactionSql, attempt: Attempt): Promise<boolean> {
  const found = await sql`select from ai_turns ${ofAttempt(sql, attempt)} for no key update`;
  return found.length > 0;
}

/** Records that a tool call has ended. The next step is due at once. */
export async function recordUsed(sql: TransactionSql, attempt: Attempt): Promise<boolean> {
  const saved = await sql`
    update ai_turns set next_attempt_at = ${dueNow(sql)}, attempts = 0, error_code = null, ${over(sql)}
    ${ofAttempt(sql, attempt)} returning 1`;
  return saved.length > 0;
}

/** Records that the attempt failed. The next one is due after `delayMs`. `failures`: those of models, if they changed. */
export async function recordFailed(
  sql: TransactionSql,
  attempt: Attempt,
  code: string,
  { delayMs, failures }: { readonly delayMs: number; readonly failures?: ProviderFailures },
): Promise<Date | undefined> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update ai_turns
    set error_code = ${code}, model_failures = coalesce(${failures ? sql.json(failures) : null}, model_failures),
        next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond', ${over(sql)}
    ${ofAttempt(sql, attempt)}
    returning next_attempt_at`;
  return row?.next_attempt_at;
}

/** Ends an open turn: a locked one, or that of an attempt. Its text is with messaging, or nowhere. */
export async function saveEnd(
  sql: TransactionSql,
  { storeId, id, leaseToken }: EndingTurn,
  { state, reason }: Pick<TurnRow, 'state' | 'reason'>,
): Promise<(TurnRow & { readonly now: Date }) | undefined> {
  const asks = state === 'handed_over' && reason === 'needs_confirmation';
  const [row] = await sql<(TurnRow & { now: Date })[]>`
    update ai_turns
    set state = ${state}, reason = ${reason}, asked_lead_id = ${asks ? sql`lead_id` : null}, reply = null, next_attempt_at = null, error_code = null,
        answered_to = coalesce(answered_to, last_received_at), ${over(sql)}
    where store_id = ${storeId} and id = ${id} and state = 'open'
      and lease_token is not distinct from coalesce(${leaseToken ?? null}, lease_token)
    returning ${turnColumns(sql)}, clock_timestamp() as now`;
  return row;
}

/** A locked turn, or that of an attempt. */
export type EndingTurn = RowKey & { readonly leaseToken?: string };

/**
 * Supersedes the turns of a merged lead that nothing has answered: the open one, and those of the last quarter of an hour
 * that ended because crm had no such lead any more. The oldest first.
 */
export const supersedeUnanswered = (sql: TransactionSql, storeId: string, leadId: string) =>
  sql<Pick<TurnRow, 'id' | 'first_received_at' | 'last_received_at'>[]>`
    with superseded as (
      update ai_turns
      set state = 'superseded', reason = null, reply = null, next_attempt_at = null, error_code = null,
          answered_to = coalesce(answered_to, last_received_at), ${over(sql)}
      where store_id = ${storeId} and lead_id = ${leadId}
        and (state = 'open' or (state = 'silent' and reason = 'lead_not_found'
             and last_received_at > clock_timestamp() - ${tooLateMs} * interval '1 millisecond'))
      returning id, first_received_at, last_received_at)
    select * from superseded order by id`;
