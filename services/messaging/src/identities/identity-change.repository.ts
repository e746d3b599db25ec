import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import type { CustomerIds, IdentityChange } from '../channels/channel-provider.ts';
import { asPhone } from './as-phone.ts';

/** What became of a change. `unknown`: the store knew no such customer. `kept`: the store has given the lead another phone. */
type Outcome = 'moved' | 'kept' | 'unknown';

export type IdentityChangeRow = {
  readonly lead_id: string | null;
  /** Null: it is not finished. */
  readonly outcome: Outcome | null;
  readonly from: CustomerIds;
  readonly to: CustomerIds;
};

type Key = { readonly channelId: string; readonly eventId: string };

/** Stores a change, unless it is known, with the numbers that the channel has told elsewhere. Locks its row. */
export async function lockIdentityChange(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  { eventId, at, from, to }: IdentityChange,
): Promise<IdentityChangeRow> {
  await sql`
    insert into identity_changes (store_id, channel_id, event_id, from_wa_id, from_user_id, to_wa_id, to_user_id, changed_at)
    values (${storeId}, ${channelId}, ${eventId}, ${from.waId}, ${from.userId}, ${to.waId}, ${to.userId}, ${at})
    on conflict do nothing`;
  const [row] = await sql<[IdentityChangeRow]>`
    select lead_id, outcome, json_build_object('waId', from_wa_id, 'userId', from_user_id) as "from",
      json_build_object('waId', to_wa_id, 'userId', to_user_id) as "to"
    from identity_changes
    where store_id = ${storeId} and channel_id = ${channelId} and event_id = ${eventId} for no key update`;
  if (row.outcome !== null) return row;
  const told = await withNumbers(sql, storeId, row);
  if (told.to.waId === row.to.waId && told.from.waId === row.from.waId) return row;
  await sql`
    update identity_changes set from_wa_id = ${told.from.waId}, to_wa_id = ${told.to.waId}
    where store_id = ${storeId} and channel_id = ${channelId} and event_id = ${eventId}`;
  return { ...row, ...told };
}

/** Whether a change is known, and nothing is left to do for it. */
export async function isFinished(
  sql: Sql,
  storeId: string,
  channelId: string,
  { eventId }: Pick<IdentityChange, 'eventId'>,
): Promise<boolean> {
  const rows = await sql`
    select from identity_changes
    where store_id = ${storeId} and channel_id = ${channelId} and event_id = ${eventId} and outcome is not null`;
  return rows.length > 0;
}

/**
 * The ids of a change with the numbers that it leaves out: the new one is that of another lead which has the new user id
 * already, and with a new one there may be one from before.
 */
async function withNumbers(sql: Sql, storeId: string, { from, to }: Pick<IdentityChange, 'from' | 'to'>) {
  const [before, after] = await Promise.all([from.userId, to.userId].map((id) => findByUserId(sql, storeId, id)));
  const waId = to.waId ?? (after?.lead_id === before?.lead_id ? null : (after?.wa_id ?? null));
  const fromWaId = from.waId ?? (waId === null ? null : (before?.wa_id ?? null));
  return { from: { ...from, waId: fromWaId }, to: { ...to, waId } };
}

async function findByUserId(sql: Sql, storeId: string, userId: string | null) {
  const [row] = await sql<{ lead_id: string; wa_id: string | null }[]>`
    select lead_id, c.wa_id from customer_user_ids u join conversations c using (store_id, lead_id)
    where store_id = ${storeId} and u.user_id = ${userId}`;
  return row;
}

/**
 * Stores which lead a change is about. From this commit on no message goes to the earlier ids: a conversation that was
 * known by them is known by the new ones, unless another lead still has the number. Then its messages go to the new number
 * as a phone. The caller has locked the conversation: an earlier change that finishes now sees this one, or this one its ids.
 */
