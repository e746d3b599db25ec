import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Done,
  Exact,
  MapOf,
  Matching,
  Nullable,
  NullableEmail,
  NullableMetadata,
  NullablePhone,
  NullableString,
  NullableTags,
  NullableText,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Page,
  Phone,
  paging,
  Several,
  Tag,
  Text,
  Timestamp,
  trimmedCharacters,
  Uuid,
  WrittenPhone,
} from '../core/common.ts';
import type { ValidationFault } from '../core/errors.ts';
import { defineOperation } from '../core/operation.ts';

export const leadStatuses = ['pending', 'in_progress', 'converted', 'lost'] as const;
export const LeadStatus = OneOf(leadStatuses, {
  title: 'LeadStatus',
  description: 'How far the store has come with the lead. Any status may follow any other.',
});

/** Who paused the AI for a lead. */
export const AiPauser = Type.Object(
  {
    kind: OneOf(['user', 'api_key', 'phone', 'agent', 'system'], {
      title: 'AiPauserKind',
      description:
        '`user`: a person of the store in the console. `api_key`: a program with a key. `phone`: a person who wrote on the ' +
        'store’s own telephone. `agent`: an AI agent that handed the lead over, or an agent of the channel. `system`: the ' +
        'server or its operator.',
    }),
    id: About(NullableString, 'The id of the person, the key or the agent. Null for the others.'),
    name: About(
      NullableString,
      'The name of the person or the agent at that moment. Null: not known, as that of a key.',
    ),
  },
  { title: 'AiPauser', description: 'Who paused the AI.' },
);
export type AiPauser = Static<typeof AiPauser>;

export const Lead = Type.Object(
  {
    id: About(Uuid, 'The id of the lead.'),
    store_id: About(Uuid, 'The store of the lead.'),
    name: Type.String({ description: 'The name, as the store or the channel’s profile gave it.' }),
    customer_phone: NullablePhone,
    status: LeadStatus,
    seller_id: About(NullableUuid, 'The seller in charge of the lead. Null: the lead has no seller.'),
    external_id: About(NullableString, 'The id of the customer in the store’s own system.'),
    email: About(NullableString, 'The email address of the lead.'),
    tags: Type.Array(Type.String(), { description: 'The words by which the store groups its leads.' }),
    metadata: MapOf(Type.String(), {
      description: 'Data of the store’s own systems. Mostrador only keeps it.',
    }),
    interaction_count: Type.Integer({
      description:
        'The messages in both directions. A new count moves `updated_at` and changes the `ETag`, but `If-Match` ' +
        'ignores it.',
    }),
    ai_paused_until: Type.Unsafe<string | null>({
      ...NullableTimestamp,
      description:
        'The AI is paused until this moment. Null when it is not paused: a pause that ends changes the `ETag`, but ' +
        'not `updated_at`.',
    }),
    // Members that came after the first ones are optional in the document: see `document-clients.test.ts` on required ones.
    opted_out_at: Type.Optional(
      About(
        NullableTimestamp,
        'When the lead opted out of messages. Null while it has not, or after it opted in again. A change moves ' +
          '`updated_at` and changes the `ETag`, but `If-Match` ignores it. `GET /leads/{leadId}/conversation` has the ' +
          'scope and the source.',
      ),
    ),
    channel_user_id: Type.Optional(
      About(
        NullableString,
        'The channel’s own id of a customer whom it names without a phone, such as WhatsApp’s business-scoped user id. It ' +
          'stays when the phone becomes known. Null: the channel has always told the phone, or the customer has not written.',
      ),
    ),
    username: Type.Optional(
      About(
        NullableString,
        'The customer’s username on the channel, without `@`, as it was when the first message created the lead. Null: the ' +
          'channel told none then, or the store created the lead or gave it another phone.',
      ),
    ),
    ai_paused_by: Type.Optional(
      Nullable(AiPauser, {
        description:
          'Who paused the AI until `ai_paused_until`: by a request, or by a message. Null when it is not paused, or not known.',
      }),
    ),
    previous_lead_id: Type.Optional(
      About(
        NullableUuid,
        'Set on a new start: the lead who had this number before WhatsApp named another person with it. Nothing of that ' +
          'lead passes on. Null: no other customer had the number.',
      ),
    ),
    created_at: About(Timestamp, 'When it was created.'),
    updated_at: About(Timestamp, 'When it last changed.'),
  },
  {
    title: 'Lead',
    description: 'A customer in conversation with the store, known by phone or by the channel’s own id.',
  },
);
export type Lead = Static<typeof Lead>;

