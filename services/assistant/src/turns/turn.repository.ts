import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { overdueIn } from '@mostrador/kit/step/overdue.repository';
import type { TurnRow } from './turn.ts';

export const turnColumns = (sql: Sql) => sql`
  id, lead_id, state, reason, first_received_at, last_received_at, next_received_at, answered_to, action, action_reason, reply, agent_id,
  agent_name, agent_reason, considered, passages, model, latency_ms, input_tokens, output_tokens, cost_micros, next_attempt_at, attempts, error_code,
  model_failures, lease_until, continues, confirmation_id, asked_lead_id, decision, decided_at, decided_by`;

/** Locks the open turn of a lead. `now`: the database clock after that. */
export async function lockOpenTurn(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<{ turn: TurnRow | undefined; now: Date }> {
  const [[turn], now] = await Promise.all([
    sql<TurnRow[]>`
      select ${turnColumns(sql)} from ai_turns
      where store_id = ${storeId} and lead_id = ${leadId} and state = 'open' for no key update`,
    readClock(sql),
  ]);
  return { turn, now };
}

export type NewTurn = Pick<TurnRow, 'lead_id' | 'first_received_at' | 'last_received_at'> & {
  readonly next_attempt_at: Date;
  readonly continues?: string;
  /** The workflow of the lead runs, and goes on with this turn. */
  readonly isCarried?: true;
};

/** Opens a turn. Undefined: the lead has an open one. */
export async function insertTurn(
  sql: TransactionSql,
  storeId: string,
  { lead_id, first_received_at, last_received_at, next_attempt_at, continues, isCarried }: NewTurn,
): Promise<TurnRow | undefined> {
  const [turn] = await sql<TurnRow[]>`
    insert into ai_turns (store_id, lead_id, first_received_at, last_received_at, next_attempt_at, continues, started_at)
    values (${storeId}, ${lead_id}, ${first_received_at}, ${last_received_at}, ${next_attempt_at}, ${continues ?? null},
            ${isCarried ? sql`clock_timestamp()` : null})
    on conflict (store_id, lead_id) where state = 'open' do nothing
    returning ${turnColumns(sql)}`;
  return turn;
}

/** Whether a turn of the lead has ended that settles what was received at this moment. */
export async function isSettled(sql: Sql, storeId: string, leadId: string, receivedAt: Date): Promise<boolean> {
  const found = await sql`
    select from ai_turns
    where store_id = ${storeId} and lead_id = ${leadId} and answered_to >= ${receivedAt}
      and state not in ('open', 'superseded') limit 1`;
  return found.length > 0;
}

/** Adds a message to a locked open turn. */
export async function extendTurn(
  sql: TransactionSql,
  storeId: string,
  turn: Pick<NewTurn, 'first_received_at' | 'last_received_at' | 'next_attempt_at'> &
    Pick<TurnRow, 'id' | 'next_received_at'>,
): Promise<void> {
  const { id, first_received_at, last_received_at, next_received_at, next_attempt_at } = turn;
  await sql`
    update ai_turns
    set first_received_at = ${first_received_at}, last_received_at = ${last_received_at},
        next_received_at = ${next_received_at}, next_attempt_at = ${next_attempt_at}, updated_at = clock_timestamp()
    where store_id = ${storeId} and id = ${id}`;
}

/** How many turns of the lead have answered within the last hour, up to `most`. */
export async function countAnswersOfHour(sql: Sql, storeId: string, leadId: string, most: number): Promise<number> {
  const found = await sql`
    select from ai_turns
    where store_id = ${storeId} and lead_id = ${leadId} and answered_to > clock_timestamp() - interval '1 hour'
      and state = 'sent' limit ${most}`;
  return found.length;
}

/** The turn that wrote a message. */
export const findTurn = (sql: Sql, storeId: string, id: string) =>
  sql<TurnRow[]>`select ${turnColumns(sql)} from ai_turns where store_id = ${storeId} and id = ${id}`;

/** Locks a turn that has asked a person to confirm what the model wants to do. Undefined: it has not. */
export async function lockAsking(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<Pick<TurnRow, 'confirmation_id' | 'decision' | 'decided_at' | 'decided_by'> | undefined> {
  const [row] = await sql<Pick<TurnRow, 'confirmation_id' | 'decision' | 'decided_at' | 'decided_by'>[]>`
    select confirmation_id, decision, decided_at, decided_by from ai_turns
    where store_id = ${storeId} and id = ${id} and state = 'handed_over' and reason = 'needs_confirmation'
    for no key update`;
  return row;
}

/** From here on what the turn asked for may be done. Returns the id of the message that tells the lead. */
export async function markConfirmed(
  sql: TransactionSql,
  storeId: string,
  id: string,
  by: TurnRow['decided_by'],
): Promise<string> {
  const [row] = await sql<[{ confirmation_id: string }]>`
    update ai_turns set confirmation_id = coalesce(confirmation_id, uuidv7()), ${decided(sql, 'confirm', by)}
    where store_id = ${storeId} and id = ${id} returning confirmation_id`;
  return row.confirmation_id;
}

export const markDeclined = (sql: TransactionSql, storeId: string, id: string, by: TurnRow['decided_by']) =>
  sql`update ai_turns set ${decided(sql, 'decline', by)} where store_id = ${storeId} and id = ${id}`;

/** A repeat keeps who decided first. */
const decided = (sql: TransactionSql, decision: TurnRow['decision'], by: TurnRow['decided_by']) => sql`
  decision = ${decision}, decided_at = coalesce(decided_at, clock_timestamp()),
  decided_by = case when decided_at is null then ${by && sql.json(by)} else decided_by end`;

/** The turns that have asked a person about a lead, the newest first. */
export const listAsking = (sql: Sql, storeId: string, leadId: string, limit: number) =>
  sql<TurnRow[]>`
    select ${turnColumns(sql)} from ai_turns
    where store_id = ${storeId} and asked_lead_id = ${leadId} order by id desc limit ${limit}`;

/** A merged lead's questions to a person are about the lead that stays. */
export const moveQuestions = (sql: TransactionSql, storeId: string, leadId: string, mergedInto: string) =>
  sql`update ai_turns set asked_lead_id = ${mergedInto} where store_id = ${storeId} and asked_lead_id = ${leadId}`;

export type DecidedTurn = TurnRow & { readonly answered_to: Date };

/** Of the turns of a lead, those that a model has decided. */
const isDecided = (sql: Sql, storeId: string, leadId: string) => sql`
  store_id = ${storeId} and lead_id = ${leadId} and state in ('sent', 'silent', 'handed_over')
  and answered_to is not null and model is not null`;

/** The turns of a lead that a model has decided, in order: those after a turn, or from the oldest. */
export const listDecided = (
  sql: Sql,
  storeId: string,
  leadId: string,
  { after, limit }: { readonly after: TurnRow | undefined; readonly limit: number },
) =>
  sql<DecidedTurn[]>`
    select ${turnColumns(sql)} from ai_turns
    where ${isDecided(sql, storeId, leadId)}
      and (${after?.id ?? null}::uuid is null
        or (answered_to, id) > (${after?.answered_to ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by answered_to, id limit ${limit}`;

/** The last ones before a turn, the newest first. */
export const listDecidedBefore = (
  sql: Sql,
  storeId: string,
  leadId: string,
  { before, limit }: { readonly before: DecidedTurn; readonly limit: number },
) =>
  sql<DecidedTurn[]>`
    select ${turnColumns(sql)} from ai_turns
    where ${isDecided(sql, storeId, leadId)} and (answered_to, id) < (${before.answered_to}, ${before.id})
    order by answered_to desc, id desc limit ${limit}`;

/** How many superseded turns stand before a turn. */
export async function countSuperseded(sql: Sql, storeId: string, turnId: string): Promise<number> {
  const [row] = await sql<[{ superseded: number }]>`
    with recursive chain as (
      select continues from ai_turns where store_id = ${storeId} and id = ${turnId}
      union all
      select turn.continues from chain join ai_turns turn on turn.store_id = ${storeId} and turn.id = chain.continues
    )
    select count(continues)::int as superseded from chain`;
  return row.superseded;
}

/** Marks the turns that are due and were not started, the oldest first. Two processes get different ones. */
export const markStarted = (sql: TransactionSql, limit: number) =>
  sql<OverdueTurn[]>`
    update ai_turns started set started_at = clock_timestamp()
    from (
      select store_id, id from ai_turns
      where state = 'open' and started_at is null and next_attempt_at <= now()
      order by next_attempt_at
      limit ${limit}
      for no key update skip locked
    ) due
    where started.store_id = due.store_id and started.id = due.id
    returning started.store_id, started.lead_id`;

/** In how many milliseconds the next turn is due that was not started. Infinity: there is none. */
export async function findNextDueMs(sql: Sql): Promise<number> {
  const [row] = await sql<{ ms: number }[]>`
    select (extract(epoch from next_attempt_at - clock_timestamp()) * 1000)::float8 as ms
    from ai_turns where state = 'open' and started_at is null order by next_attempt_at limit 1`;
  return row?.ms ?? Number.POSITIVE_INFINITY;
}

export type OverdueTurn = Pick<TurnRow, 'lead_id'> & { readonly store_id: string };

export const overdueTurnRows = overdueIn<OverdueTurn>({
  table: 'ai_turns',
  key: 'id',
  due: 'next_attempt_at',
  where: (sql) => sql`state = 'open'`,
  columns: (sql) => sql`woken.lead_id`,
});
