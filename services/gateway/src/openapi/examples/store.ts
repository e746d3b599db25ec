import { getLeadReport, getMe, getStore, getSummaryReport } from '@mostrador/contracts';
import { type ExampleOfOperation, example } from './example.ts';
import { ids, lead } from './optician.ts';

const period = { from: '2026-01-12T03:00:00.000Z', to: '2026-01-13T03:00:00.000Z', timezone: 'America/Sao_Paulo' };
const query = { from: '2026-01-12', to: '2026-01-12' };
const leads = { created: 2, converted: 1, lost: 0, conversion_rate: 0.5 };
const none = { ai: 0, seller: 0, api: 0, followup: 0 };
const unpriced = { marketing: none, utility: none, authentication: none, service: none, other: none };
const byAd = [
  {
    ...{ source_type: 'ad', source_id: '120226305854810726', source_url: 'https://fb.me/3cr4Wqqkv' },
    ...{ headline: 'Armações com 20% de desconto', messages: 21, leads: 19, new_leads: 17 },
  },
];
const conversations = {
  sessions_started: 2,
  sessions_ended: 1,
  messages_inbound: 3,
  messages_outbound: { ai: 1, seller: 0, api: 1, followup: 1 },
  messages_priced: {
    billable: { ...unpriced, utility: { ...none, followup: 1 } },
    free: { ...unpriced, service: { ...none, ai: 1, api: 1 } },
  },
  messages_cost: {
    currency: 'XTS',
    amount: 0.22,
    without_rate: 0,
    amounts: { ...unpriced, utility: { ...none, followup: 0.22 } },
  },
  messages_failed: 0,
  first_response_seconds: { p50: 120, p90: 300, average: 181.42 },
};
const changes = {
  ...{ refused: 0, moved: 1, confirmed: 1, no_shows: 0 },
  cancelled: { api: 0, console: 0, calendar: 0, customer: 1, agent: 0, system: 0 },
};
const appointments = { created: 1, without_lead: 0, ...changes };
const followups = { scheduled: 1, sent: 1, failed: 0, cancelled: 0 };

const store = {
  id: ids.store,
  name: 'Ótica Mirante',
  tier: 'pro',
  timezone: 'America/Sao_Paulo',
  locale: 'pt-BR',
  country: 'BR',
} as const;

export const storeExamples: readonly ExampleOfOperation[] = [
  example(
    getMe,
    {},
    {
      key: {
        id: 'Q7mX2kVb9tRz',
        name: 'Loja virtual',
        scopes: ['leads:read', 'leads:write', 'messages:write'],
        expires_at: null,
        created_at: '2026-01-05T12:31:07.003Z',
      },
      store,
      rate_limit: { requests_per_minute: 6000 },
    },
  ),
  example(
    getStore,
    {},
    {
      ...store,
      calendar: { provider: 'google', status: 'connected' },
      channel: { provider: 'whatsapp_cloud', status: 'connected', phone: '5511900200001' },
      message_budget: { amount: 500, spent: 123.42, currency: 'XTS', month: '2026-01' },
      sending_windows: [
        { weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], from: '09:00', to: '18:00' },
      ],
      created_at: '2026-01-05T11:58:00.000Z',
      updated_at: '2026-01-05T12:10:31.250Z',
    },
  ),
  example(
    getSummaryReport,
    { query: { ...query, bucket: 'day' } },
    {
      period,
      leads: { ...leads, by_status: { pending: 40, in_progress: 25, converted: 31, lost: 12 } },
      conversations: { ...conversations, by_ad: byAd },
      appointments: {
        ...appointments,
        by_status: { scheduled: 14, done: 52, cancelled: 6, no_show: 3 },
        by_seller: [{ seller_id: ids.seller, name: 'Camila Nogueira', ...changes }],
        by_service: [{ service_id: ids.service, name: 'Exame de vista', ...changes }],
      },
      followups,
      sellers: [{ seller_id: ids.seller, name: 'Camila Nogueira', leads: 37, converted: 1 }],
      series: [{ start: period.from, leads, conversations, appointments, followups }],
    },
  ),
  example(
    getLeadReport,
    { query: { lead_id: ids.lead, ...query } },
    {
      period,
      lead,
      leads: {
        created: 1,
        converted: 0,
        lost: 0,
        seconds_in_status: { pending: 209, in_progress: 39_259, converted: 0, lost: 0 },
      },
      conversations: {
        ...conversations,
        sessions_started: 1,
        sessions_ended: 0,
        messages_inbound: 1,
        messages_outbound: { ai: 0, seller: 0, api: 1, followup: 0 },
        first_response_seconds: { p50: 300, p90: 300, average: 207.43 },
        last_interaction_at: '2026-01-12T13:05:38.911Z',
      },
      appointments: { created: 1, by_status: { scheduled: 1, done: 0, cancelled: 0, no_show: 0 } },
      followups: {
        ...{ scheduled: 1, sent: 0, failed: 0, cancelled: 0 },
        by_status: { pending: 1, sending: 0, sent: 0, failed: 0, cancelled: 0 },
      },
    },
  ),
];
