import {
  type AdCounts,
  type AppointmentChanges,
  type ConversationCounts,
  type Lead,
  reportConversation,
  reportLead,
  reportLeadScheduling,
  summarizeConversations,
  summarizeLeads,
  summarizeScheduling,
} from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { TestGateway } from './gateway.ts';

export const leadId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';
export const sellerId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6b';
export const serviceId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6c';
export const phone = '5511900000001';
export type ServiceName = 'crm' | 'messaging' | 'scheduling';

/** A request that the stand-in of a service got. */
export type Asked = { readonly service: ServiceName; readonly storeId: string; readonly body: object };

/**
 * Serves the report operations of the three services with fixed counts: bucket `n` has `n` of everything. It tests the
 * gateway's requests and responses. `before` can make a service throw or hang.
 */
export async function serveReports(gateway: TestGateway) {
  const asked: Asked[] = [];
  const before: Partial<Record<ServiceName, () => Promise<void>>> = {};
  const take = async (service: ServiceName, storeId: string, body: object) => {
    asked.push({ service, storeId, body });
    await before[service]?.();
  };
  const bucketed = <Counts extends object>(boundaries: readonly number[], countsOf: (n: number) => Counts) => ({
    total: countsOf(boundaries.length * 10),
    buckets: toColumns(boundaries.slice(1).map((_, n) => countsOf(n))),
  });

  await gateway.serve(
    'crm',
    { summarizeLeads, reportLead },
    {
      summarizeLeads: async ({ storeId }, { body }) => {
        await take('crm', storeId, body);
        return { ...bucketed(body.boundaries, leadCounts), by_status: ofStatus, sellers };
      },
      reportLead: async ({ storeId }, { body }) => {
        await take('crm', storeId, body);
        if ((body.lead_id ?? leadId) !== leadId) throw new AppError('lead_not_found');
        return { lead: leadOf(storeId), counts: leadCounts(1), seconds_in_status: secondsInStatus };
      },
    },
  );
  await gateway.serve(
    'messaging',
    { summarizeConversations, reportConversation },
    {
      summarizeConversations: async ({ storeId }, { body }) => {
        await take('messaging', storeId, body);
        return { ...bucketed(body.boundaries, conversationCounts), by_ad: ads };
      },
      reportConversation: async ({ storeId }, { body }) => {
        await take('messaging', storeId, body);
        return { ...conversationCounts(1), last_interaction_at: null };
      },
    },
  );
  await gateway.serve(
    'scheduling',
    { summarizeScheduling, reportLeadScheduling },
    {
      summarizeScheduling: async ({ storeId }, { body }) => {
        await take('scheduling', storeId, body);
        return {
          appointments: bucketed(body.boundaries, (n) => ({ created: n, without_lead: n, ...appointmentChanges(n) })),
          appointments_by_status: appointmentsOfStatus,
          appointments_by_seller: [sellerId, leadId].map((seller_id) => ({ seller_id, ...appointmentChanges(2) })),
          appointments_by_service: [serviceId].map((id) => ({
            service_id: id,
            name: 'Haircut',
            ...appointmentChanges(3),
          })),
          followups: bucketed(body.boundaries, followupCounts),
        };
      },
      reportLeadScheduling: async ({ storeId }, { body }) => {
        await take('scheduling', storeId, body);
        return {
          appointments: { created: 1, by_status: appointmentsOfStatus },
          followups: { ...followupCounts(1), by_status: { pending: 1, sending: 0, sent: 1, failed: 0, cancelled: 0 } },
        };
      },
    },
  );
  return { asked, before };
}

export const adCounts: AdCounts = {
  ...{ source_type: 'ad', source_id: '120', source_url: 'https://fb.me/1', headline: 'Cut; colour' },
  ...{ messages: 5, leads: 4, new_leads: 3 },
};
const ads: AdCounts[] = [adCounts];
const ofStatus = { pending: 4, in_progress: 3, converted: 2, lost: 1 };
const secondsInStatus = { pending: 4.5, in_progress: 0, converted: 0, lost: 0 };
const appointmentsOfStatus = { scheduled: 4, done: 3, cancelled: 2, no_show: 1 };
const sellers = [{ seller_id: sellerId, name: 'Ana; Souza', leads: 7, converted: 2 }];
const leadCounts = (n: number) => ({ created: n, converted: 1, lost: n });
const followupCounts = (n: number) => ({ scheduled: n, sent: n, failed: n, cancelled: n });
export const appointmentChanges = (n: number): AppointmentChanges => ({
  ...{ refused: n, moved: n, confirmed: n, no_shows: n },
  cancelled: { api: n, console: n, calendar: n, customer: n, agent: n, system: n },
});
const priced = (n: number) => {
  const bySource = { ai: n, seller: n, api: n, followup: n };
  return { marketing: bySource, utility: bySource, authentication: bySource, service: bySource, other: bySource };
};
const conversationCounts = (n: number): ConversationCounts => ({
  sessions_started: n,
  sessions_ended: n,
  messages_inbound: n,
  messages_outbound: { ai: n, seller: n, api: n, followup: n },
  messages_priced: { billable: priced(n), free: priced(n) },
  messages_cost: { currency: 'XTS', amount: n, without_rate: n, amounts: priced(n) },
  messages_failed: n,
  first_response_seconds: n === 0 ? { p50: null, p90: null, average: null } : { p50: n, p90: n, average: n + 0.125 },
});

const leadOf = (storeId: string): Lead => ({
  id: leadId,
  store_id: storeId,
  name: 'Ana',
  customer_phone: phone,
  status: 'pending',
  seller_id: null,
  external_id: 'customer-1',
  email: 'ana@example.com',
  tags: ['vip'],
  metadata: { plan: 'gold' },
  interaction_count: 0,
  ai_paused_until: null,
  created_at: '2026-11-21T00:00:00.000Z',
  updated_at: '2026-11-21T00:00:00.000Z',
});
