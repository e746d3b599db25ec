import type { MessageAuthor } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Holding } from './held-by.ts';
import type { OptOutColumns, OptOutState } from './opt-out-state.ts';

/** The conversation of a lead. Each lead has exactly one. */
export type ConversationRow = OptOutColumns &
  Holding & {
    readonly store_id: string;
    readonly lead_id: string;
    /** The channel's id of the lead, once it is known. */
    readonly wa_id: string | null;
    /** The channel's id of the lead that does not derive from a phone. Messages go to it while `wa_id` is not known. */
    readonly user_id: string | null;
    /** The phone that the lead got since it has a conversation, and the lead's version with it. */
    readonly phone: string | null;
    readonly phone_version: number | null;
    readonly next_number: number;
    /** When it wrote and called last: what opens its reply window. */
    readonly last_inbound_at: Date | null;
    readonly called_at: Date | null;
    /** When the customer wrote last, by the channel's clock. Null: not known. */
    readonly customer_wrote_at: Date | null;
    readonly interaction_count: number;
    readonly reported_count: number;
    /** The store has read up to this message. */
    readonly read_number: number;
    readonly unread_count: number;
    /** The lead's seller and version as the inbox knows them. Null: the lead is not known yet, or has no seller. */
    readonly seller_id: string | null;
    readonly lead_version: number | null;
    /** Until when the AI does not write. It may be in the past. */
    readonly ai_paused_until: Date | null;
  };

/** The columns of a `ConversationRow`. */
export const conversationColumns = (sql: Sql) => sql`
  store_id, lead_id, wa_id, user_id, phone, phone_version, next_number, last_inbound_at, called_at,
  customer_wrote_at, handover_at, handover_owner, standby_at, standby_ended_at, opted_out_at, opt_out_wishes, interaction_count, reported_count,
  read_number, unread_count, seller_id, lead_version, ai_paused_until`;

/** The lead has no conversation, and the request has not asked crm for it. A retry may find that it was merged. */
export class NoConversation extends AppError {
  constructor() {
    super('service_unavailable', { retryAfterSeconds: 1 });
  }
}

/**
 * Locks the conversation until the transaction ends. A transaction that accepts a message, or that chooses the next one
 * to send, takes this lock first. So message numbers are in the order of acceptance. Lock order: conversation, then
 * message.
 */
