import { type Static, Type } from '@sinclair/typebox';
import { Exact, NullableTimestamp, NullableUuid, OneOf, Phone, Text, Timestamp, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';

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

export const createLead = defineOperation({
  subject: 'crm.api.leads.create',
  summary: 'Create a lead',
  description: 'A phone is a lead of the store at most once.',
  extension: true,
  request: {
    body: Exact({
      name: Text(200),
      customer_phone: Phone,
      status: Type.Optional(OneOf(leadStatuses, { default: 'pending' })),
      seller_id: Type.Optional(NullableUuid),
    }),
  },
  reply: Lead,
  errors: ['lead_exists', 'seller_not_found', 'seller_inactive'],
});

export const getLead = defineOperation({
  subject: 'crm.api.leads.get',
  summary: 'Read a lead',
  request: { params: Exact({ leadId: Uuid }) },
  reply: Lead,
  errors: ['lead_not_found'],
});

/** Whether the store has this lead: what other services ask before they refer to it. */
export const checkLead = defineOperation({
  subject: 'crm.internal.leads.check',
  summary: 'Check that the store has a lead',
  request: { body: Exact({ lead_id: Uuid }) },
  reply: Type.Object({ id: Uuid }),
  errors: ['lead_not_found'],
});

export const Seller = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    whatsapp_id: Type.String(),
    is_active: Type.Boolean(),
  },
  { title: 'Seller' },
);
export type Seller = Static<typeof Seller>;

export const createSeller = defineOperation({
  subject: 'crm.api.sellers.create',
  summary: 'Create a seller',
  extension: true,
  request: {
    body: Exact({
      name: Text(200),
      whatsapp_id: Phone,
      is_active: Type.Optional(Type.Boolean({ default: true })),
    }),
  },
  reply: Seller,
});

export const getSeller = defineOperation({
  subject: 'crm.api.sellers.get',
  summary: 'Read a seller',
  request: { params: Exact({ sellerId: Uuid }) },
  reply: Seller,
  errors: ['seller_not_found'],
});

export const crmOperations = { createLead, getLead, checkLead, createSeller, getSeller } as const;
