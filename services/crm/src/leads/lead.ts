import { isDeepStrictEqual } from 'node:util';
import {
  type AiPauser,
  type NewLead as Given,
  type Lead,
  maxMetadataBytes,
  maxTags,
  type RequestOf,
  type updateLead,
} from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { changeMetadata, fitsMetadata, type Metadata } from '@mostrador/kit/database/metadata';
import type { OutboxEntry, PublicEvent } from '@mostrador/kit/outbox/outbox';
import { isSamePhone } from '@mostrador/kit/phones/canonical-phone';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';

/** The row of a lead. `version` rises with changes by the API's users, not with `interaction_count` or `opted_out_at`. */
export type LeadRow = {
  id: string;
  store_id: string;
  name: string;
  /** Null: the channel names the customer without a phone. */
  customer_phone: string | null;
  /** The channel's id of a customer whom it has named without a phone. */
  channel_user_id: string | null;
  username: string | null;
  /** The lead who had the number before another customer got it. */
  previous_lead_id: string | null;
  /** The name that the channel gave it. While it is the lead's name, no person has named it. Null: not known. */
  channel_name: string | null;
  /** When the store's own telephone named it last, by the clock of the channel. */
  channel_named_at: Date | null;
  status: Lead['status'];
  seller_id: string | null;
  external_id: string | null;
  email: string | null;
  tags: string[];
  metadata: Metadata;
  interaction_count: number;
  ai_paused_until: Date | null;
  /** Null: it is not paused, or not known. */
  ai_paused_by: AiPauser | null;
  /** The last pause that messaging has told. It rises without `version`, as `interaction_count` does. */
  ai_pause_version: number;
  /** This and the next are a copy of what messaging knows. */
  opted_out_at: Date | null;
  opt_out_version: number | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

type OfStore = 'external_id' | 'email' | 'tags' | 'metadata';

/** The given values of a new lead. The rest of the row has defaults. */
type Identity = 'customer_phone' | 'channel_user_id' | 'username';

export type NewLead = Pick<LeadRow, 'name' | Identity | 'previous_lead_id' | 'status' | 'seller_id' | OfStore>;
/** A new lead that the store names by phone. */
export type NewLeadWithPhone = NewLead & { readonly customer_phone: string };

/** The members that a change may set. */
export type LeadContent = Pick<
  LeadRow,
  'name' | Identity | 'status' | 'seller_id' | 'ai_paused_until' | 'ai_paused_by' | OfStore
>;

type GivenIdentity<Phone> = {
  customer_phone: Phone;
  channel_user_id?: string | null;
  username?: string | null;
  previous_lead_id?: string | null;
};

export function newLead<Phone extends string | null>(
  body: Omit<Given, 'customer_phone'> & GivenIdentity<Phone>,
): NewLead & { customer_phone: Phone } {
  return {
    name: body.name,
    customer_phone: body.customer_phone,
    channel_user_id: body.channel_user_id ?? null,
    username: body.username ?? null,
    previous_lead_id: body.previous_lead_id ?? null,
    status: body.status ?? 'pending',
    seller_id: body.seller_id ?? null,
    external_id: body.external_id ?? null,
    email: body.email ?? null,
    tags: withoutRepeats(body.tags ?? []),
    metadata: changeMetadata({}, body.metadata, maxMetadataBytes),
  };
}

/** The lead's values after a change by `by`, or null if nothing changes. Any status may follow any other. */
export function changeLead(
  row: LeadRow,
  patch: RequestOf<typeof updateLead>['body'],
  by: AiPauser | null = null,
): LeadContent | null {
  const { name, customer_phone, status, seller_id, external_id, email, tags, metadata, ai_paused_until } = patch;
  // Another phone is another customer for the channel.
  const isAnother = customer_phone !== undefined && row.customer_phone !== null && !isPhoneOf(row, customer_phone);
  const pausedUntil =
    ai_paused_until === undefined ? row.ai_paused_until : ai_paused_until === null ? null : toInstant(ai_paused_until);
  const changed: LeadContent = {
    name: name ?? row.name,
    customer_phone: customer_phone ?? row.customer_phone,
    channel_user_id: isAnother ? null : row.channel_user_id,
    username: isAnother ? null : row.username,
    status: status ?? row.status,
    seller_id: seller_id === undefined ? row.seller_id : (seller_id?.toLowerCase() ?? null),
    ...pauseOf(row, pausedUntil, by),
    external_id: external_id === undefined ? row.external_id : external_id,
    email: email === undefined ? row.email : email,
    tags: tags === undefined ? row.tags : withoutRepeats(tags ?? [], row.tags),
    metadata: changeMetadata(row.metadata, metadata, maxMetadataBytes),
  };
  return isDeepStrictEqual(changed, contentOf(row)) ? null : changed;
}

/** Until when the AI is paused, and by whom. The end of a pause has no author, and the same pause again keeps the first. */
const pauseOf = (
  before: LeadRow,
  ai_paused_until: Date | null,
  by: AiPauser | null,
): Pick<LeadRow, 'ai_paused_until' | 'ai_paused_by'> =>
  Number(ai_paused_until) === Number(before.ai_paused_until)
    ? { ai_paused_until, ai_paused_by: before.ai_paused_by }
    : { ai_paused_until, ai_paused_by: ai_paused_until && by };

function contentOf(row: LeadRow): LeadContent {
  const { name, customer_phone, channel_user_id, username, status, seller_id, ai_paused_until, ai_paused_by } = row;
  const { external_id, email, tags, metadata } = row;
  return {
    ...{ name, customer_phone, channel_user_id, username, status, seller_id, ai_paused_until, ai_paused_by },
    ...{ external_id, email, tags, metadata },
  };
}

/** The lead's values with the number and the id that the channel tells, or null if nothing changes. */
export function moveLead(
  row: LeadRow,
  { customer_phone, channel_user_id }: Pick<LeadRow, 'customer_phone' | 'channel_user_id'>,
): LeadContent | null {
  const content = contentOf(row);
  const moved = { ...content, customer_phone, channel_user_id };
  return isDeepStrictEqual(moved, content) ? null : moved;
}

/** The lead's values with the name that the store's telephone gave it at this time. Null: it does not count. */
export function renameLead(row: LeadRow, name: string, at: Date): LeadContent | null {
  const isOfChannel = row.channel_name === null ? isPhoneOf(row, row.name) : row.name === row.channel_name;
  const isLate = row.channel_named_at !== null && row.channel_named_at >= at;
  return isOfChannel && !isLate ? { ...contentOf(row), name } : null;
}

/** Whether this is the lead's phone, in any form. */
export const isPhoneOf = ({ customer_phone }: Pick<LeadRow, 'customer_phone'>, phone: string): boolean =>
  customer_phone !== null && isSamePhone(customer_phone, phone);

/** Whether a change gave the lead another phone, and not only another form of it. */
export const isAnotherPhone = (before: LeadRow, after: LeadRow): boolean =>
  after.customer_phone !== null && !isPhoneOf(before, after.customer_phone);

/** Compares without case and with accents, as the collation `without_case` of the filter does. */
const tagOrder = new Intl.Collator('en', { sensitivity: 'accent' });
export const isSameTag = (one: string, other: string): boolean => tagOrder.compare(one, other) === 0;

/** Each tag once, whatever its case. The first spelling stays: that of `known`, which the lead has already, or of `tags`. */
function withoutRepeats(tags: readonly string[], known: readonly string[] = []): string[] {
  const kept: string[] = [];
  for (const tag of tags) {
    if (!kept.some((one) => isSameTag(one, tag))) kept.push(known.find((one) => isSameTag(one, tag)) ?? tag);
  }
  return kept;
}

/** The address as the filter compares it. */
export const emailKey = (email: string): string => email.toLowerCase();

/**
 * The kept lead's values after another lead of the same person was merged into it, or null if nothing changes. Its own
 * values, tags and metadata come first. What is more than a lead may have stays with the merged row.
 */
export function mergeLeads(kept: LeadRow, merged: LeadRow): LeadContent | null {
  const pausedLonger = Number(merged.ai_paused_until) > Number(kept.ai_paused_until);
  const changed: LeadContent = {
    name: kept.name,
    customer_phone: kept.customer_phone ?? merged.customer_phone,
    channel_user_id: kept.channel_user_id ?? merged.channel_user_id,
    username: kept.username ?? merged.username,
    status: kept.status,
    seller_id: kept.seller_id ?? merged.seller_id,
    ai_paused_until: pausedLonger ? merged.ai_paused_until : kept.ai_paused_until,
    ai_paused_by: pausedLonger ? merged.ai_paused_by : kept.ai_paused_by,
    external_id: kept.external_id ?? merged.external_id,
    email: kept.email ?? merged.email,
    tags: withoutRepeats([...kept.tags, ...merged.tags]).slice(0, maxTags),
    metadata: joined(kept.metadata, merged.metadata),
  };
  return isDeepStrictEqual(changed, contentOf(kept)) ? null : changed;
}

function joined(kept: Metadata, merged: Metadata): Metadata {
  let metadata = kept;
  for (const [name, text] of Object.entries(merged)) {
    const more = { ...metadata, [name]: text, ...metadata };
    if (fitsMetadata(more, maxMetadataBytes)) metadata = more;
  }
  return metadata;
}

/** A pause that is over is null. */
const pauseAt = ({ ai_paused_until }: LeadRow, now: Date): Date | null =>
  ai_paused_until && ai_paused_until > now ? ai_paused_until : null;

/**
 * The ETag of the lead as `toLead` returns it at `now`. After the version stands what changes without it: the
 * interaction count, `p` while a pause is shown, with its version, and the version of an opt-out.
 */
export function leadEtag(row: LeadRow, now: Date): string {
  const optOut = row.opt_out_version === null ? '' : `o${row.opt_out_version}`;
  return etagOf(
    row.version,
    `${row.interaction_count}${pauseAt(row, now) ? `p${row.ai_pause_version || ''}` : ''}${optOut}`,
  );
}

/** A lead as the API returns it at `now`. */
export function toLead(row: LeadRow, now: Date): Lead {
  const pause = pauseAt(row, now);
  return {
    id: row.id,
    store_id: row.store_id,
    name: row.name,
    customer_phone: row.customer_phone,
    status: row.status,
    seller_id: row.seller_id,
    external_id: row.external_id,
    email: row.email,
    tags: row.tags,
    metadata: row.metadata,
    interaction_count: row.interaction_count,
    ai_paused_until: pause && toTimestamp(pause),
    opted_out_at: row.opted_out_at && toTimestamp(row.opted_out_at),
    channel_user_id: row.channel_user_id,
    username: row.username,
    ai_paused_by: pause && row.ai_paused_by,
    previous_lead_id: row.previous_lead_id,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

const leadIds = ({ id, status, seller_id }: LeadRow) => ({ lead_id: id, status, seller_id });

const shown = (row: LeadRow, now: Date) =>
  ({ kind: 'feed', entityId: row.id, etag: leadEtag(row, now), object: toLead(row, now) }) as const;

/** The public event of a new lead. */
export const leadFact = (row: LeadRow): PublicEvent => ({
  ...shown(row, new Date()),
  type: 'lead.created',
  data: leadIds(row),
});

/** The entries of the events about a new lead. */
export const leadCreated = (row: LeadRow): OutboxEntry[] => [
  { kind: 'event', type: 'crm.lead.created', data: leadIds(row) },
  leadFact(row),
];

/** The public event of a pause that messaging has told. It needs no notice: messaging has it. */
export function leadPaused(before: LeadRow, row: LeadRow): PublicEvent {
  const now = new Date();
  return { ...shown(row, now), type: 'lead.updated', data: leadIds(row), before: toLead(before, now) };
}

/** The entries of the events about a changed lead. */
export function leadUpdated(before: LeadRow, row: LeadRow): OutboxEntry[] {
  // One moment for both, so that a pause that ends meanwhile is no change.
  const now = new Date();
  return [
    { kind: 'event', type: 'crm.lead.updated', data: leadIds(row) },
    { ...shown(row, now), type: 'lead.updated', data: leadIds(row), before: toLead(before, now) },
  ];
}

/** The entries of a merge, with the merged lead as it was last. */
export function leadMerged(merged: LeadRow, merged_into: string): OutboxEntry[] {
  const data = { lead_id: merged.id, merged_into };
  return [
    { kind: 'event', type: 'crm.lead.merged', data },
    { ...shown(merged, new Date()), type: 'lead.merged', data },
  ];
}

/** Whether a caller who is limited to a seller sees the lead: it is theirs, or without a seller. */
export const isVisible = ({ seller_id }: Pick<LeadRow, 'seller_id'>, limit: string | undefined): boolean =>
  limit === undefined || seller_id === null || seller_id === limit;