export async function lockConversation(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<ConversationRow | undefined> {
  const [row] = await sql<ConversationRow[]>`
    select ${conversationColumns(sql)} from conversations where store_id = ${storeId} and lead_id = ${leadId} for no key update`;
  return row;
}

/** `lockOrCreate` with `lockConversation`. */
export const ensureConversation = (
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  confirmed = true,
): Promise<ConversationRow> => lockOrCreate(sql, storeId, leadId, confirmed, lockConversation);

/**
 * Locks the lead's conversation with `lock`, and creates a missing one. `confirmed`: crm has said during this request that
 * the store has the lead.
 *
 * @throws NoConversation it is missing, and crm has not said so. When it was there a moment ago, its lead was merged into
 *   another one.
 */
export async function lockOrCreate<Row>(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  confirmed: boolean,
  lock: (sql: TransactionSql, storeId: string, leadId: string) => Promise<Row | undefined>,
): Promise<Row> {
  const known = await lock(sql, storeId, leadId);
  if (known) return known;
  if (!confirmed) throw new NoConversation();
  await sql`insert into conversations (store_id, lead_id) values (${storeId}, ${leadId}) on conflict do nothing`;
  return (await lock(sql, storeId, leadId)) as Row;
}

/** The conversation, without its lock. */
export async function findConversation(
  sql: Sql,
  storeId: string,
  leadId: string,
): Promise<ConversationRow | undefined> {
  const [row] = await sql<ConversationRow[]>`
    select ${conversationColumns(sql)} from conversations where store_id = ${storeId} and lead_id = ${leadId}`;
  return row;
}

export async function conversationExists(sql: Sql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql`select 1 from conversations where store_id = ${storeId} and lead_id = ${leadId}`;
  return rows.length > 0;
}

/** For the `set` of an update of the conversation `c`: one message more, unless some are uncounted. Then all are counted again. */
export const countedNext = (sql: Sql) =>
  sql`case when c.counted_next = c.next_number then c.next_number + 1 else c.counted_next end`;

/** How long a message pauses the AI, and who wrote it. `since`: when it was written, if it came later. */
export type AiPause = { readonly minutes: number; readonly by: MessageAuthor | null; readonly since?: Date };

/**
 * For the `set` of an update of the conversation `c` by its next message: the AI does not write for this long. Undefined:
 * it goes on. A pause is never shortened.
 */
export function pausingAi(sql: Sql, at: ReturnType<Sql>, pause: AiPause | undefined) {
  if (!pause) return sql``;
  const until = sql`least(${at}, ${pause.since ?? null}::timestamptz) + ${pause.minutes} * interval '1 minute'`;
  return sql`, ai_paused_until = greatest(c.ai_paused_until, ${until}),
        ai_paused_by = case when c.ai_paused_until >= ${until} then c.ai_paused_by else ${pause.by && sql.json(pause.by)} end,
        ai_pause_number = c.next_number, ai_pause_version = c.ai_pause_version + 1`;
}

/** For the `set` of an update of the conversation `c`: whether its lead waits, and since when. */
export const waitingAgain = (sql: Sql) => sql`
  (is_unanswered, waiting_since) = (
    select since is not null, since from first_waiting(c.store_id, c.lead_id) as since)`;

/** Sets whether the lead waits, from its messages and sessions. The caller holds the conversation's lock. */
export async function countWaiting(sql: TransactionSql, storeId: string, leadId: string): Promise<void> {
  await sql`
    update conversations c set ${waitingAgain(sql)} where c.store_id = ${storeId} and c.lead_id = ${leadId}`;
}

/** For the `set` of an update of the conversation `c`: who writes now ends a standby. Costs nothing where there was none. */
export const endingStandby = (sql: Sql, at: ReturnType<Sql>) => sql`
  standby_ended_at = case when c.standby_at is not null or c.handover_at is not null
    then greatest(c.standby_ended_at, ${at}) else c.standby_ended_at end`;

/** Stores who wrote an echo: another agent of the channel, or a person. The caller holds the conversation's lock. */
export async function saveHolder(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { isOnStandby, at }: { readonly isOnStandby: boolean; readonly at: Date },
): Promise<void> {
  await sql`
    update conversations c
    set ${isOnStandby ? sql`standby_at = greatest(c.standby_at, ${at})` : endingStandby(sql, sql`${at}`)}
    where c.store_id = ${storeId} and c.lead_id = ${leadId}`;
}

/**
 * The statement that counts a message when it becomes sent. The caller holds the conversation's lock and counts each
 * message once. With `pair`, it counts against the pair's rate limit, as `spendPair` does: a second update of the row
 * would cost as much again. With `takes`, the message takes the conversation from another agent of the channel.
 */
export const countInteraction = (
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { pair, takes }: { readonly pair?: { readonly intervalMs: number } | undefined; readonly takes: boolean },
) => sql`
  update conversations c
  set interaction_count = interaction_count + 1 ${pair ? sql`, pair_tat = ${spentPair(sql, pair)}` : sql``}
      ${takes ? sql`, ${endingStandby(sql, sql`clock_timestamp()`)}` : sql``}
  where store_id = ${storeId} and lead_id = ${leadId}`;

/** SQL expression: the pair's theoretical arrival time after one more message. */
export const spentPair = (sql: Sql, { intervalMs }: { readonly intervalMs: number }) =>
  sql`greatest(pair_tat, clock_timestamp()) + ${intervalMs} * interval '1 millisecond'`;

export type FoundLeads = {
  readonly byWaId: string | null;
  readonly byUserId: string | null;
  /** The number by which the channel knows the second one. */
  readonly waIdByUserId: string | null;
  /** The channel that told the user id. */
  readonly channelOfUserId: string | null;
};

/** The leads that the channel knows by these ids of one customer. As a rule they are the same lead. */
export async function findLeadsByIdentity(
  sql: Sql,
  storeId: string,
  { waId, userId }: { readonly waId: string | null; readonly userId: string | null },
): Promise<FoundLeads> {
  const [row] = await sql<FoundLeads[]>`
    select numbered.lead_id as "byWaId", known.lead_id as "byUserId", other.wa_id as "waIdByUserId",
      known.channel_id as "channelOfUserId"
    from (select) one
      left join conversations numbered on numbered.store_id = ${storeId} and numbered.wa_id = ${waId}
      left join customer_user_ids known on known.store_id = ${storeId} and known.user_id = ${userId}
      left join conversations other on other.store_id = known.store_id and other.lead_id = known.lead_id`;
  return row ?? { byWaId: null, byUserId: null, waIdByUserId: null, channelOfUserId: null };
}

/** The id by which this channel knows the customer of a lead, if it does not know that customer by `userId`. */
export async function findOtherCustomer(
  sql: Sql,
  storeId: string,
  channelId: string,
  { leadId, userId }: { readonly leadId: string; readonly userId: string },
): Promise<{ readonly userId: string; readonly wroteAt: Date | null } | undefined> {
  const [row] = await sql<{ userId: string; wroteAt: Date | null }[]>`
    select c.user_id as "userId", c.customer_wrote_at as "wroteAt"
    from conversations c join customer_user_ids u using (store_id, lead_id, user_id)
    where store_id = ${storeId} and c.lead_id = ${leadId} and u.channel_id = ${channelId} and not exists (
      select from customer_user_ids own
      where own.store_id = ${storeId} and own.lead_id = ${leadId} and own.user_id = ${userId})`;
  return row;
}

/**
 * Records that the channel knows the lead by this id, which no other lead of the store has from now on. The caller holds the
 * conversation's lock. `from` are the leads that may have had the id: the caller knows what became of them.
 *
 * @throws UserIdTaken another lead has got the id since the caller read it. The transaction must roll back.
 */
export async function saveUserId(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { userId, channelId }: { readonly userId: string; readonly channelId: string },
  from: readonly (string | null)[],
): Promise<void> {
  const owners = [leadId, ...from].filter((id) => id !== null);
  const saved = await sql`
    insert into customer_user_ids (store_id, user_id, lead_id, channel_id)
    values (${storeId}, ${userId}, ${leadId}, ${channelId})
    on conflict (store_id, user_id) do update set lead_id = excluded.lead_id, channel_id = excluded.channel_id
      where customer_user_ids.lead_id = any(${owners}::uuid[])
    returning user_id`;
  if (saved.length === 0) throw new UserIdTaken();
  await sql`
    update conversations set user_id = case when lead_id = ${leadId} then ${userId} end
    where store_id = ${storeId} and lead_id = any(${owners}::uuid[]) and (lead_id = ${leadId} or user_id = ${userId})`;
}

/**
 * Records both ids of a lead of whom the channel has told nothing yet, or only the number. So another customer with the number is known to be
 * another one. The caller holds the conversation's lock.
 */
export async function learnIds(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { waId, userId, channelId }: { readonly waId: string; readonly userId: string; readonly channelId: string },
): Promise<void> {
  await sql`
    with learned as (
      insert into customer_user_ids (store_id, user_id, lead_id, channel_id)
      select store_id, ${userId}, lead_id, ${channelId} from conversations c
      where c.store_id = ${storeId} and c.lead_id = ${leadId} and c.user_id is null and (c.wa_id is null or c.wa_id = ${waId})
        and not exists (select from conversations other where other.store_id = ${storeId} and other.wa_id = ${waId}
          and other.lead_id <> c.lead_id)
      on conflict do nothing returning user_id)
    update conversations set wa_id = ${waId}, user_id = learned.user_id
    from learned where store_id = ${storeId} and lead_id = ${leadId}`;
}

/** A retry finds the lead that has the id. */
export class UserIdTaken extends AppError {
  constructor() {
    super('service_unavailable', { retryAfterSeconds: 1 });
  }
}

export async function findUserIds(sql: Sql, storeId: string, leadId: string): Promise<string[]> {
  const rows = await sql<{ user_id: string }[]>`
    select user_id from customer_user_ids where store_id = ${storeId} and lead_id = ${leadId}`;
  return rows.map(({ user_id }) => user_id);
}

const nothingHeard = (sql: Sql) => sql`
  wa_id = null, user_id = null, last_inbound_at = null, called_at = null, customer_wrote_at = null`;

/**
 * Stores the new phone of a lead. With `forget`, the channel no longer knows the lead, nor has the lead written or
 * called.
 */
export async function savePhone(
  sql: TransactionSql,
  { store_id, lead_id }: ConversationRow,
  { phone, version, forget }: { phone: string; version: number; forget: boolean },
): Promise<void> {
  await sql`
    update conversations
    set phone = ${phone}, phone_version = ${version}
        ${forget ? sql`, ${nothingHeard(sql)}` : sql``}
    where store_id = ${store_id} and lead_id = ${lead_id}`;
  if (forget) await sql`delete from customer_user_ids where store_id = ${store_id} and lead_id = ${lead_id}`;
}

/** Stores that the lead called at `at`. The caller holds the conversation's lock. */
export async function saveCall(sql: TransactionSql, storeId: string, leadId: string, at: Date): Promise<void> {
  await sql`
    update conversations set called_at = greatest(called_at, ${at})
    where store_id = ${storeId} and lead_id = ${leadId}`;
}

/** The leads that the channel knows by these ids, by id. */
export async function findWaIdOwners(
  sql: Sql,
  storeId: string,
  waIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ wa_id: string; lead_id: string }[]>`
    select wa_id, lead_id from conversations where store_id = ${storeId} and wa_id = any(${[...waIds]}::text[])`;
  return new Map(rows.map(({ wa_id, lead_id }) => [wa_id, lead_id]));
}

