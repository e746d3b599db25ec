import { type Static, Type } from '@sinclair/typebox';
import {
  Done,
  Exact,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Page,
  Phone,
  paging,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

export const leadStatuses = ['pending', 'in_progress', 'converted', 'lost'] as const;
export const LeadStatus = OneOf(leadStatuses);

export const Lead = Type.Object(
  {
    id: Uuid,
    store_id: Uuid,
    name: Type.String(),
    customer_phone: Phone,
    status: LeadStatus,
    seller_id: NullableUuid,
    interaction_count: Type.Integer(),
    ai_paused_until: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Lead' },
);
export type Lead = Static<typeof Lead>;

const After = (description: string) => Type.String({ format: 'date-time', description });

/** What a lead is made from, one by one or in an import. */
export const NewLead = Exact({
  name: Text(200),
  customer_phone: Phone,
  status: Type.Optional(OneOf(leadStatuses, { default: 'pending' })),
  seller_id: Type.Optional(NullableUuid),
});
export type NewLead = Static<typeof NewLead>;

export const createLead = defineOperation({
  subject: 'crm.api.leads.create',
  summary: 'Create a lead',
  description: 'A phone is a lead of the store at most once.',
  extension: true,
  request: { body: NewLead },
  reply: Lead,
  errors: ['lead_exists', 'seller_not_found', 'seller_inactive'],
});

export const leadSorts = ['-created_at', 'created_at', 'updated_at', '-updated_at'] as const;
export type LeadSort = (typeof leadSorts)[number];

/** The `seller_id` of a list that asks for the leads without a seller. */
export const noSeller = 'none';

export const listLeads = defineOperation({
  subject: 'crm.api.leads.list',
  summary: 'List leads',
  description:
    '`total` is exact, as of the first page. Ties break by id, in the direction of the sort.\n\n' +
    'Following the `Link` with a `created_at` sort, and without a filter on something that changes, meets every lead ' +
    'that was there throughout exactly once. With `sort=updated_at` it meets each change at least once, also when at ' +
    'its end it is taken up again later with `updated_after` set to the last `updated_at` that was read. To hold that, ' +
    'a list with this sort ends before the first change that may still be in the making: what others have just ' +
    'changed may show up in it a moment later than elsewhere.',
  request: {
    query: Exact({
      status: Type.Optional(LeadStatus),
      seller_id: Type.Optional(
        Type.String({
          pattern: `^(${noSeller}|[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})$`,
          description: 'The id (a UUID) of the responsible seller, or `none`: leads without one.',
        }),
      ),
      customer_phone: Type.Optional(Phone),
      created_after: Type.Optional(After('Created after this moment, and not at it.')),
      updated_after: Type.Optional(After('Changed after this moment, and not at it.')),
      sort: Type.Optional(OneOf(leadSorts, { default: '-created_at', description: 'A minus sign: the latest first.' })),
      ...paging(),
    }),
  },
  reply: Page(Lead),
});

const leadParams = Exact({ leadId: Uuid });

export const getLead = defineOperation({
  subject: 'crm.api.leads.get',
  summary: 'Read a lead',
  request: { params: leadParams },
  reply: Lead,
  errors: ['lead_not_found'],
});

export const updateLead = defineOperation({
  subject: 'crm.api.leads.update',
  summary: 'Change a lead',
  description:
    'At least one member; a member left out stays as it is. Any status may follow any other. `seller_id: null` ' +
    'unassigns the lead. `ai_paused_until` (an extension) pauses the AI until that moment, and null ends the pause; ' +
    'it is null in answers when the AI is not paused.',
  request: {
    params: leadParams,
    body: Exact(
      {
        name: Type.Optional(Text(200)),
        status: Type.Optional(LeadStatus),
        seller_id: Type.Optional(NullableUuid),
        ai_paused_until: Type.Optional(NullableTimestamp),
      },
      { minProperties: 1 },
    ),
  },
  reply: Lead,
  errors: ['lead_not_found', 'seller_not_found', 'seller_inactive', 'version_mismatch'],
});

/** The most leads of one `importLeads`: a transaction that is over in some tens of milliseconds. */
export const maxImportedLeads = 1000;

/**
 * Creates the leads whose phone the store does not have yet, in one transaction; of several with one phone, the first.
 * Safe to send again: what is there already is left as it is. Valid leads whose seller the store does not have, or has
 * as inactive, are `refused` by their place in the request, and the others still go in.
 */
export const importLeads = defineOperation({
  subject: 'crm.admin.leads.import',
  summary: 'Create many leads at once, leaving those that exist as they are',
  request: { body: Exact({ leads: Type.Array(NewLead, { minItems: 1, maxItems: maxImportedLeads }) }) },
  reply: Type.Object({
    created: Type.Integer(),
    existing: Type.Integer(),
    refused: Type.Array(
      Type.Object({ index: Type.Integer(), code: OneOf(['seller_not_found', 'seller_inactive'] as const) }),
    ),
  }),
});

/** Whether the store has this lead: what other services ask before they refer to it. */
export const checkLead = defineOperation({
  subject: 'crm.internal.leads.check',
  summary: 'Check that the store has a lead',
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Type.Object({ id: Uuid }),
  errors: ['lead_not_found'],
});

/** How a lead is reached: what messaging asks before it writes. */
export const getLeadContact = defineOperation({
  subject: 'crm.internal.leads.contact',
  summary: "Read a lead's name and phone",
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Type.Object({ id: Uuid, name: Type.String(), customer_phone: Phone }),
  errors: ['lead_not_found'],
});

/** The lead with this phone, made when the store has none: the same for any number of first messages at once. */
export const ensureLead = defineOperation({
  subject: 'crm.internal.leads.ensure',
  summary: 'Find the lead with a phone, or create it',
  request: { body: Exact({ customer_phone: Phone, name: Text(200) }) },
  reply: Type.Object({ id: Uuid, created: Type.Boolean() }),
});

/** Messaging counts, crm keeps the greatest count it has heard of: repeatable, in any order. */
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
