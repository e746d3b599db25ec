import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** SQL expression: the first day of the month, in UTC. */
const monthOf = (sql: Sql, at: Date | ReturnType<typeof sql>) =>
  sql`date_trunc('month', ${at}::timestamptz at time zone 'UTC')::date`;

type Taking = {
  readonly at: Date;
  /** What the message probably costs. */
  readonly micros: number;
  readonly budgetMicros: number;
  /** The message is accepted without regard to the budget. */
  readonly mayExceed: boolean;
};

type Taken = { readonly spent_micros: number; readonly told_percent: number; readonly told_before: number };

/** Takes from the budget of the month, unless too little is left. The row stays locked until the transaction ends. */
export async function takeFromBudget(
  sql: TransactionSql,
  storeId: string,
  { at, micros, budgetMicros, mayExceed }: Taking,
): Promise<Taken | undefined> {
  const price: ReturnType<Sql> = sql`${micros}::bigint`;
  const budget: ReturnType<Sql> = sql`${budgetMicros}::bigint`;
  // The budget is used up when another message of this price does not fit.
  const percent = (spent: ReturnType<Sql>) => sql`
    case when ${spent} >= ${budget} or ${spent} + ${price} > ${budget} then 100
      when ${spent} * 5 >= ${budget} * 4 then 80 else 0 end`;
  const [taken] = await sql<Taken[]>`
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

/** Corrects what was taken for a message that was accepted at this time. */
export async function addToBudget(
  sql: TransactionSql,
  storeId: string,
  acceptedAt: Date,
  micros: number,
): Promise<void> {
  await sql`
    update message_budgets set spent_micros = spent_micros + ${micros}::bigint
    where store_id = ${storeId} and month = ${monthOf(sql, acceptedAt)}`;
}

/**
 * Counts the month from its messages, for a budget that was set or changed. A message without `budget_micros` counts with
 * the price that it has now.
 */
export async function recountBudget(sql: TransactionSql, storeId: string): Promise<void> {
  const month = monthOf(sql, sql`now()`);
  await sql`
    insert into message_budgets (store_id, month) values (${storeId}, ${month})
    on conflict (store_id, month) do update set told_percent = 0`;
  // A statement of its own, so that it sees what was committed before the row was locked.
  await sql`
    update message_budgets set spent_micros = (
      select coalesce(sum(case when status in ('failed', 'cancelled') then 0
        else coalesce((pricing->>'amount')::numeric * 1000000, budget_micros, 0) end), 0)::bigint
      from messages
      where store_id = ${storeId} and direction = 'outbound' and created_at >= ${month}::timestamp at time zone 'UTC')
    where store_id = ${storeId} and month = ${month}`;
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