/** For the `set` of an update of the conversation `c`. */
const settingOptOut = (sql: Sql, { optedOut, wishes }: OptOutState, now: ReturnType<typeof sql>) => sql`
  opted_out_at = case when ${optedOut} then coalesce(c.opted_out_at, ${now}) end,
  opt_out_wishes = ${sql.json(wishes)}`;

/** Stores what a lead opted out of. The caller holds the conversation's lock. Returns the columns as they are now. */
export async function saveOptOut(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  state: OptOutState,
): Promise<OptOutColumns> {
  const [row] = await sql<[OptOutColumns]>`
    update conversations c set ${settingOptOut(sql, state, sql`clock_timestamp()`)}
    where c.store_id = ${storeId} and c.lead_id = ${leadId}
    returning opted_out_at, opt_out_wishes`;
  return row;
}

export type TakenInbound = OptOutColumns & {
  /** A new id for the message. `number` and `at` are those of `takeNumber`. */
  readonly id: string;
  readonly number: number;
  readonly at: Date;
  readonly interactionCount: number;
};

/**
 * Takes the number of an inbound message, counts it and stores what it changes. The caller holds the
 * conversation's lock. One statement does it all, because three updates of one row cost three times as much.
 *
 * @param options `late`: when a message that comes late counts as written for the reply window; `optOut` is set when the
 *   message changes it
 */
