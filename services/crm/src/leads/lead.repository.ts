import { isDeepStrictEqual } from 'node:util';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { canonicalPhone, phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { emailKey, type LeadContent, type LeadRow, type NewLead, type NewLeadWithPhone } from './lead.ts';

/** The name that the channel gives a lead. `at`: when the store's telephone gave it; null: it is that of a profile. */
type ChannelName = { readonly name: string; readonly at: Date | null };
/** `named`: left out when a person or another system gave the name. */
export type NamedLead = NewLead & { readonly named?: ChannelName };

/**
 * Inserts a lead. Null if the store already has a lead with this external id, this id of the channel, or this phone in any
 * of its forms.
 * `phone_key` is unique among the leads that have one, so two transactions cannot insert two forms at once. Older leads
 * have none: the statement looks for their forms.
 */
export async function insertLead(sql: TransactionSql, storeId: string, lead: NamedLead): Promise<LeadRow | null> {
  const { name, customer_phone, channel_user_id, username, status, seller_id, external_id, email, tags, metadata } =
    lead;
  const { previous_lead_id, named } = lead;
  const forms = customer_phone === null ? [] : phoneForms(customer_phone);
  // `clock_timestamp()` instead of `now()`: docs/adr/0010.
  const [row] = await sql<LeadRow[]>`
    with moment as (select clock_timestamp() as at),
    lead as (
      insert into leads (store_id, name, customer_phone, phone_key, channel_user_id, username, previous_lead_id, status, seller_id,
        external_id, email, email_key, tags, metadata, channel_name, channel_named_at, created_at,
        updated_at)
      select ${storeId}, ${name}, ${customer_phone}, ${keyOf(customer_phone)}, ${channel_user_id}, ${username},
        ${previous_lead_id}::uuid, ${status}, ${seller_id},
        ${external_id}, ${email}, ${email && emailKey(email)}, ${tags}::text[], ${sql.json(metadata)},
        ${named?.name ?? null}, ${named?.at ?? null}::timestamptz, at, at
      from moment
      where not exists (
        select from leads where store_id = ${storeId} and customer_phone = any(${forms}::text[]))
      on conflict do nothing
      returning *),
    ${tags.length > 0 ? tagsOfNew(sql) : sql``}
    ${historyOfNew(sql)}
    select * from lead`;
  return row ?? null;
}

/** Inserts the leads whose phone and external id the store does not have yet, as `insertLead` does. */
export async function insertLeads(
  sql: TransactionSql,
  storeId: string,
  leads: readonly (NamedLead & NewLeadWithPhone)[],
): Promise<LeadRow[]> {
  if (leads.length === 0) return [];
  const keys = leads.map(({ customer_phone }) => canonicalPhone(customer_phone));
  const forms = keys.flatMap((key) => phoneForms(key).map((phone) => ({ key, phone })));
  return await sql<LeadRow[]>`
    with moment as (select clock_timestamp() as at),
    known as (
      select form.key
      from unnest(${forms.map(({ key }) => key)}::text[], ${forms.map(({ phone }) => phone)}::text[]) as form (key, phone)
      join leads on leads.store_id = ${storeId} and leads.customer_phone = form.phone),
    lead as (
      insert into leads (store_id, name, customer_phone, phone_key, status, seller_id, external_id, email, email_key,
        channel_name, channel_named_at, created_at, updated_at, tags)
      select ${storeId}, name, customer_phone, phone_key, status, seller_id, external_id, email, email_key,
        channel_name, channel_named_at::timestamptz, at, at,
        array(select jsonb_array_elements_text(tags))
      from moment, unnest(
        ${leads.map(({ name }) => name)}::text[],
        ${leads.map(({ customer_phone }) => customer_phone)}::text[],
        ${keys}::text[],
        ${leads.map(({ status }) => status)}::text[],
        ${leads.map(({ seller_id }) => seller_id)}::uuid[],
        ${leads.map(({ external_id }) => external_id)}::text[],
        ${leads.map(({ email }) => email)}::text[],
        ${leads.map(({ email }) => email && emailKey(email))}::text[],
        ${leads.map(({ named }) => named?.name ?? null)}::text[],
        ${leads.map(({ named }) => named?.at?.toISOString() ?? null)}::text[],
        ${leads.map(({ tags }) => JSON.stringify(tags))}::jsonb[])
        as given (name, customer_phone, phone_key, status, seller_id, external_id, email, email_key, channel_name,
          channel_named_at, tags)
      where given.phone_key not in (select key from known)
      on conflict do nothing
      returning *),
    ${tagsOfNew(sql)}
    ${historyOfNew(sql)}
    select * from lead`;
}

/** Writes the tags of the rows in `lead`, the leads just inserted. */
function tagsOfNew(sql: TransactionSql) {
  return sql`
    tagged as (
      insert into lead_tags (store_id, tag, lead_id) select store_id, tag, id from lead, unnest(tags) as tag),`;
}

/** Writes the first status and seller of the rows in `lead`, the leads just inserted. */
function historyOfNew(sql: TransactionSql) {
  return sql`
    status_history as (
      insert into lead_status_changes (store_id, lead_id, version, to_status, seller_id, changed_at)
      select store_id, id, version, status, seller_id, created_at from lead),
    seller_history as (
      insert into lead_seller_changes (store_id, lead_id, version, to_seller, changed_at)
      select store_id, id, version, seller_id, created_at from lead where seller_id is not null)`;
}

export const findLead = (sql: Sql, storeId: string, leadId: string) =>
  sql<LeadRow[]>`select * from leads where store_id = ${storeId} and id = ${leadId}`;

/** Locks the row until the transaction ends. A transaction locks a seller before a lead, never after. */
export async function lockLead(sql: TransactionSql, storeId: string, leadId: string): Promise<LeadRow | null> {
  const [row] = await sql<LeadRow[]>`
    select * from leads where store_id = ${storeId} and id = ${leadId} for no key update`;
  return row ?? null;
}

/** Notes the name that the store's telephone gives a locked lead. */
export async function saveChannelName(
  sql: TransactionSql,
  { store_id, id }: LeadRow,
  name: string,
  at: Date,
): Promise<void> {
  await sql`
    update leads set channel_name = ${name}, channel_named_at = ${at} where store_id = ${store_id} and id = ${id}`;
}

/**
 * Writes a change of a locked lead, raises its version, and writes the history of its status and seller. Throws a unique
 * violation when another lead has the phone or the external id.
 */
export async function saveLead(sql: TransactionSql, current: LeadRow, content: LeadContent): Promise<LeadRow> {
  const { name, customer_phone, channel_user_id, username, status, seller_id, ai_paused_until } = content;
  const { ai_paused_by, external_id, email, tags, metadata } = content;
  // Not `now()`: the transaction may have begun before the change that it waited for (docs/adr/0010).
  const [row] = await sql<[LeadRow]>`
    with lead as (
      update leads
      set ${customer_phone === current.customer_phone ? sql`` : setPhone(sql, customer_phone)}
          name = ${name}, channel_user_id = ${channel_user_id}, username = ${username}, status = ${status}, seller_id = ${seller_id}, ai_paused_until = ${ai_paused_until},
          ai_paused_by = ${ai_paused_by && sql.json(ai_paused_by)},
          external_id = ${external_id}, email = ${email}, email_key = ${email && emailKey(email)},
          tags = ${tags}::text[], metadata = ${sql.json(metadata)},
          version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
      where store_id = ${current.store_id} and id = ${current.id}
      returning *),
    ${isDeepStrictEqual(tags, current.tags) ? sql`` : changeTags(sql, current, tags)}
    status_history as (
      insert into lead_status_changes
        (store_id, lead_id, version, from_status, to_status, seller_id, changed_at, previous_at)
      select store_id, id, version, ${current.status}, status, seller_id, updated_at, (
        select max(changed_at) from lead_status_changes as earlier
        where earlier.store_id = lead.store_id and earlier.lead_id = lead.id and earlier.to_status = lead.status)
      from lead where status <> ${current.status}),
    seller_history as (
      insert into lead_seller_changes (store_id, lead_id, version, from_seller, to_seller, changed_at)
      select store_id, id, version, ${current.seller_id}::uuid, seller_id, updated_at from lead
      where seller_id is distinct from ${current.seller_id})
    select * from lead`;
  return row;
}

/** A lead from before the canonical form keeps none until its phone changes, because a duplicate may have it. */
const setPhone = (sql: TransactionSql, phone: string | null) =>
  sql`customer_phone = ${phone}, phone_key = ${keyOf(phone)},`;

const keyOf = (phone: string | null): string | null => phone && canonicalPhone(phone);

/** Writes the changed tags of the row in `lead`. */
function changeTags(sql: TransactionSql, { store_id, id, tags: before }: LeadRow, tags: string[]) {
  return sql`
    untagged as (
      delete from lead_tags where store_id = ${store_id} and lead_id = ${id} and tag <> all(${tags}::text[])),
    tagged as (
      insert into lead_tags (store_id, tag, lead_id)
      select store_id, tag, id from lead, unnest(tags) as tag where tag <> all(${before}::text[])),`;
}

/** Unassigns all leads of a locked seller, and returns their number. */
export async function unassignLeads(sql: TransactionSql, storeId: string, sellerId: string): Promise<number> {
  const { count } = await sql`
    with lead as (
      update leads
      set seller_id = null, version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
      where store_id = ${storeId} and seller_id = ${sellerId}
      returning *)
    insert into lead_seller_changes (store_id, lead_id, version, from_seller, changed_at)
    select store_id, id, version, ${sellerId}::uuid, updated_at from lead`;
  return count;
}

/**
 * The lead with this phone in any of its forms, except the lead `but`. Of duplicates from before, the one with this very
 * form comes first.
 */
export async function findLeadIdByPhone(
  sql: Sql,
  storeId: string,
  phone: string,
  but?: string,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from leads where store_id = ${storeId} and customer_phone = any(${phoneForms(phone)}::text[])
      ${but ? sql`and id <> ${but}` : sql``}
    order by customer_phone <> ${phone}, id limit 1`;
  return row?.id ?? null;
}

/** The lead that the channel names by this id, without a phone. */
export async function findLeadIdByUserId(sql: Sql, storeId: string, userId: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from leads where store_id = ${storeId} and channel_user_id = ${userId}`;
  return row?.id ?? null;
}

/** The lead of a customer whom the channel names by phone or by an id of its own. */
export const findLeadIdOfCustomer = (
  sql: Sql,
  storeId: string,
  customer: { readonly customer_phone: string } | { readonly channel_user_id: string },
): Promise<string | null> =>
  'customer_phone' in customer
    ? findLeadIdByPhone(sql, storeId, customer.customer_phone)
    : findLeadIdByUserId(sql, storeId, customer.channel_user_id);

export const listLeadIdsWithPhones = (sql: Sql, storeId: string, phones: readonly string[]) =>
  sql<{ id: string; phone: string }[]>`
    select id, customer_phone as phone from leads
    where store_id = ${storeId} and customer_phone = any(${[...phones]}::text[])`;

/** The leads with one of these phones, the oldest first. */
export const listLeadsWithPhones = (sql: Sql, storeId: string, phones: readonly string[]) =>
  sql<LeadRow[]>`
    select * from leads where store_id = ${storeId} and customer_phone = any(${[...phones]}::text[]) order by id`;

export async function findLeadIdByExternalId(sql: Sql, storeId: string, externalId: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from leads where store_id = ${storeId} and external_id = ${externalId}`;
  return row?.id ?? null;
}

/** Finds the id of a lead in the row's spelling. */
export const findLeadId = (sql: Sql, storeId: string, leadId: string) =>
  sql<{ id: string }[]>`select id from leads where store_id = ${storeId} and id = ${leadId}`;