export async function startMove(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { channelId, eventId, from, to }: Key & Pick<IdentityChange, 'from' | 'to'>,
): Promise<void> {
  await sql`
    update identity_changes set lead_id = ${leadId}
    where store_id = ${storeId} and channel_id = ${channelId} and event_id = ${eventId}`;
  if (from.userId !== null && to.userId !== null) {
    await sql`
      update conversations set user_id = ${to.userId}
      where store_id = ${storeId} and lead_id = ${leadId} and user_id = ${from.userId}`;
  }
  if (from.waId === null || to.waId === null) return;
  await sql`
    update conversations c
    set phone = ${to.waId}, wa_id = case when not exists (
      select from conversations other where other.store_id = ${storeId} and other.wa_id = ${to.waId}) then ${to.waId} end
    where c.store_id = ${storeId} and c.lead_id = ${leadId} and c.wa_id = any(${formsOf(from.waId)}::text[])`;
}

const formsOf = (waId: string | null): string[] =>
  waId === null ? [] : [...new Set([waId, ...(asPhone(waId) === null ? [] : phoneForms(waId))])];

/** The lead whose customer had these ids at `at`, in any form of the phone. */
export async function findLeadOfIds(
  sql: Sql,
  storeId: string,
  { waId, userId }: CustomerIds,
  at: Date,
): Promise<string | null> {
  const [row] = await sql<{ lead_id: string | null }[]>`
    select coalesce(
      (select lead_id from customer_user_ids where store_id = ${storeId} and user_id = ${userId}),
      (select lead_id from identity_changes
       where store_id = ${storeId} and is_release and from_wa_id = any(${formsOf(waId)}::text[]) and changed_at > ${at}
       order by changed_at limit 1),
      (select lead_id from conversations where store_id = ${storeId} and wa_id = any(${formsOf(waId)}::text[])
       order by wa_id <> ${waId} limit 1)) as lead_id`;
  return row?.lead_id ?? null;
}

/** Finishes a change. What is left of `merged` is moved once more after `finishAfterMs`. */
export async function saveOutcome(
  sql: TransactionSql,
  storeId: string,
  { channelId, eventId }: Key,
  { outcome, leadId, merged, finishAfterMs }: SavedOutcome,
): Promise<void> {
  await sql`
    update identity_changes
    set outcome = ${outcome}, lead_id = coalesce(${leadId}, lead_id), merged_lead_id = ${merged},
        finish_at = case when ${merged !== null} then clock_timestamp() + ${finishAfterMs} * interval '1 millisecond' end
    where store_id = ${storeId} and channel_id = ${channelId} and event_id = ${eventId}`;
}

type SavedOutcome = {
  readonly outcome: Outcome;
  readonly leadId: string | null;
  readonly merged: string | null;
  readonly finishAfterMs: number;
};

type Successor = CustomerIds & { readonly at: Date; readonly isRelease: boolean };

/**
 * Who a customer became after `at` and before any later change. Undefined: the ids are still theirs. A number is taken only
 * from the customer who had it, not from the one who has it since.
 */
export async function findSuccessor(
  sql: Sql,
  storeId: string,
  { waId, userId }: CustomerIds,
  at: Date,
): Promise<Successor | undefined> {
  const forms = formsOf(waId);
  const [row] = await sql<Successor[]>`
    select to_wa_id as "waId", to_user_id as "userId", changed_at as at, is_release as "isRelease" from (
      select to_wa_id, to_user_id, changed_at, is_release from identity_changes
      where store_id = ${storeId} and from_wa_id = any(${forms}::text[]) and changed_at > ${at}
        and (not is_release or ${userId}::text is null)
      union all
      select to_wa_id, to_user_id, changed_at, is_release from identity_changes
      where store_id = ${storeId} and from_user_id = ${userId} and changed_at > ${at}
        and (not is_release or from_wa_id = any(${forms}::text[]))) as later
    order by changed_at limit 1`;
  return row;
}

/** That the channel has named another customer with the number of a lead. */
export type NumberRelease = {
  readonly channelId: string;
  readonly eventId: string;
  readonly leadId: string;
  readonly waId: string;
  /** Of the customer who had the number. */
  readonly userId: string;
};

/**
 * Stores a release. From this commit on no message of the lead goes to the number, and a message that its customer wrote
 * before is still the lead's.
 */
