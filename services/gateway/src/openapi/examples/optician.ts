import type { Appointment, Lead, Seller } from '@mostrador/contracts';

// All examples tell of one store: an optician in São Paulo, and its customer Helena, who needs new glasses.

export const ids = {
  store: '0198c1f4-0a10-7b11-8a01-5d3e7f90a101',
  lead: '0198c1f4-6a10-7d21-8c4f-3b5a7d9e1f20',
  seller: '0198c1f4-2c33-7e41-8b5f-1a2b3c4d5e6f',
  otherSeller: '0198c1f4-2d44-7e41-9c6a-2b3c4d5e6f70',
  appointment: '0198c1f5-1e55-7f51-8d7b-3c4d5e6f7081',
  followup: '0198c1f5-2f66-7a61-9e8c-4d5e6f708192',
  session: '0198c1f5-3a77-7b71-8f9d-5e6f708192a3',
  question: '0198c1f5-4b88-7c81-9aae-6f708192a3b4',
  message: '0198c1f5-5c99-7d91-8bbf-708192a3b4c5',
  reply: '0198c1f5-5daa-7ea1-9cc0-8192a3b4c5d7',
  agent: '0198c1f4-3daa-7ea1-9cc0-8192a3b4c5d6',
  defaultAgent: '0198c1f4-3ebb-7fb1-8dd1-92a3b4c5d6e7',
  group: '0198c1f4-3fcc-7ac1-9ee2-a3b4c5d6e7f8',
  condition: '0198c1f4-40dd-7bd1-8ff3-b4c5d6e7f809',
  endpoint: '0198c1f4-62ff-7de1-8b15-d6e7f8091a2b',
  delivery: '0198c1f5-7411-7fa1-8d37-f8091a2b3c4d',
  replay: '0198c1f5-8522-7ab1-9e48-091a2b3c4d5e',
  document: '0198c1f4-51ee-7ce1-9a04-c5d6e7f8091a',
  otherLead: '0198c1f4-6b21-7d31-9d5a-4c6b8e0f2a31',
  event: '0198c1f5-62ff-7df1-8b15-d6e7f8091a2b',
  service: '0198c1f4-73aa-7ea1-8c26-e7f8091a2b3c',
  template: '0198c1f5-1e55-7ac1-8e48-091a2b3c4d5e',
  user: '0198c1f4-1b22-7c41-8a16-e7f8091a2b3d',
  hold: '0198c1f5-0d44-7fb1-9d37-f8091a2b3c4d',
} as const;

export const seller: Seller = {
  id: ids.seller,
  name: 'Camila Nogueira',
  whatsapp_id: '5511900900001',
  is_active: true,
  bookable: true,
  hours: null,
};

export const lead = {
  id: ids.lead,
  store_id: ids.store,
  name: 'Helena Duarte',
  customer_phone: '5511900800142',
  status: 'in_progress',
  seller_id: ids.seller,
  external_id: 'ERP-1042',
  email: 'helena@example.com',
  tags: ['multifocal', 'vip'],
  metadata: { prescription: '2025-11-20' },
  interaction_count: 2,
  opted_out_at: null,
  channel_user_id: null,
  username: null,
  previous_lead_id: null,
  ai_paused_until: null,
  ai_paused_by: null,
  created_at: '2026-01-12T13:02:11.482Z',
  updated_at: '2026-01-12T13:05:40.117Z',
} satisfies Lead;

export const appointment: Appointment = {
  id: ids.appointment,
  store_id: ids.store,
  lead_id: ids.lead,
  title: 'Exame de vista',
  scheduled_at: '2026-01-16T17:30:00.000Z',
  duration_minutes: 45,
  status: 'scheduled',
  notes: 'Traz a receita anterior',
  metadata: { order: '1042' },
  seller_id: null,
  service_id: null,
  confirmed_at: null,
  created_at: '2026-01-12T13:06:02.900Z',
  updated_at: '2026-01-12T13:06:02.900Z',
};
