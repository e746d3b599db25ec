import { describe, expect, test } from 'vitest';
import {
  createAgent,
  createAppointment,
  createFollowup,
  createLead,
  createSeller,
  createService,
  createStore,
  importDocument,
  putBookingRules,
  receiveSandboxMessage,
} from '../../../packages/contracts/src/index.ts';
import { validateRequest } from '../../../packages/kit/src/rpc/validate.ts';
import {
  demoAgents,
  demoAppointments,
  demoConversations,
  demoDocuments,
  demoFollowup,
  demoFreeLeads,
  demoLeads,
  demoRules,
  demoSellers,
  demoServices,
  demoStores,
} from './data.ts';

const id = '0190c3f2-7b1e-7c3a-8f4d-2a9b6c1d5e7f';
const ids = { leads: [id], sellers: demoSellers.map(() => id), services: demoServices.map(() => id) };

describe('the demo data', () => {
  test('is valid for the contracts', () => {
    for (const body of Object.values(demoStores))
      expect(validateRequest(createStore, { body: { ...body } })).toEqual([]);
    for (const body of demoSellers) expect(validateRequest(createSeller, { body: { ...body } })).toEqual([]);
    for (const { service } of demoServices) {
      expect(validateRequest(createService, { body: { ...service, seller_ids: [id] } })).toEqual([]);
    }
    for (const body of [...demoLeads([id]), ...demoFreeLeads()])
      expect(validateRequest(createLead, { body })).toEqual([]);
    for (const body of demoAppointments(ids, new Date())) {
      expect(validateRequest(createAppointment, { body })).toEqual([]);
    }
    expect(validateRequest(putBookingRules, { body: structuredClone(demoRules) })).toEqual([]);
    const { lead: _, ...followup } = demoFollowup;
    expect(validateRequest(createFollowup, { body: { lead_id: id, ...followup } })).toEqual([]);
    expect(demoConversations.map(({ lead }) => lead)).not.toContain(demoFollowup.lead);
    for (const { lead, lines } of demoConversations) {
      const { name, customer_phone } = demoLeads([id])[lead] ?? {};
      for (const line of lines) {
        const body = { token: 'x'.repeat(43), name, customer_phone, text: line.slice(1) };
        expect(validateRequest(receiveSandboxMessage, { body })).toEqual([]);
      }
    }
  });

  test('has valid agents and knowledge documents, and exactly one default agent', () => {
    for (const body of demoAgents) expect(validateRequest(createAgent, { body: { ...body } })).toEqual([]);
    for (const body of demoDocuments) expect(validateRequest(importDocument, { body: { ...body } })).toEqual([]);
    expect(demoAgents.filter(({ is_default }) => is_default)).toHaveLength(1);
  });

  test('has agents with a voice, as the specification shows them', () => {
    for (const { name, voice_id } of demoAgents.filter(({ is_active = true }) => is_active)) {
      expect(voice_id, name).toEqual(expect.any(String));
    }
  });

  test('has more than 200 leads with unique phones and names', () => {
    const leads = demoLeads([id]);
    expect(leads.length).toBeGreaterThan(200);
    expect(new Set(leads.map((lead) => lead.customer_phone)).size).toBe(leads.length);
    expect(new Set(leads.map((lead) => lead.name)).size).toBe(leads.length);
  });

  test.each(['2026-11-21T12:00:00Z', '2026-12-31T23:59:59Z', '2027-02-27T01:30:00Z', '2028-02-28T02:59:00Z'])(
    'has appointments in the two weeks after %s, in opening hours',
    (now) => {
      const start = new Date(now);
      const appointments = demoAppointments(ids, start);
      expect(appointments).toHaveLength(20);
      for (const { scheduled_at } of appointments) {
        const daysAhead = (Date.parse(scheduled_at) - start.getTime()) / 86_400_000;
        expect(daysAhead).toBeGreaterThan(0);
        expect(daysAhead).toBeLessThan(16);
        expect(new Date(`${scheduled_at.slice(0, 10)}T00:00:00Z`).getUTCDay()).not.toBe(0);
        expect(scheduled_at.slice(11, 13) >= '09' && scheduled_at.slice(11, 13) < '18').toBe(true);
      }
    },
  );
});