export async function takeInbound(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  {
    waId,
    writtenAt,
    late,
    optOut,
    pausesAi,
    isOnStandby,
  }: {
    waId: string | null;
    writtenAt: Date;
    late: boolean;
    optOut: OptOutState | null;
    pausesAi: AiPause | undefined;
    isOnStandby: boolean;
  },
): Promise<TakenInbound> {
  const [taken] = await sql<TakenInbound[]>`
    update conversations c
    set next_number = c.next_number + 1, interaction_count = c.interaction_count + 1,
        wa_id = coalesce(${waId}, c.wa_id),
        last_inbound_at = greatest(c.last_inbound_at, ${late ? sql`${writtenAt}::timestamptz` : sql`clock.at`}),
        customer_wrote_at = greatest(c.customer_wrote_at, ${writtenAt}),
        ${optOut ? sql`${settingOptOut(sql, optOut, sql`clock.at`)},` : sql``}
        waiting_since = case when c.is_unanswered then coalesce(c.waiting_since, c.last_message_at) else clock.at end,
        last_message_at = clock.at, is_unanswered = true, unread_count = c.unread_count + 1,
        ${isOnStandby ? sql`standby_at = greatest(c.standby_at, ${writtenAt})` : endingStandby(sql, sql`${writtenAt}`)},
        counted_next = ${countedNext(sql)} ${pausingAi(sql, sql`clock.at`, pausesAi)}
    from (select clock_timestamp()::timestamptz(3) as at) as clock
    where c.store_id = ${storeId} and c.lead_id = ${leadId}
    returning uuidv7() as id, c.next_number - 1 as number, clock.at, c.interaction_count as "interactionCount",
      c.opted_out_at, c.opt_out_wishes`;
  return taken as TakenInbound;
}
