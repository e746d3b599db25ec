import type { SendingWindows } from '@mostrador/contracts';
import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { FollowupRow, Named } from './followup.ts';

/** The store's sending windows. An empty list allows any time. */
export async function findSendingWindows(sql: Sql, storeId: string): Promise<SendingWindows> {
  const [row] = await sql<{ sending_windows: SendingWindows }[]>`
    select sending_windows from store_settings where store_id = ${storeId}`;
  return row?.sending_windows ?? [];
}

export async function saveSendingWindows(sql: TransactionSql, storeId: string, windows: SendingWindows): Promise<void> {
  await sql`
    insert into store_settings (store_id, sending_windows) values (${storeId}, ${sql.json(windows as never)})
    on conflict (store_id) do update set sending_windows = excluded.sending_windows`;
}

/** The columns that planning reads. */
export type Planned = Named & Pick<FollowupRow, 'due_at' | 'error_code'> & { readonly next_attempt_at: Date };

/** Locks up to `limit` of the store's pending follow-ups after the id. `now` is the database clock after that. */
export async function lockPendingAfter(
  sql: TransactionSql,
  storeId: string,
  afterId: string,
  limit: number,
): Promise<{ rows: Planned[]; now: Date }> {
  const rows = await sql<Planned[]>`
    select id, lead_id, due_at, error_code, next_attempt_at from followups
    where store_id = ${storeId} and status = 'pending' and id > ${afterId}
    order by id limit ${limit}
    for no key update`;
  return { rows, now: await readClock(sql) };
}

/** Writes the next attempts. */
export async function moveAttempts(
  sql: TransactionSql,
  storeId: string,
  moves: readonly { readonly id: string; readonly next_attempt_at: Date }[],
): Promise<void> {
  const rows = moves.map(({ id, next_attempt_at }) => ({ id, at: next_attempt_at.toISOString() }));
  await sql`
    update followups f set next_attempt_at = moved.at, updated_at = greatest(clock_timestamp(), f.updated_at)
    from jsonb_to_recordset(${sql.json(rows)}) as moved (id uuid, at timestamptz)
    where f.store_id = ${storeId} and f.id = moved.id and f.status = 'pending'`;
}
