import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

type Attempts = { readonly attempts: number; readonly waitSeconds: number };

/** Counts an attempt before it is made, so that many at the same moment count too. A window begins with its first. */
export async function countAttempt(sql: TransactionSql, account: Uint8Array, windowMinutes: number): Promise<Attempts> {
  const [row] = await sql<[{ attempts: number; wait_seconds: number }]>`
    insert into password_attempts as a (account) values (${account})
    on conflict (account) do update set
      attempts = case when a.since < clock_timestamp() - make_interval(mins => ${windowMinutes}) then 1
        else least(a.attempts + 1, 1000) end,
      since = case when a.since < clock_timestamp() - make_interval(mins => ${windowMinutes}) then clock_timestamp()
        else a.since end
    returning attempts,
      ceil(extract(epoch from since + make_interval(mins => ${windowMinutes}) - clock_timestamp()))::int as wait_seconds`;
  return { attempts: row.attempts, waitSeconds: row.wait_seconds };
}

/** An attempt that was not checked does not count. */
export async function takeBackAttempt(sql: Sql, account: Uint8Array): Promise<void> {
  await sql`update password_attempts set attempts = attempts - 1 where account = ${account} and attempts > 0`;
}

/** A right password forgets the wrong ones. */
export async function forgetAttempts(sql: Sql, account: Uint8Array): Promise<void> {
  await sql`delete from password_attempts where account = ${account}`;
}

/** Deletes windows that are over, some at a time. Returns how many. */
export async function purgeAttempts(sql: TransactionSql, windowMinutes: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from password_attempts where account in (
      select account from password_attempts
      where since < clock_timestamp() - make_interval(mins => ${windowMinutes}) limit ${limit})
    returning 1`;
  return rows.length;
}