/** An id of a customer on the channel that does not derive from a phone. */
const ChannelUserId = (description: string) => Text(200, { description });

const After = (description: string) => Type.String({ format: 'date-time', description });

const externalIdLength = 200;
const contentOfStore = {
  external_id: Type.Optional(
    NullableText(externalIdLength, {
      description: 'The id of the customer in the store’s own system. At most one lead of the store has it.',
    }),
  ),
  email: Type.Optional(NullableEmail),
  tags: Type.Optional(NullableTags),
};

/** The input for a new lead in an import. */
export const ImportedLead = Exact({
  name: Text(200, { description: 'The name of the lead.' }),
  customer_phone: WrittenPhone,
  status: Type.Optional(Described(LeadStatus, { default: 'pending' })),
  seller_id: Type.Optional(About(NullableUuid, 'An active seller who takes the lead.')),
  ...contentOfStore,
});
export type ImportedLead = Static<typeof ImportedLead>;

/** The input for a new lead. */
export const NewLead = Exact(
  { ...ImportedLead.properties, metadata: Type.Optional(NullableMetadata) },
  { description: 'A new lead.' },
);
export type NewLead = Static<typeof NewLead>;

export const createLead = defineOperation({
  subject: 'crm.api.leads.create',
  http: { method: 'POST', path: '/leads', status: 201, versioned: true },
  access: { scope: 'leads:write' },
  summary: 'Create a lead',
  description:
    'A store has at most one lead per phone. `5531977776666` and `553177776666` are one phone: Brazil’s ninth digit, ' +
    'Mexico’s `521` and Argentina’s `15` make no difference. The answer shows the phone as it was sent.',
  extension: true,
  request: { body: NewLead },
  reply: Lead,
  errors: ['lead_exists', 'external_id_exists', 'seller_not_found', 'seller_inactive'],
});

export const leadSorts = ['-created_at', 'created_at', 'updated_at', '-updated_at'] as const;
export type LeadSort = (typeof leadSorts)[number];
const LeadSortWord = OneOf(leadSorts, { title: 'LeadSort', description: 'A minus sign: latest first.' });

/** A search counts at most this many leads, because it reads each one that it counts. */
export const mostCountedLeads = 1_000;

/** The `seller_id` filter for leads without a seller. */
export const noSeller = 'none';

/** The pattern of a UUID in a request. */
const writtenUuid = '[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}';

/** A filter of a list by seller. `none` finds what has no seller. */
export const SellerFilter = (description: string) =>
  Matching(`^(${noSeller}|${writtenUuid})$`, 'must be the id of a seller, or `none`', { description });

/** What a search for leads looks for. */
export const LeadSearchText = (description: string) =>
  Type.String({ text: true, minLength: 2, maxLength: 100, description });

