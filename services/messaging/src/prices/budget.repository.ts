import { toMicros } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** SQL expression: the first day of the month, in UTC. */
const monthOf = (sql: Sql, at: Date | ReturnType<typeof sql>) =>
  sql`date_trunc('month', ${at}::timestamptz at time zone 'UTC')::date`;

/** SQL expression: the greatest share that is used up, of those that an event tells: 0, 80 or 100. */
const percentOf = (sql: Sql, spent: ReturnType<Sql>, budget: ReturnType<Sql>) => sql`
  case when ${spent} >= ${budget} then 100 when ${spent} * 5 >= ${budget} * 4 then 80 else 0 end`;

type Taking = {
  readonly at: Date;
  /** What the message probably costs. */
  readonly micros: number;
  readonly budgetMicros: number;
  /** The message is accepted without regard to the budget. */
  readonly mayExceed: boolean;
};

/** Takes from the budget of the month, unless too little is left. The row stays locked until the transaction ends. */
export async function takeFromBudget(
  sql: TransactionSql,
  storeId: string,
  { at, micros, budgetMicros, mayExceed }: Taking,
): Promise<Omit<Told, 'budget'> | undefined> {
  const price: ReturnType<Sql> = sql`${micros}::bigint`;
  const budget: ReturnType<Sql> = sql`${budgetMicros}::bigint`;
  // The budget is used up when another message of this price does not fit.
  const percent = (spent: ReturnType<Sql>) => sql`
    case when ${spent} + ${price} > ${budget} then 100 else ${percentOf(sql, spent, budget)} end`;
  const [taken] = await sql<Omit<Told, 'budget'>[]>`
    insert into message_budgets as b (store_id, month, spent_micros, told_percent)
    select ${storeId}, ${monthOf(sql, at)}, ${price}, ${percent(price)}
    where ${mayExceed} or ${price} <= ${budget}
    on conflict (store_id, month) do update
    set spent_micros = b.spent_micros + ${price},
      told_percent = greatest(b.told_percent, ${percent(sql`(b.spent_micros + ${price})`)})
    where ${mayExceed} or b.spent_micros + ${price} <= ${budget}
    returning new.spent_micros, new.told_percent, coalesce(old.told_percent, 0) as told_before`;
  return taken;
}

/** What was told of a month before and after a change, and what its messages take of the budget. */
export type Told = {
  readonly budget: number;
  readonly spent_micros: number;
  readonly told_percent: number;
  readonly told_before: number;
};

/**
 * Corrects what was taken for a message that was accepted at this time. What was told counts as not told only when
 * spending has fallen ten points below it, so that prices which move around it tell it once.
 */
export async function addToBudget(
  sql: TransactionSql,
  storeId: string,
  acceptedAt: Date,
  micros: number,
): Promise<Told | undefined> {
  const spent: ReturnType<Sql> = sql`(b.spent_micros + ${micros}::bigint)`;
  const budget: ReturnType<Sql> = sql`(s.monthly_budget * 1000000)`;
  const [row] = await sql<(Omit<Told, 'budget'> & { budget: number | null })[]>`
    update message_budgets b
    set spent_micros = ${spent},
      told_percent = greatest(${percentOf(sql, spent, budget)}, case
        when b.told_percent = 100 and ${spent} * 10 >= ${budget} * 9 then 100
        when b.told_percent >= 80 and ${spent} * 10 >= ${budget} * 7 then 80 else 0 end)
    from store_settings s
    where b.store_id = ${storeId} and b.month = ${monthOf(sql, acceptedAt)} and s.store_id = ${storeId}
    returning s.monthly_budget::float8 as budget, new.spent_micros, new.told_percent, old.told_percent as told_before`;
  return row && row.budget !== null ? { ...row, budget: row.budget } : undefined;
}

/**
 * Counts the current month from its messages, for a budget that was set or changed. A message without `budget_micros`
 * counts with the price that it has now.
 */
export async function recountBudget(
  sql: TransactionSql,
  storeId: string,
  budget: number,
): Promise<Omit<Told, 'budget'> & { readonly at: Date }> {
  const month = monthOf(sql, sql`now()`);
  await sql`
    insert into message_budgets (store_id, month) values (${storeId}, ${month})
    on conflict (store_id, month) do update set told_percent = message_budgets.told_percent`;
  // A statement of its own, so that it sees what was committed before the row was locked. The statuses and the time of the
  // last change are those of an index.
  const [row] = await sql<[Omit<Told, 'budget'> & { at: Date }]>`
    with spent as (
      select coalesce(sum(coalesce((pricing->>'amount')::numeric * 1000000, budget_micros, 0)), 0)::bigint as micros
      from messages
      where store_id = ${storeId} and status in ('queued', 'sending', 'unknown', 'sent', 'delivered', 'read')
        and updated_at >= ${month}::timestamp at time zone 'UTC'
        and direction = 'outbound' and created_at >= ${month}::timestamp at time zone 'UTC')
    update message_budgets b
    set spent_micros = spent.micros, told_percent = ${percentOf(sql, sql`spent.micros`, sql`${toMicros(budget)}::bigint`)}
    from spent where b.store_id = ${storeId} and b.month = ${month}
    returning new.spent_micros, new.told_percent, old.told_percent as told_before, now() as at`;
  return row;
}

/** The number of stores whose budget of the current month was told to be used up. */
export async function countBudgetsUsedUp(systemSql: Sql): Promise<number> {
  const [row] = await systemSql<[{ stores: number }]>`
    select count(*)::int as stores from message_budgets b join store_settings s on s.store_id = b.store_id
    where b.month = ${monthOf(systemSql, systemSql`now()`)} and b.told_percent = 100 and s.monthly_budget is not null`;
  return row.stores;
}

/** What the month's messages take of the store's budget. Undefined: it has none. */
export async function findBudget(
  sql: Sql,
  storeId: string,
): Promise<{ budget: number; spent_micros: number; now: Date } | undefined> {
  const [row] = await sql<{ budget: number; spent_micros: number; now: Date }[]>`
    select s.monthly_budget::float8 as budget, coalesce(b.spent_micros, 0) as spent_micros, now() as now
    from store_settings s
    left join message_budgets b on b.store_id = s.store_id and b.month = ${monthOf(sql, sql`now()`)}
    where s.store_id = ${storeId} and s.monthly_budget is not null`;
  return row;
}
