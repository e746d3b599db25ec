import { mergeLeadScheduling, moveLeadPhone, type ReplyOf } from '@mostrador/contracts';
import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { CustomerIds, IdentityChange } from '../channels/channel-provider.ts';
import { findLeadsByIdentity, lockConversation, saveUserId } from '../conversations/conversation.repository.ts';
import { unlessLeadGone } from '../conversations/unless-lead-gone.ts';
import type { Dependencies } from '../dependencies.ts';
import { asPhone } from '../identities/as-phone.ts';
import { currentIds } from '../identities/current-ids.ts';
import { findInCrm } from '../identities/find-in-crm.ts';
import {
  findLeadOfIds,
  lockIdentityChange,
  saveIds,
  saveOutcome,
  startMove,
} from '../identities/identity-change.repository.ts';
import { moveConversation } from '../merges/merge-conversations.ts';
import { reopenFailed } from './inbound.repository.ts';
import { keepEffect, takeKeptRows } from './kept-effect.repository.ts';
import { keysOf, withIds } from './kept-effect.ts';
import { noPhone } from './no-phone.ts';

type Tools = Pick<Dependencies, 'database' | 'rpc' | 'relay'>;
type Context = StoreScope & CallContext;

/** Requests that found the merged lead before may write under its id so long: the longest deadline, and 250 ms to commit. */
const finishAfterMs = 16_250;

/**
 * Moves the lead of a customer to another number or user id. Three services have a part of it, so it is done in steps that
 * can be repeated: the stored webhook stays open until the last one. First the change is stored: from now on each inbound
 * message is sorted by when it was written, and no message goes to the earlier number. Then crm decides, and the
 * conversation follows. A repeated webhook finds the change finished, and moves nothing.
 *
 * @throws AppError `service_unavailable`, `upstream_timeout` or `lead_busy`: retry later
 */
export async function moveIdentity(
  { database, rpc, relay }: Tools,
  context: Context,
  channelId: string,
  change: IdentityChange,
): Promise<void> {
  const { storeId } = context;
  const { eventId, at } = change;
  const key = { channelId, eventId };
  const start = async (sql: TransactionSql, leadId: string, ids: Pick<IdentityChange, 'from' | 'to'>) => {
    await lockConversation(sql, storeId, leadId);
    await startMove(sql, storeId, leadId, { ...key, ...ids });
  };
  const begun = await database.write(context, async (sql) => {
    const row = await lockIdentityChange(sql, storeId, channelId, change);
    const { from } = row;
    // A later change may have come first.
    const to = await currentIds(sql, storeId, row.to, at);
    const { byUserId: owner } = await findLeadsByIdentity(sql, storeId, to);
    if (row.outcome !== null || row.lead_id !== null) return { ...row, to, owner };
    const lead_id = await findLeadOfIds(sql, storeId, from, at);
    if (lead_id !== null) await start(sql, lead_id, { from, to });
    return { ...row, lead_id, to, owner };
  });
  const { from, to, owner } = begun;
  if (begun.outcome !== null) return;

  const leadId = begun.lead_id ?? (await findInCrm(rpc, context, from));
  if (leadId === null) {
    await database.write(context, async (sql) => {
      await moveKept(sql, storeId, { from, to });
      await saveOutcome(sql, storeId, key, { outcome: 'unknown', leadId: null, merged: null, finishAfterMs });
    });
    return;
  }
  if (begun.lead_id === null) {
    await database.write(context, (sql) => start(sql, leadId, { from, to }));
  }

  const moved = await moveInCrm({ rpc }, context, leadId, { from, to });
  const keptId = moved?.lead_id ?? leadId;
  const merged = moved?.merged ?? [];
  for (const goneId of merged) {
    await database.write(context, (sql) => moveConversation(sql, storeId, { goneId, keptId }));
    await rpc.call(mergeLeadScheduling, { body: { lead_id: goneId, merged_into: keptId } }, context);
  }
  await database.write(context, async (sql) => {
    const outcome = moved?.outcome ?? 'moved';
    // Crm takes the user id from a lead that it does not merge, and a repetition of the call does not say so again.
    const owners = [leadId, ...merged, ...(moved ? [owner] : [])];
    if (outcome === 'moved') await follow(sql, storeId, keptId, { ids: to, at }, { ...moved, channelId, from: owners });
    await saveOutcome(sql, storeId, key, { outcome, leadId: keptId, merged: merged[0] ?? null, finishAfterMs });
  });
  relay.nudge();
}

/** Makes what is kept of a customer who is no lead follow them. */
async function moveKept(
  sql: TransactionSql,
  storeId: string,
  { from, to }: Pick<IdentityChange, 'from' | 'to'>,
): Promise<void> {
  for (const row of await takeKeptRows(sql, storeId, keysOf(from))) {
    await keepEffect(sql, storeId, withIds(row, to));
  }
}

/** Undefined when crm has no such lead, or nothing is told that crm has. */
async function moveInCrm(
  { rpc }: Pick<Tools, 'rpc'>,
  context: Context,
  lead_id: string,
  { from, to }: Pick<IdentityChange, 'from' | 'to'>,
): Promise<ReplyOf<typeof moveLeadPhone> | undefined> {
  const [from_phone, to_phone] = [asPhone(from.waId), asPhone(to.waId)];
  if (to_phone === null && to.userId === null) return undefined;
  const body = {
    lead_id,
    from_phone,
    ...(to_phone !== null && { to_phone }),
    ...(to.userId !== null && { to_user_id: to.userId }),
  };
  return await unlessLeadGone(rpc.call(moveLeadPhone, { body }, context));
}

/**
 * Makes the conversation follow. Without one, the first message finds the lead by its phone. Meanwhile the customer may
 * have changed again, and the store may have given the lead another number.
 */
async function follow(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { ids, at }: { readonly ids: CustomerIds; readonly at: Date },
  { version, channelId, from }: Followed,
): Promise<void> {
  const conversation = await lockConversation(sql, storeId, leadId);
  if (!conversation) return;
  const { waId, userId } = await currentIds(sql, storeId, ids, at);
  if (waId !== null && version !== undefined && version >= (conversation.phone_version ?? 0))
    await saveIds(sql, storeId, leadId, { waId, version });
  if (userId === null) return;
  await saveUserId(sql, storeId, leadId, { userId, channelId }, from);
  await reopenFailed(sql, storeId, { customer: userId, code: noPhone });
}

type Followed = {
  readonly version?: number;
  readonly channelId: string;
  /** The leads that may have had the user id. */
  readonly from: readonly (string | null)[];
};