/** What the schema of a search does not express, as a fault of the query's `q`. */
export function faultsOfSearch(q: string): ValidationFault[] {
  if ((q.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2) return [];
  return [{ in: 'query', name: 'q', detail: 'must have at least 2 letters or digits' }];
}

/** The most ids of a list of leads. */
const mostLeadIds = 100;

export const listLeads = defineOperation({
  subject: 'crm.api.leads.list',
  http: { method: 'GET', path: '/leads', exports: true },
  access: { scope: 'leads:read' },
  summary: 'List leads',
  description:
    '`total` is exact, as of the first page. Only with `q` it stops at 1,000, which then means that many or more. Ties ' +
    'break by id, in the direction of the sort.\n\n' +
    'With a `created_at` sort and no filter on a member that changes, a walk along `Link` returns every lead that ' +
    'existed throughout exactly once. With `sort=updated_at` a walk returns each change at least once. That still ' +
    'holds when a later walk starts with `updated_after` set to the last `updated_at` of a walk that reached its end. ' +
    'In the middle of a walk that moment is not enough, because several leads may have changed at the same moment: ' +
    'continue with the address in `Link`. To guarantee it, a list with this sort ends before the first change that ' +
    'may still be uncommitted. So a recent change may appear in it a moment later than elsewhere. A filter on a ' +
    'member that changes, such as `status`, hides the leads that no longer match it, so a copy is kept without one.',
  request: {
    query: Exact({
      status: Type.Optional(
        Several(LeadStatus, leadStatuses.join('|'), {
          maxLength: 200,
          description: `One or several of ${leadStatuses.join(', ')}, separated by commas.`,
        }),
      ),
      seller_id: Type.Optional(
        SellerFilter('The id (a UUID) of the responsible seller, or `none` for leads without a seller.'),
      ),
      id: Type.Optional(
        Several(Uuid, writtenUuid, {
          fault: 'must be one or several UUIDs, separated by commas',
          maxLength: mostLeadIds * 37 - 1,
          description: `The leads with these ids, at most ${mostLeadIds}, separated by commas. Those that do not exist are left out.`,
        }),
      ),
      customer_phone: Type.Optional(WrittenPhone),
      channel_user_id: Type.Optional(ChannelUserId('The lead with this id of the channel.')),
      external_id: Type.Optional(Text(externalIdLength, { description: 'Exactly this external id.' })),
      email: Type.Optional(
        Type.String({ text: true, format: 'email', maxLength: 254, description: 'This address, in any letter case.' }),
      ),
      tag: Type.Optional(
        Several(Tag, `[^,]*[^,${trimmedCharacters}][^,]*`, {
          fault: 'must be one or several tags, separated by commas',
          maxLength: 500,
          description: 'Leads with this tag, or with one of several that are separated by commas. Case does not count.',
        }),
      ),
      q: Type.Optional(
        LeadSearchText(
          'Leads that have each of these words in their name, username, phone, email, external id or tags. Case and accents do ' +
            'not matter, and a part of a word or number is enough. A word of 1 or 2 characters matches the beginning of ' +
            'a word only. A phone is found however it is written, such as `(11) 96123-4567`. With at least 2 letters ' +
            'or digits.',
        ),
      ),
      opted_out: Type.Optional(
        Type.Boolean({
          description:
            '`true`: only leads who have opted out of messages. `false`: only those who have not. A change counts ' +
            'here a moment after the lead made it.',
        }),
      ),
      created_after: Type.Optional(After('Created after this moment (exclusive).')),
      updated_after: Type.Optional(After('Changed after this moment (exclusive).')),
      sort: Type.Optional(Described(LeadSortWord, { default: '-created_at', description: 'The order of the list.' })),
      ...paging(),
    }),
  },
  reply: Page(Lead),
});

const leadParams = Exact({ leadId: About(Uuid, 'The id of the lead.') });

export const getLead = defineOperation({
  subject: 'crm.api.leads.get',
  http: { method: 'GET', path: '/leads/:leadId', versioned: true },
  access: { scope: 'leads:read' },
  summary: 'Read a lead',
  request: { params: leadParams },
  reply: Lead,
  errors: ['lead_not_found'],
});

export const updateLead = defineOperation({
  subject: 'crm.api.leads.update',
  http: { method: 'PATCH', path: '/leads/:leadId', versioned: true },
  access: { scope: 'leads:write' },
  summary: 'Change a lead',
  description:
    'Send at least one member; members left out stay as they are. Any status may follow any other. `seller_id: null` ' +
    'unassigns the lead. `ai_paused_until` pauses the AI until that moment, and null ends the pause. ' +
    'Answers have null in it when the AI is not paused. From the answer on, messages go to the new `customer_phone`, ' +
    'also those that are queued; only one that is being sent may still go to the earlier phone. A message from the ' +
    'earlier phone no longer belongs to the lead. To a customer who writes without a phone, messages go to the id of the ' +
    'channel, also when the lead gets a phone here. Null clears `external_id`, `email`, `tags` and ' +
    '`metadata`.',
  request: {
    params: leadParams,
    body: Exact(
      {
        name: Type.Optional(Text(200, { description: 'The name of the lead.' })),
        customer_phone: Type.Optional(WrittenPhone),
        status: Type.Optional(LeadStatus),
        seller_id: Type.Optional(About(NullableUuid, 'The seller who takes the lead. Null unassigns it.')),
        ai_paused_until: Type.Optional(
          About(NullableTimestamp, 'Until when the AI does not write to the lead. Null ends the pause.'),
        ),
        ...contentOfStore,
        metadata: Type.Optional(NullableMetadata),
      },
      { minProperties: 1, description: 'At least one member. Members left out stay as they are.' },
    ),
  },
  reply: Lead,
  errors: [
    'lead_not_found',
    'lead_exists',
    'external_id_exists',
    'seller_not_found',
    'seller_inactive',
    'version_mismatch',
  ],
});

export const pauseAi = defineOperation({
  subject: 'crm.api.leads.pause-ai',
  http: { method: 'POST', path: '/leads/:leadId/ai/pause', versioned: true },
  access: { scope: 'leads:write' },
  summary: 'Pause the AI for a lead',
  description:
    'Until `until`, or for `minutes` from now. Without both it is as long as after a message of a seller: 12 hours, unless ' +
    'the operator has set another time. An earlier pause is replaced. From the answer on the AI writes nothing to the ' +
    'lead, and what it wrote and has not left yet is cancelled. A message of a seller pauses the AI by itself.',
  extension: true,
  request: {
    params: leadParams,
    body: Exact(
      {
        until: Type.Optional(About(Timestamp, 'Until when. In the future.')),
        minutes: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 525_600, description: 'For how many minutes from now.' }),
        ),
      },
      { description: 'How long: `until`, `minutes`, or neither.' },
    ),
  },
  reply: Lead,
  errors: ['lead_not_found'],
});

