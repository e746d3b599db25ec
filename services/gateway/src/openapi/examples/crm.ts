import {
  createLead,
  createSeller,
  deleteSeller,
  getLead,
  getSeller,
  listLeads,
  listSellers,
  pauseAi,
  resumeAi,
  updateLead,
  updateSeller,
  upsertLead,
} from '@mostrador/contracts';
import { type ExampleOfOperation, example, listOf } from './example.ts';
import { ids, lead, seller } from './optician.ts';

const params = { leadId: ids.lead };
const sellerParams = { sellerId: ids.seller };
const { external_id, email, tags, metadata } = lead;
const ofStore = { external_id, email, tags, metadata };
const created = {
  ...lead,
  status: 'pending' as const,
  seller_id: null,
  interaction_count: 0,
  updated_at: lead.created_at,
};

const pausedUntil = '2126-01-12T18:00:00.000Z';
const pausedBy = { kind: 'api_key', id: 'Gk3vT8sQ1xLm9dZa', name: null } as const;
const paused = { ...lead, ai_paused_until: pausedUntil, ai_paused_by: pausedBy };

export const crmExamples: readonly ExampleOfOperation[] = [
  example(createLead, { body: { name: lead.name, customer_phone: '+55 11 90080-0142', ...ofStore } }, created),
  example(
    listLeads,
    { query: { updated_after: '2026-01-12T00:00:00Z', sort: 'updated_at', limit: 200 } },
    listOf([lead]),
  ),
  example(getLead, { params }, lead),
  example(updateLead, { params, body: { status: 'in_progress', tags } }, lead),
  example(pauseAi, { params, body: { until: pausedUntil } }, paused),
  example(resumeAi, { params }, lead),
  example(
    upsertLead,
    { params: { phone: lead.customer_phone }, body: { name: lead.name, ...ofStore } },
    { ...lead, created: false },
  ),
  example(createSeller, { body: { name: seller.name, whatsapp_id: '+55 11 90090-0001', bookable: true } }, seller),
  example(
    listSellers,
    { query: {} },
    listOf([seller, { id: ids.otherSeller, name: 'Rafael Moura', whatsapp_id: '5511900900002', is_active: false }]),
  ),
  example(getSeller, { params: sellerParams }, seller),
  example(updateSeller, { params: sellerParams, body: { name: seller.name, is_active: true } }, seller),
  example(deleteSeller, { params: sellerParams }, { deleted: true, id: ids.seller }),
];
