import type { Sql } from '@mostrador/kit/database/database';

/** The age of the oldest delivery that waits at an enabled endpoint, and how many endpoints are disabled. */
export async function findWebhookState(sql: Sql): Promise<{ oldestPendingSeconds: number; disabled: number }> {
  const [row] = await sql<{ age: number; disabled: number }[]>`
    select
      (select count(*)::int from webhook_endpoints where status = 'disabled' and deleted_at is null) as disabled,
      coalesce((
        select extract(epoch from clock_timestamp() - d.occurred_at)::float8
        from webhook_deliveries d
        join webhook_endpoints e on e.store_id = d.store_id and e.id = d.endpoint_id
        where d.status = 'pending' and e.status = 'enabled' and e.deleted_at is null
        order by d.occurred_at limit 1), 0) as age`;
  return { oldestPendingSeconds: row?.age ?? 0, disabled: row?.disabled ?? 0 };
}