export const resumeAi = defineOperation({
  subject: 'crm.api.leads.resume-ai',
  http: { method: 'POST', path: '/leads/:leadId/ai/resume', versioned: true },
  access: { scope: 'leads:write' },
  summary: 'Let the AI write to a lead again',
  description:
    'Ends the pause, however it began. Without a pause nothing changes. A message of a seller that came just before may ' +
    'still pause the AI: a person wins.',
  extension: true,
  request: { params: leadParams },
  reply: Lead,
  errors: ['lead_not_found'],
});

/** What messaging knows of pauses: messages of sellers begin them. Repeats and any order are safe, by `version`. */
export const saveAiPauses = defineOperation({
  subject: 'crm.internal.leads.save-ai-pauses',
  summary: 'Store pauses of the AI that messages have begun',
  request: {
    body: Exact({
      pauses: Type.Array(
        Exact({
          lead_id: Uuid,
          ai_paused_until: NullableTimestamp,
          ai_paused_by: Type.Optional(Nullable(AiPauser)),
          version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
        }),
        { minItems: 1, maxItems: 500 },
      ),
    }),
  },
  reply: Done,
});

export const upsertLead = defineOperation({
  subject: 'crm.api.leads.upsert',
  http: { method: 'PUT', path: '/leads/by-phone/:phone', upserts: true, versioned: true },
  access: { scope: 'leads:write' },
  summary: 'Create or change the lead with a phone',
  description:
    'Creates the lead (201) when the store has none with this phone in any of its forms, else changes it (200). Members ' +
    'left out stay as they are, and so does the phone as it was first written. A repeated request changes nothing. ' +
    'Concurrent requests give one lead. With `If-Match` the lead must exist. With `If-None-Match: *` it must not: an ' +
    'existing lead stays as it is, and the 412 has its `id`.',
  extension: true,
  request: {
    params: Exact({ phone: WrittenPhone }),
    body: Exact(
      {
        name: Type.Optional(Text(200, { description: 'The name of the lead. Required to create it.' })),
        status: Type.Optional(LeadStatus),
        seller_id: Type.Optional(About(NullableUuid, 'The seller who takes the lead. Null unassigns it.')),
        ...contentOfStore,
        metadata: Type.Optional(NullableMetadata),
      },
      { description: 'The new values of the lead. Members left out stay as they are.' },
    ),
  },
  reply: Type.Object(
    { ...Lead.properties, created: Type.Boolean({ description: 'Whether this request created the lead.' }) },
    { title: 'UpsertedLead', description: 'The lead, and whether it is new.' },
  ),
  errors: ['external_id_exists', 'seller_not_found', 'seller_inactive', 'version_mismatch'],
});

