import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** Whether the events of the store's calendar show the customer. */
export async function findShowsCustomer(sql: Sql, storeId: string): Promise<boolean> {
  const [row] = await sql<{ calendar_customer: boolean }[]>`
    select calendar_customer from store_settings where store_id = ${storeId}`;
  return row?.calendar_customer ?? false;
}

export async function saveShowsCustomer(sql: TransactionSql, storeId: string, shows: boolean): Promise<void> {
  await sql`
    insert into store_settings (store_id, calendar_customer) values (${storeId}, ${shows})
    on conflict (store_id) do update set calendar_customer = excluded.calendar_customer`;
}