export async function startRelease(
  sql: TransactionSql,
  storeId: string,
  { channelId, eventId, leadId, waId, userId }: NumberRelease,
  at: Date,
): Promise<void> {
  await sql`
    insert into identity_changes
      (store_id, channel_id, event_id, from_wa_id, from_user_id, to_user_id, changed_at, lead_id, is_release)
    values (${storeId}, ${channelId}, ${eventId}, ${waId}, ${userId}, ${userId}, ${at}, ${leadId}, true)
    on conflict do nothing`;
  await sql`
    update conversations set wa_id = null where store_id = ${storeId} and lead_id = ${leadId} and wa_id = ${waId}`;
  await forgetPhone(sql, storeId, { leadId, waId, version: 0 });
}

/** Finishes a release. Undefined `version`: crm has no such lead. */
export async function finishRelease(
  sql: TransactionSql,
  storeId: string,
  release: NumberRelease,
  version: number | undefined,
): Promise<void> {
  if (version !== undefined) await forgetPhone(sql, storeId, { ...release, version });
  await saveOutcome(sql, storeId, release, {
    outcome: 'moved',
    leadId: release.leadId,
    merged: null,
    finishAfterMs: 0,
  });
}

/** The number as the phone that the store gave the lead. A phone from an earlier version of the lead does not come back. */
const forgetPhone = (
  sql: TransactionSql,
  storeId: string,
  { leadId, waId, version }: { readonly leadId: string; readonly waId: string; readonly version: number },
) => sql`
  update conversations
  set phone = case when phone <> all(${formsOf(waId)}::text[]) then phone end,
      phone_version = nullif(greatest(phone_version, ${version}), 0)
  where store_id = ${storeId} and lead_id = ${leadId}`;

/** The last release of this number. */
export async function findRelease(
  sql: Sql,
  storeId: string,
  number: string,
): Promise<(NumberRelease & { readonly isFinished: boolean }) | undefined> {
  const [row] = await sql<(NumberRelease & { isFinished: boolean })[]>`
    select channel_id as "channelId", event_id as "eventId", lead_id as "leadId", from_wa_id as "waId",
      from_user_id as "userId", outcome is not null as "isFinished"
    from identity_changes
    where store_id = ${storeId} and is_release and from_wa_id = any(${formsOf(number)}::text[])
    order by changed_at desc limit 1`;
  return row;
}

/** Whether the channel has said that the customer of the lead has this phone now. */
export async function isMovedTo(sql: Sql, storeId: string, leadId: string, phone: string): Promise<boolean> {
  const rows = await sql`
    select 1 from identity_changes
    where store_id = ${storeId} and lead_id = ${leadId} and to_wa_id = any(${formsOf(phone)}::text[]) limit 1`;
  return rows.length > 0;
}

/** Gives the conversation the ids of its customer. No other lead of the store has this `wa_id` from now on. */
export async function saveIds(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { waId, version }: { readonly waId: string; readonly version: number },
): Promise<void> {
  await sql`
    update conversations set wa_id = null
    where store_id = ${storeId} and wa_id = ${waId} and lead_id <> ${leadId}`;
  await sql`
    update conversations
    set wa_id = ${waId}, phone = ${waId}, phone_version = greatest(phone_version, ${version})
    where store_id = ${storeId} and lead_id = ${leadId}`;
}

export type UnfinishedMerge = {
  readonly store_id: string;
  readonly channel_id: string;
  readonly event_id: string;
  readonly lead_id: string;
  readonly merged_lead_id: string;
};

/** Merges of any store whose last step is due. */
export async function findUnfinishedMerges(systemSql: Sql, limit: number): Promise<UnfinishedMerge[]> {
  return await systemSql<UnfinishedMerge[]>`
    select store_id, channel_id, event_id, lead_id, merged_lead_id from identity_changes
    where finish_at <= now() order by finish_at limit ${limit}`;
}

export async function markFinished(sql: TransactionSql, storeId: string, { channelId, eventId }: Key): Promise<void> {
  await sql`
    update identity_changes set finish_at = null
    where store_id = ${storeId} and channel_id = ${channelId} and event_id = ${eventId}`;
}