/** The maximum number of leads in one `importLeads`. Its transaction takes some tens of milliseconds. */
export const maxImportedLeads = 1000;

/**
 * Creates the leads whose phone and external id the store does not have yet, in one transaction. Of several with the
 * same phone or external id, the first wins. Safe to repeat: existing leads stay as they are. A valid lead whose seller
 * is missing or inactive is in `refused`, by its index in the request; the others are still created.
 */
export const importLeads = defineOperation({
  subject: 'crm.admin.leads.import',
  summary: 'Create many leads at once; existing leads stay as they are',
  request: { body: Exact({ leads: Type.Array(ImportedLead, { minItems: 1, maxItems: maxImportedLeads }) }) },
  reply: Type.Object({
    created: Type.Integer(),
    existing: Type.Integer(),
    refused: Type.Array(
      Type.Object({ index: Type.Integer(), code: OneOf(['seller_not_found', 'seller_inactive'] as const) }),
    ),
  }),
});

/**
 * Lists leads from before phones were matched by their canonical form, part by part: each list has the leads of one
 * person, the oldest first. `next` is the `after_id` of the next part, and null after the last one.
 *
 * With `country`, `misread` has the leads whose phone may be a national number of that country that was read as a foreign
 * one. `national` is that number.
 */
export const listDuplicateLeads = defineOperation({
  subject: 'crm.admin.leads.duplicates',
  summary: 'List leads that have one phone in different forms',
  request: {
    body: Exact({ after_id: Type.Optional(Uuid), country: Type.Optional(Type.String({ format: 'country' })) }),
  },
  reply: Type.Object({
    duplicates: Type.Array(Type.Array(Lead)),
    misread: Type.Array(Type.Object({ lead: Lead, national: Phone })),
    next: NullableUuid,
  }),
});

/** Two leads of one person: `lead_id` goes, `merged_into` stays. */
export const LeadMerge = Exact({ lead_id: Uuid, merged_into: Uuid });
export type LeadMerge = Static<typeof LeadMerge>;

/**
 * Merges a lead in crm, in one transaction. The merged lead is kept outside of the leads, and its id leads to the other
 * one. Safe to repeat. `finished_at` is null until `finishMerge`. With `dry_run` it only checks, and `merged_at` is null.
 */
export const mergeLead = defineOperation({
  subject: 'crm.admin.leads.merge',
  summary: 'Merge a lead into another lead of the same person',
  request: { body: Exact({ ...LeadMerge.properties, dry_run: Type.Optional(Type.Boolean()) }) },
  reply: Type.Object({
    ...LeadMerge.properties,
    merged_at: NullableTimestamp,
    finished_at: NullableTimestamp,
  }),
  errors: ['lead_not_found', 'lead_not_duplicate'],
});

/** Records that messaging and scheduling have nothing left of a merged lead. Safe to repeat. */
export const finishMerge = defineOperation({
  subject: 'crm.admin.leads.finish-merge',
  summary: 'Record that a merge of leads is finished',
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Done,
});

/** The oldest merges that are not finished, 5,000 at most. */
export const listUnfinishedMerges = defineOperation({
  subject: 'crm.admin.leads.unfinished-merges',
  summary: 'List merges of leads that are not finished',
  request: {},
  reply: Type.Object({ merges: Type.Array(LeadMerge) }),
});

