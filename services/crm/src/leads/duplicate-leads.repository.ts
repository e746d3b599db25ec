import type { Sql } from '@mostrador/kit/database/database';
import type { LeadRow } from './lead.ts';

/** A lead that is known by phone. */
type WithPhone = { readonly customer_phone: string };

/** The phones of the leads after the one with `afterId`, in the order of ids. */
export async function listPhonesAfter(
  sql: Sql,
  storeId: string,
  afterId: string | null,
  limit: number,
): Promise<(Pick<LeadRow, 'id'> & WithPhone)[]> {
  return await sql<(Pick<LeadRow, 'id'> & WithPhone)[]>`
    select id, customer_phone from leads
    where store_id = ${storeId} and customer_phone is not null ${afterId === null ? sql`` : sql`and id > ${afterId}`}
    order by id limit ${limit}`;
}

/** The leads with exactly these phones, in the order of ids. */
export async function listLeadsWithPhones(
  sql: Sql,
  storeId: string,
  phones: readonly string[],
): Promise<(LeadRow & WithPhone)[]> {
  return await sql<(LeadRow & WithPhone)[]>`
    select * from leads where store_id = ${storeId} and customer_phone = any(${[...phones]}::text[]) order by id`;
}
