import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** A row of the table `ai_offers`: a free time that a lead may be offered. */
export type OfferRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly starts_at: Date;
  readonly duration_minutes: number;
  readonly service_id: string | null;
  readonly title: string;
  /** The message that offers it. */
  readonly message_id: string | null;
};

export type NewOffer = Omit<OfferRow, 'lead_id' | 'message_id'>;

const columns = (sql: Sql) => sql`id, lead_id, starts_at, duration_minutes, service_id, title, message_id`;

/** Writes offers. */
export async function insertOffers(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  offers: readonly NewOffer[],
): Promise<void> {
  const rows = offers.map((offer) => ({ ...offer, store_id: storeId, lead_id: leadId }));
  if (rows.length > 0) await sql`insert into ai_offers ${sql(rows)}`;
}

/** The offers of a lead whose time is to come and that a message names, the newest message first. */
export const listTold = (sql: Sql, storeId: string, leadId: string) =>
  sql<(OfferRow & { message_id: string })[]>`
    select ${columns(sql)} from ai_offers
    where store_id = ${storeId} and lead_id = ${leadId} and starts_at > clock_timestamp() and message_id is not null
    order by message_id desc, place`;

export const findOffers = (sql: Sql, storeId: string, leadId: string, ids: readonly string[]) =>
  sql<OfferRow[]>`
    select ${columns(sql)} from ai_offers
    where store_id = ${storeId} and lead_id = ${leadId} and id = any(${[...ids]}::uuid[])`;

/** Notes the message that offers them, in its order. */
export const markTold = (sql: TransactionSql, storeId: string, messageId: string, ids: readonly string[]) =>
  sql`
    update ai_offers offer set message_id = ${messageId}, place = told.place
    from unnest(${[...ids]}::uuid[]) with ordinality as told (id, place)
    where offer.store_id = ${storeId} and offer.id = told.id`;

/** What was offered to the lead is used up: a second yes books nothing. */
export const deleteOffers = (sql: TransactionSql, storeId: string, leadId: string) =>
  sql`delete from ai_offers where store_id = ${storeId} and lead_id = ${leadId}`;

/** Gives the offers of a merged lead to the lead that stays. */
export const moveOffers = (sql: TransactionSql, storeId: string, leadId: string, mergedInto: string) =>
  sql`update ai_offers set lead_id = ${mergedInto} where store_id = ${storeId} and lead_id = ${leadId}`;

/** Deletes some offers of all stores whose time passed a day ago, when no call is repeated that takes one. Returns how many. */
export async function deleteSomePast(systemSql: TransactionSql, batch: number): Promise<number> {
  const { count } = await systemSql`
    delete from ai_offers where (store_id, id) in (
      select store_id, id from ai_offers where starts_at <= clock_timestamp() - interval '1 day' order by starts_at limit ${batch})`;
  return count;
}