/** Other services call this before they refer to a lead. */
export const checkLead = defineOperation({
  subject: 'crm.internal.leads.check',
  summary: 'Check that the store has a lead',
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Type.Object({ id: Uuid }),
  errors: ['lead_not_found'],
});

const LeadContact = Type.Object({
  id: Uuid,
  name: Type.String(),
  customer_phone: NullablePhone,
  /** Without a phone it is set. */
  channel_user_id: Type.Optional(NullableString),
  username: Type.Optional(NullableString),
  /** Rises with every change of the members here. */
  version: Type.Integer(),
  status: LeadStatus,
  seller_id: NullableUuid,
  /** It may be in the past. */
  ai_paused_until: NullableTimestamp,
  ai_paused_by: Type.Optional(Nullable(AiPauser)),
  /** The last pause of messaging that crm knew with this. */
  ai_pause_version: Type.Integer(),
});

/** Messaging calls this before it writes to a lead. */
export const getLeadContact = defineOperation({
  subject: 'crm.internal.leads.contact',
  summary: "Read a lead's name and phone",
  request: { body: Exact({ lead_id: Uuid }) },
  reply: LeadContact,
  errors: ['lead_not_found'],
});

/**
 * Scheduling calls this for the calendar of a store whose events show the customer, and messaging for its inbox. Unknown
 * ids have no contact.
 */
export const listLeadContacts = defineOperation({
  subject: 'crm.internal.leads.contacts',
  summary: 'Read the names and phones of leads',
  request: { body: Exact({ lead_ids: Type.Array(Uuid, { minItems: 1, maxItems: 2000 }) }) },
  reply: Type.Object({ contacts: Type.Array(LeadContact) }),
});

/** Messaging calls this to search its inbox. Finds at most `mostCountedLeads`: those that changed last. */
export const searchLeads = defineOperation({
  subject: 'crm.internal.leads.search',
  summary: 'Find the ids of leads by a text, as the list of leads does',
  request: {
    body: Exact({
      q: LeadSearchText('As in the list of leads.'),
      visible_to: Type.Optional(About(Uuid, 'Only leads of this seller, and those without a seller.')),
    }),
  },
  reply: Type.Object({ lead_ids: Type.Array(Uuid) }),
});

/**
 * Answers the lead with this phone in any of its forms, or without a phone the lead with this id of the channel. Creates it
 * when there is none. Concurrent first messages get the same lead.
 */
export const ensureLead = defineOperation({
  subject: 'crm.internal.leads.ensure',
  summary: 'Find the lead of a customer, or create it',
  request: {
    body: Type.Union([
      Exact({
        customer_phone: Phone,
        name: Text(200),
        username: Type.Optional(NullableString),
        previous_lead_id: Type.Optional(About(Uuid, 'A new lead with the phone is marked with this one.')),
      }),
      Exact({
        channel_user_id: ChannelUserId('An id of a customer without a phone.'),
        name: Text(200),
        username: Type.Optional(NullableString),
      }),
    ]),
  },
  reply: Type.Object({ id: Uuid, created: Type.Boolean() }),
});

/** Answers the lead with this phone in any of its forms, or with this id of the channel, or null. Creates none. */
export const findLeadByPhone = defineOperation({
  subject: 'crm.internal.leads.find',
  summary: 'Find the lead of a customer',
  request: {
    body: Type.Union([
      Exact({ customer_phone: Phone }),
      Exact({ channel_user_id: ChannelUserId('An id of a customer without a phone.') }),
    ]),
  },
  reply: Type.Object({ id: NullableUuid }),
});

/**
 * Which of these phones the store has, in any of their forms. The gateway asks when a phone was written so that it can
 * mean several numbers. With `own_id`, the phone of this lead or seller is the only answer if it is among them.
 */
export const findKnownPhones = defineOperation({
  subject: 'crm.internal.phones.known',
  summary: 'Find which of these phones are of leads or sellers',
  request: {
    body: Exact({
      of: OneOf(['leads', 'sellers']),
      phones: Type.Array(Phone, { minItems: 1, maxItems: 2 }),
      own_id: Type.Optional(Uuid),
    }),
  },
  reply: Type.Object({ known: Type.Array(Phone) }),
});

/**
 * The channel says that a customer has another number, another id of the channel, or both. In one transaction the lead gets
 * them, with `lead.updated`. If another lead of the store has the new number, or has the new id and no number, both are the
 * same person: the younger one is merged into the older one, as `mergeLead` does. Safe to repeat.
 *
 * - `moved`: the lead has the new number
 * - `kept`: the store has given the lead another number than `from_phone` since, and it stays
 *
 * `from_phone` null: the customer had no number before. Left out: any.
 */
export const moveLeadPhone = defineOperation({
  subject: 'crm.internal.leads.move-phone',
  summary: 'Give a lead the new number and id of its customer',
  request: {
    body: Exact({
      lead_id: Uuid,
      from_phone: Type.Optional(NullablePhone),
      to_phone: Type.Optional(Phone),
      to_user_id: Type.Optional(ChannelUserId('The id of the channel that the customer has now.')),
    }),
  },
  reply: Type.Object({
    outcome: OneOf(['moved', 'kept']),
    /** The lead that has the conversation from now on, and its version. */
    lead_id: Uuid,
    version: Type.Integer(),
    /** The leads that were merged into it and still have rows in other services. */
    merged: Type.Array(Uuid),
  }),
  errors: ['lead_not_found'],
});

/**
 * Another customer of the channel has the phone of this lead now: the lead keeps only the id of the channel. A lead with
 * another phone stays as it is. Safe to repeat.
 */
export const releaseLeadPhone = defineOperation({
  subject: 'crm.internal.leads.release-phone',
  summary: 'Take a phone that is another customer’s now from its lead',
  request: {
    body: Exact({
      lead_id: Uuid,
      customer_phone: Phone,
      channel_user_id: ChannelUserId('The id by which the channel knows the customer of the lead.'),
    }),
  },
  reply: Type.Object({ version: Type.Integer() }),
  errors: ['lead_not_found'],
});

/**
 * The store's own telephone has these customers in its address book. A lead whose name no person has given or changed gets
 * the name, also one that is created within half a year. A name from before the last one changes nothing. Null: it is no
 * longer in the address book, and a lead keeps its name. Creates no lead. Safe to repeat.
 */
export const nameLeads = defineOperation({
  subject: 'crm.internal.leads.name',
  summary: 'Name leads as the address book of the store does',
  request: {
    body: Exact({
      contacts: Type.Array(Exact({ customer_phone: Phone, name: Nullable(Text(200)), at: Timestamp }), {
        minItems: 1,
        maxItems: 500,
      }),
    }),
  },
  reply: Done,
});

/** Messaging counts; crm keeps the highest count it received. So calls may repeat, and arrive in any order. */
export const raiseInteractionCounts = defineOperation({
  subject: 'crm.internal.leads.raise-interaction-counts',
  summary: 'Raise the interaction counts of leads to what messaging has counted',
  request: {
    body: Exact({
      counts: Type.Array(
        Exact({ lead_id: Uuid, interaction_count: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }) }),
        {
          minItems: 1,
          maxItems: 500,
        },
      ),
    }),
  },
  reply: Done,
});

/**
 * Messaging knows who has opted out; crm keeps a copy for the list of leads. `version` rises with each change of a
 * conversation, so calls may repeat, and arrive in any order.
 */
export const saveOptOuts = defineOperation({
  subject: 'crm.internal.leads.save-opt-outs',
  summary: 'Store which leads have opted out, as messaging knows it',
  request: {
    body: Exact({
      opt_outs: Type.Array(
        Exact({
          lead_id: Uuid,
          opted_out_at: NullableTimestamp,
          version: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
        }),
        { minItems: 1, maxItems: 500 },
      ),
    }),
  },
  reply: Done,
});
